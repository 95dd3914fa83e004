"""Tests of what the rounds of another run do not fit."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig


class CheckTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'warm_start_rounds': 0}, '--warm_start_rounds is 0, expected the rounds of FedAvg before'),
    ({'aggregator': 'dp_mean', 'dp_sigma': 0.1}, '--aggregator is dp_mean, whose budget is for'),
    ({'client_store': 'disk'}, '--client_store is disk, which keeps states outside checkpoints.'),
    ({'tune': 'validation'}, '--tune is validation, which trains with several learning rates.'),
    ({'track': 'mlflow'}, '--track is given, and would miss the rounds of that run.'),
    (
      {'global_layers': ('auto',)},
      '--global_layers=auto is given, which trains a warm start of its',
    ),
  )
  def test_refuses(self, changes, sentence):
    given = {'warm_start_from': 'runs/fedavg', 'warm_start_rounds': 5, **changes}
    with self.assertRaises(config.ConfigError) as caught:
      config.resolve(TrainConfig(**given))
    self.assertIn(f'--warm_start_from is given, but {sentence}', str(caught.exception))

  def test_baselines_and_the_fast_form_train_their_own_rounds(self):
    given = TrainConfig(warm_start_from='runs/fedavg', warm_start_rounds=5)
    self.assertIsNone(config.as_baseline(config.resolve(given), 'fedavg').warm_start_from)
    self.assertIsNone(config.fast(given).warm_start_from)


class FindBaselineTest(parameterized.TestCase):
  def _find(self, **changes):
    given = {'baselines': ('local_only', 'fedavg'), 'warm_start_rounds': 20, **changes}
    return config.find_warm_start_baseline(config.resolve(TrainConfig(**given)))

  def test_fedavg_trains_the_same_rounds(self):
    self.assertEqual(self._find(), 'fedavg')

  @parameterized.parameters(
    {'baselines': ('local_only', 'mtl')},
    {'baselines': None},
    {'warm_start_rounds': 0},
    {'warm_start_rounds': 15},  # The baseline is evaluated after every tenth round.
    {'warm_start_from': 'runs/fedavg'},
    {'warm_start_until': 'validation/accuracy>=0.9'},
    {'rounds_until': 'validation/accuracy>=0.9'},
    {'early_stopping_rounds': 20},
    {'client_schedule': 'cosine'},
    {'tune': 'validation'},
    {'client_store': 'disk'},
    {'aggregator': 'dp_mean', 'dp_sigma': 0.1},
    {'global_layers': ('auto',)},
  )
  def test_the_rounds_of_others_are_not_the_same(self, **changes):
    self.assertIsNone(self._find(**changes))


if __name__ == '__main__':
  absltest.main()
