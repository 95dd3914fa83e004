"""Tests of the options of own models."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig


class OwnModelOptionsTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'local_only_epochs': 0}, '--local_only_epochs is 0, expected more than 0'),
    ({'local_only_patience': -1}, '--local_only_patience is -1, expected more than 0'),
    ({'own_models': ()}, '--own_models is empty, expected one value or more'),
    ({'own_models': ('linear', 'linear')}, '--own_models is linear,linear, expected'),
    ({'own_models': ('tree',)}, '--own_models is tree, expected one of network, linear, boosting'),
    ({'local_only_learning_rate': (0.1, float('inf'))}, '_rate is inf, expected a finite number'),
    ({'local_only_epochs': 5, 'baselines': ()}, 'no own models are trained: it belongs to'),
    ({'own_models': ('linear',), 'local_budget': 'cohort'}, 'belongs to --local_budget=best'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**changes))

  def test_defaults(self):
    resolved = config.resolve(TrainConfig())
    self.assertEqual((resolved.local_only_epochs, resolved.local_only_patience), (200, 20))
    self.assertIsNone(resolved.own_models)
    self.assertEqual(config.resolve(resolved), resolved)
    self.assertTrue(config.as_baseline(resolved, 'local_only').trains_to_best)
    self.assertFalse(resolved.trains_to_best)
    for changes in ({'baselines': ()}, {'local_budget': 'cohort'}):
      other = config.resolve(TrainConfig(**changes))
      self.assertIsNone(other.local_only_epochs)
      self.assertFalse(config.as_baseline(other, 'local_only').trains_to_best and other.baselines)

  def test_other_baselines_have_no_own_models(self):
    resolved = config.resolve(TrainConfig(baselines=('local_only', 'fedavg')))
    self.assertIsNone(config.as_baseline(resolved, 'fedavg').local_only_epochs)

  def test_without_baselines(self):
    alone = config.without_baselines(config.resolve(TrainConfig()))
    self.assertEqual((alone.baselines, alone.local_only_epochs), ((), None))
    self.assertEqual(config.resolve(alone), alone)
    own = config.resolve(TrainConfig(method='local_only'))
    self.assertEqual(config.without_baselines(own), own)

  def test_as_own_models(self):
    source = config.resolve(TrainConfig(method='fedavg', baselines=(), tune='validation'))
    own = config.as_own_models(source, config.AdaptConfig(own_models=('linear',)))
    self.assertTrue(own.trains_to_best)
    self.assertEqual((own.own_models, own.local_only_epochs, own.tune), (('linear',), 200, 'none'))


if __name__ == '__main__':
  absltest.main()
