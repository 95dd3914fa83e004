"""Tests of the options of data that come split by client."""

from absl.testing import absltest, parameterized

from tff_lg import config as config_lib


def _resolve(**changes):
  options = {'task': 'client_files', 'data_dir': 'd', 'num_classes': 3, **changes}
  return config_lib.resolve(config_lib.TrainConfig(**options))


class ClientFilesOptionsTest(parameterized.TestCase):
  def test_defaults(self):
    config = _resolve()
    self.assertEqual((config.partition, config.model), ('natural', 'mlp'))
    self.assertEqual((config.test_fraction, config.validation_fraction), (0.2, 0.1))
    self.assertEqual(config.client_cache, 1000)
    self.assertIsNone(config.num_clients)
    self.assertIsNone(config.clients_per_round)
    self.assertIsNone(config.max_evaluated_clients)

  def test_other_tasks_have_none(self):
    config = config_lib.resolve(config_lib.TrainConfig(max_evaluated_clients=0))
    self.assertIsNone(config.client_cache)
    self.assertIsNone(config.test_fraction)

  def test_fast_is_on_digits(self):
    config = config_lib.TrainConfig(
      task='client_files', data_dir='d', num_classes=3, client_cache=5, max_evaluated_clients=4
    )
    fast = config_lib.resolve(config_lib.fast(config))
    self.assertEqual((fast.task, fast.client_cache), ('digits', None))
    self.assertEqual(fast.max_evaluated_clients, 4)

  @parameterized.parameters(
    ({'data_dir': None}, 'needs --data_dir'),
    ({'num_classes': None}, 'needs --num_classes'),
    ({'num_classes': 1}, '--num_classes is 1, expected 2 or more'),
    ({'partition': 'iid'}, '--partition is iid, but --task=client_files'),
    ({'partition': 'natural_iid'}, '--partition is natural_iid'),
    ({'num_clients': 3}, '--num_clients is given'),
    ({'protocol': 'reference'}, '--protocol=reference'),
    ({'attack': 'label_flip', 'malicious_share': 0.1}, '--attack is label_flip'),
    ({'test_fraction': 1.0}, '--test_fraction is 1.0'),
    ({'validation_fraction': 0.0}, '--validation_fraction is 0'),
    ({'example_keys': ('x',)}, '--example_keys is x, expected two names'),
    ({'example_shape': (28, 0)}, '--example_shape is 28,0'),
    ({'client_cache': -1}, '--client_cache is -1'),
    ({'max_evaluated_clients': -1}, '--max_evaluated_clients is -1'),
    ({'model': 'resnet18'}, '--model is resnet18, but --task=client_files has mlp or lenet'),
    ({'task': 'arrays'}, '--num_classes is given, but --task is arrays'),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      _resolve(**changes)


if __name__ == '__main__':
  absltest.main()
