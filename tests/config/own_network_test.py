"""Tests of what a network of the user's own fits."""

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig

_MODEL = 'my_module:build'


class OwnNetworkTest(parameterized.TestCase):
  @parameterized.parameters('digits', 'mnist', 'cifar10', 'table')
  def test_stays_as_it_is(self, task):
    resolved = config.resolve(TrainConfig(task=task, model=_MODEL))
    self.assertEqual(resolved.model, _MODEL)
    self.assertTrue(config.is_own_network(resolved.model))
    fast = config.resolve(config.fast(resolved))
    self.assertEqual((fast.task, fast.model), ('digits', _MODEL))

  def test_networks_of_ours_are_none(self):
    for model in (None, 'lenet', 'cgau_local'):
      self.assertFalse(config.is_own_network(model))

  @parameterized.parameters(
    ({'model': 'my_module:'}, 'my_module:, expected a module and its function'),
    ({'model': 'my module:build'}, 'expected a module and its function, such as my_module:build'),
    ({'model': 'a:b:c'}, 'expected a module and its function'),
    ({'task': 'mood'}, '--model is my_module:build, but --task=mood has networks of its own'),
    ({'protocol': 'reference'}, 'but --protocol=reference has the networks of the LG-FedAvg'),
    ({'auxiliary': 'supervised'}, 'but --auxiliary=supervised fits our networks alone'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**{'model': _MODEL, **changes}))


if __name__ == '__main__':
  absltest.main()
