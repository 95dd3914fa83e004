"""Tests of the choices of the experiment on mixtures of two models."""

from absl.testing import absltest, parameterized

from tff_lg.config.option import ConfigError
from tff_lg.experiments import mixing_config


class MixingConfigTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'epochs': 0}, '--epochs is 0, expected 1 or more.'),
    ({'num_points': 1}, '--num_points is 1, expected 2 or more.'),
    ({'seed': -1}, '--seed is -1, expected 0 or more.'),
    ({'learning_rate': 0.0}, '--learning_rate is 0.0, expected more than 0.'),
    ({'learning_rate': float('nan')}, '--learning_rate is nan, expected a finite number.'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesWithLiteralMatch(ConfigError, sentence):
      mixing_config.MixingConfig(**changes)

  def test_fast_shortens_what_is_longer(self):
    fast = mixing_config.fast_mixing(mixing_config.MixingConfig(num_points=3))
    self.assertEqual(fast, mixing_config.MixingConfig(epochs=2, num_points=3))


if __name__ == '__main__':
  absltest.main()
