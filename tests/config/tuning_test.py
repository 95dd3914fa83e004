"""Tests of the options of the choice of a learning rate."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig


class TuningOptionsTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'tune': 'none', 'tuned_learning_rates': (1.0,)}, 'it belongs to --tune=validation'),
    ({'tuned_learning_rates': ()}, '--tuned_learning_rates is empty, expected one rate'),
    ({'tuned_learning_rates': (0.0, 1.0)}, 'has 0.0, expected more than 0'),
    ({'aggregator': 'dp_mean', 'noise_multiplier': 1.0}, 'every trial would spend privacy'),
    ({'protocol': 'reference'}, '--protocol=reference has none'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**{'tune': 'validation'} | changes))


if __name__ == '__main__':
  absltest.main()
