"""Tests of configs that are made of another."""

from absl.testing import absltest

from tff_lg import config
from tff_lg.config import TrainConfig


class AsBaselineTest(absltest.TestCase):
  def test_has_the_budget_but_not_what_belongs_to_the_method(self):
    own = config.resolve(
      config.TrainConfig(rounds=3, warm_start_rounds=4, global_layers=('output',), seed=2)
    )
    baseline = config.as_baseline(own, 'local_only')
    self.assertEqual(
      (baseline.method, baseline.rounds, baseline.warm_start_rounds), ('local_only', 7, 0)
    )
    self.assertEqual((baseline.baselines, baseline.global_layers, baseline.seed), ((), None, 2))
    self.assertEqual(config.resolve(baseline), baseline)


class FastTest(absltest.TestCase):
  def test_keeps_method_and_options_on_a_few_digits(self):
    slow = TrainConfig(
      task='mnist', data_dir='/data', method='fedprox', rounds=500, warm_start_rounds=1, seed=3
    )
    fast = config.resolve(config.fast(slow))
    self.assertEqual((fast.task, fast.data_dir, fast.num_clients), ('digits', None, 10))
    self.assertEqual((fast.rounds, fast.warm_start_rounds), (3, 1))
    self.assertEqual((fast.method, fast.seed), ('fedprox', 3))

  def test_every_method_and_partition(self):
    for method in config.METHODS:
      for partition in config.PARTITIONS:
        config.resolve(config.fast(TrainConfig(method=method, partition=partition)))

  def test_own_models_where_nothing_is_sent(self):
    fast = config.resolve(config.fast(TrainConfig(baselines=(), local_layer_share=1.0)))
    self.assertEqual((fast.method, fast.local_only_epochs), ('local_only', 3))

  def test_bad_numbers_are_still_refused(self):
    with self.assertRaisesRegex(config.ConfigError, '--rounds is -5'):
      config.resolve(config.fast(TrainConfig(rounds=-5)))


if __name__ == '__main__':
  absltest.main()
