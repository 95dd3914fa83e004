"""Tests of configs of adaptations; `adapt_test` and sweeps run them."""

from absl.testing import absltest, parameterized

from pipelines import adaptation_run
from tff_lg import config as config_lib


class ConfigTest(parameterized.TestCase):
  def test_given_and_default(self):
    config = adaptation_run.config_from_arguments(['--from_run=runs/x', '--epochs=7'])
    self.assertEqual((config.from_run, config.epochs), ('runs/x', 7))
    self.assertEqual(config.adaptation, config_lib.AdaptConfig().adaptation)

  @parameterized.parameters(
    ([], '--from_run is missing: name the folder of a finished run.'),
    (['--fast'], '--from_run is missing'),
    (['--from_run=x', '--epochs=0'], '--epochs is 0'),
  )
  def test_refuses(self, arguments, sentence):
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      adaptation_run.config_from_arguments(arguments)


if __name__ == '__main__':
  absltest.main()
