"""Tests of the options of a run that picks its split itself."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig


class SplitOptionsTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'method': 'fedavg'}, '--method is fedavg: only --method=lg_fedavg has a split to pick'),
    ({'method': 'fedavg', 'baselines': ('lg_fedavg',)}, '--method is fedavg: only'),
    ({'method': 'local_only', 'warm_start_rounds': 0}, '--method is local_only: only'),
    ({'method': 'mtl'}, '--method is mtl: only'),
    ({'task': 'embeddings', 'model': 'cgau_local'}, '--model=cgau_local has the client.s shifts'),
    ({'warm_start_rounds': 0}, 'expected --warm_start_rounds of 1 or more, found 0'),
    ({'protocol': 'reference'}, 'validation data, but --protocol=reference has none'),
    ({'auxiliary': 'supervised'}, '--auxiliary=supervised needs the first layers local'),
    ({'aggregator': 'dp_mean'}, '--aggregator=dp_mean does not cover'),
    ({'attack': 'sign_flip'}, '--attack=sign_flip would influence the choice'),
    ({'auto_rounds': 0}, '--auto_rounds is 0, expected more than 0'),
    ({'local_layer_share': 0.5}, 'both say which layers are global'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**{'global_layers': ('auto',), 'warm_start_rounds': 2} | changes))

  def test_splits_are_tried_for_a_few_rounds(self):
    for rounds, expected in ((100, 20), (7, 7)):
      auto = config.resolve(
        TrainConfig(global_layers=('auto',), warm_start_rounds=2, rounds=rounds)
      )
      self.assertEqual((auto.picks_split, auto.auto_rounds), (True, expected))
      self.assertEqual(config.resolve(auto), auto)
      self.assertFalse(config.as_baseline(auto, 'local_only').picks_split)
      self.assertTrue(config.resolve(config.fast(auto)).picks_split)
      self.assertIsNone(config.as_baseline(auto, 'local_only').auto_rounds)

  def test_rounds_without_a_choice_are_refused(self):
    sentence = '--auto_rounds is given, but it belongs to --global_layers=auto'
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(auto_rounds=5))


if __name__ == '__main__':
  absltest.main()
