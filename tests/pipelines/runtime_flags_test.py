"""Tests of the flags of a runtime."""

from absl import flags
from absl.testing import absltest, flagsaver

from pipelines import runtime_flags
from tff_lg import config as config_lib


class ReadTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    flags.FLAGS(['program'])

  def test_defaults(self):
    self.assertEqual(runtime_flags.read(), config_lib.RuntimeOptions())

  def test_given(self):
    with flagsaver.flagsaver(clients_per_device=3):
      self.assertEqual(runtime_flags.read(), config_lib.RuntimeOptions(clients_per_device=3))

  def test_contradiction(self):
    with flagsaver.as_parsed(ray_actors='2'):
      with self.assertRaisesRegex(config_lib.ConfigError, '--ray_actors'):
        runtime_flags.read()


if __name__ == '__main__':
  absltest.main()
