"""Tests for tff_lg.config.verdicts."""

from absl.testing import absltest, parameterized

from tff_lg import config


class VerdictOptionsTest(parameterized.TestCase):
  def test_default(self):
    self.assertEqual(config.TrainConfig().level, 0.05)
    self.assertEqual(config.TrainConfig(false_discovery_rate=0.2).level, 0.2)

  @parameterized.parameters(0.0, 1.0, -0.1)
  def test_out_of_range(self, rate):
    with self.assertRaisesRegex(
      config.ConfigError, '--false_discovery_rate is .*, expected more than 0 and less than 1'
    ):
      config.resolve(config.TrainConfig(false_discovery_rate=rate))


if __name__ == '__main__':
  absltest.main()
