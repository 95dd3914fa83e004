"""Tests of configs of new devices; `new_device_test` and sweeps run them."""

from absl.testing import absltest, parameterized

from pipelines import new_device_run
from tff_lg import config as config_lib


class ConfigTest(parameterized.TestCase):
  def test_given_and_default(self):
    config = new_device_run.config_from_arguments(['--from_run=runs/x,runs/y', '--rounds=7'])
    self.assertEqual((tuple(config.from_run), config.rounds), (('runs/x', 'runs/y'), 7))
    self.assertEqual(config.transform, config_lib.NewDeviceConfig().transform)

  @parameterized.parameters(
    ([], '--from_run is missing: name folders of finished runs.'),
    (['--fast'], '--from_run is missing'),
    (['--from_run=x', '--rounds=0'], '--rounds is 0'),
  )
  def test_refuses(self, arguments, sentence):
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      new_device_run.config_from_arguments(arguments)


if __name__ == '__main__':
  absltest.main()
