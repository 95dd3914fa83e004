"""Tests of the config of a new-device run."""

from absl.testing import absltest, parameterized

from tff_lg import config, data


class NewDeviceConfigTest(parameterized.TestCase):
  def test_names_are_those_of_the_library(self):
    self.assertEqual(config.TRANSFORMS, tuple(data.TRANSFORMATIONS))

  def test_defaults_are_the_papers(self):
    found = config.NewDeviceConfig()
    self.assertEqual((found.transform, found.old_clients_share), ('rotate90', (0.0, 0.1)))
    self.assertEqual((found.train_examples, found.test_examples, found.rounds), (3000, 500, 500))

  @parameterized.parameters(
    ({'transform': 'mirror'}, '--transform is mirror, expected one of rotate90, '),
    ({'train_examples': 0}, '--train_examples is 0, expected more than 0'),
    ({'rounds': -1}, '--rounds is -1, expected more than 0'),
    ({'evaluate_every': 0}, '--evaluate_every is 0'),
    ({'seed': -1}, '--seed is -1, expected 0 or more'),
    ({'old_clients_share': ()}, '--old_clients_share is empty, expected one or more'),
    ({'old_clients_share': (0.1, 1.5)}, r'--old_clients_share is 0.1,1.5, .* in \[0, 1\]'),
    ({'old_clients_share': (0.1, 0.1)}, '--old_clients_share is 0.1,0.1, .* different'),
    ({'own_models': ('tree',)}, '--own_models is tree, expected one of network, linear, boosting'),
    ({'local_only_epochs': 0}, '--local_only_epochs is 0, expected more than 0'),
    ({'from_run': ('a', 'a')}, '--from_run is a,a, expected each folder once'),
  )
  def test_refuses(self, fields, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.NewDeviceConfig(**fields)

  @parameterized.parameters(
    (
      {'aggregator': 'median'},
      '--from_run=r has --aggregator=median, expected a run with',
    ),
    (
      {'task': 'client_files', 'data_dir': 'd', 'num_classes': 3, 'method': 'fedavg'},
      '--from_run=r is a run of --task=client_files, expected one whose clients are all in memory',
    ),
    ({'attack': 'sign_flip'}, 'has --attack=sign_flip, expected a run with the mean and without'),
    (
      {'task': 'embeddings', 'embeddings': 'e.npz', 'model': 'cgau_shared'},
      '--model=cgau_shared, with shifts',
    ),
  )
  def test_refuses_source_runs(self, fields, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.check_new_device('r', config.resolve(config.TrainConfig(**fields)))

  def test_takes_other_source_runs(self):
    for method in ('fedavg', 'fedprox', 'lg_fedavg', 'mtl'):
      config.check_new_device('r', config.resolve(config.TrainConfig(method=method)))

  def test_fast(self):
    fast = config.fast_new_device(config.NewDeviceConfig(transform='invert', rounds=2))
    self.assertEqual((fast.transform, fast.rounds), ('invert', 2))
    self.assertEqual((fast.train_examples, fast.test_examples), (100, 50))
    self.assertEqual((fast.evaluate_every, fast.checkpoint_every), (1, 1))


if __name__ == '__main__':
  absltest.main()
