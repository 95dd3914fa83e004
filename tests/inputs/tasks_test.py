"""Tests of what a run trains on: its data, their models and the paper's splits."""

from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import config as config_lib
from tff_lg import data
from tff_lg.inputs import tasks
from tff_lg.tasks import TASKS


def _config(**changes):
  return config_lib.resolve(config_lib.TrainConfig(num_clients=5, **changes))


def _global_layers(config, names):
  return tasks.global_layers(config.task_options, config.method_options, names)


def _auxiliary(config, federated_data):
  return tasks.build_auxiliary(config.input_options, config.method_options, federated_data)


def _images(*shape, num_classes=10) -> data.FederatedData:
  """Makes no clients, and a test set of one image of this shape."""
  test = data.Examples(np.zeros([1, *shape], np.float32), np.zeros([1], np.int32))
  names = tuple(f'class {label}' for label in range(num_classes))
  return data.FederatedData((), test, num_classes, names)


class TasksTest(parameterized.TestCase):
  def test_folds_of_patients_are_standardised_without_test_patients(self):
    config = config_lib.resolve(config_lib.TrainConfig(task='diabetes', folds=3, fold=1))
    found = tasks.load_data(config.input_options)
    kept = data.concatenate([part for c in found.clients for part in (c.train, c.validation)])
    np.testing.assert_allclose(kept.x.mean(axis=0), 0, atol=1e-5)

  @parameterized.parameters(
    ({'task': 'digits'}, (8, 8, 1), 2 * (64 * 64 + 64) + 64 * 32 + 32 + 32 * 10 + 10, 6_570),
    ({'task': 'mnist'}, (28, 28, 1), 633_226, 99_978),
    ({'task': 'cifar10'}, (32, 32, 3), 64_102, 2_872),
    ({'task': 'cifar10', 'model': 'resnet18'}, (32, 32, 3), 11_173_962, 11_173_962 - 5_130),
    ({'task': 'arrays', 'data_dir': 'd'}, (5,), 5 * 64 + 64 + 6_570, 6_570),
  )
  def test_model_and_its_split(self, changes, shape, num_weights, num_global):
    config = _config(**changes)
    model = tasks.build_model(config.input_options, _images(*shape))
    model = model.with_global_layers(tasks.own_global_layers(config.task_options))
    global_weights, local_weights = model.split(model.initial_weights)
    self.assertEqual(sum(weight.size for weight in global_weights), num_global)
    self.assertEqual(sum(weight.size for weight in local_weights), num_weights - num_global)

  def test_names_that_no_file_can_hold(self):
    folder = self.create_tempdir().full_path
    config = config_lib.resolve(
      config_lib.TrainConfig(task='arrays', data_dir=folder, partition='natural')
    )
    y = np.arange(20, dtype=np.int32) % 2
    for users, classes, what in (
      (['a', 'b'], ['cat', 'dog\ud800'], r"class 'dog.ud800'"),
      (['a\udcff', 'b'], ['cat', 'dog'], r"client 'a.udcff'"),
    ):
      examples = data.Examples(np.zeros([20, 1], np.float32), y, np.repeat(users, 10))
      source = data.Source('arrays', examples, examples, 2, tuple(classes))
      federated_data = data.partition_clients(
        source, data.partitioners.natural(), validation_fraction=0.1, seed=0
      )
      with mock.patch.object(data, 'partition_clients', return_value=federated_data):
        with mock.patch.object(data, 'load_source', return_value=source):
          with self.assertRaisesRegex(ValueError, f'data of {folder} have the {what}, whose name'):
            tasks.load_data(config.input_options)

  def test_layers_that_are_global(self):
    names = tasks.build_model(_config().input_options, _images(8, 8, 1)).layer_names
    self.assertEqual(names, ('hidden_1', 'hidden_2', 'hidden_3', 'output'))
    for changes, expected in (
      ({}, names[1:]),
      ({'global_layers': ('output',)}, names[3:]),
      ({'global_layers': ('hidden_[23]', 'output', 'hidden_.*')}, (*names[1:], names[0])),
      ({'global_layers': ('hidden',)}, ('hidden',)),
      ({'local_layer_share': 0.5}, names[2:]),
      ({'local_layer_share': 0.0}, names),
    ):
      self.assertEqual(_global_layers(_config(**changes), names), expected)

  def test_hidden_units_and_the_half_of_them_that_is_global(self):
    for units, expected in (
      ((4,), ('hidden_1', 'output')),
      ((4, 4), ('hidden_2', 'output')),
      ((5, 4, 4, 4), ('hidden_3', 'hidden_4', 'output')),
      ((), ('output',)),
    ):
      config = _config(hidden_units=units)
      self.assertEqual(tasks.own_global_layers(config.task_options), expected)
      model = tasks.build_model(config.input_options, _images(8, 8, 1))
      self.assertLen(model.layer_names, len(units) + 1)
    cnn = tasks.build_model(_config(model='cnn').input_options, _images(8, 8, 1))
    self.assertEqual(cnn.layer_names, ('conv_1', 'conv_2', 'fc_1', 'output'))

  def test_layers_of_a_network_of_ones_own(self):
    own = _config(model='my_module:build')
    for num_layers, num_local in ((2, 1), (3, 1), (4, 1), (5, 2), (6, 2), (8, 3)):
      names = tuple('abcdefgh'[:num_layers])
      self.assertEqual(_global_layers(own, names), names[num_local:])
    with self.assertRaisesRegex(ValueError, 'has one layer with trained weights, head, which'):
      _global_layers(own, ('head',))

  def test_pattern_that_is_none(self):
    with self.assertRaisesRegex(ValueError, r'--global_layers has hidden_\(, expected names'):
      _global_layers(_config(global_layers=('hidden_(',)), ('hidden_1',))

  def test_shares_of_layers_are_rounded_up_from_the_half(self):
    names = tasks.build_model(_config().input_options, _images(8, 8, 1)).layer_names
    for share, num_local in ((0.12, 0), (0.125, 1), (0.375, 2), (0.625, 3), (0.87, 3)):
      config = _config(local_layer_share=share)
      self.assertEqual(_global_layers(config, names), names[num_local:])
    sentence = '--local_layer_share is 0.9, which makes all 4 layers local: .* less than 0.875'
    with self.assertRaisesRegex(ValueError, sentence):
      _global_layers(_config(local_layer_share=0.9), names)

  def test_only_cifar10_is_augmented(self):
    augmented = [name for name, task in TASKS.items() if task.augment]
    self.assertEqual(augmented, ['cifar10'])

  def test_size_of_the_output_is_that_of_the_data(self):
    model = tasks.build_model(_config().input_options, _images(8, 8, 1, num_classes=3))
    self.assertEqual(model.initial_weights[-1].shape, (3,))

  def test_seed_decides_the_initial_weights(self):
    one, same, other = (
      tasks.build_model(_config(seed=seed).input_options, _images(8, 8, 1)).initial_weights
      for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one[0], same[0])
    self.assertFalse(np.array_equal(one[0], other[0]))

  def test_reference_protocol_ends_in_a_softmax(self):
    x = np.ones([2, 8, 8, 1], np.float32)
    sums = {}
    for protocol in config_lib.PROTOCOLS:
      model = tasks.build_model(_config(protocol=protocol).input_options, _images(8, 8, 1))
      outputs = testing.in_graph(lambda m=model: m.predict(m.initial_weights, x, training=False))
      sums[protocol] = outputs.sum(axis=1)
    np.testing.assert_allclose(sums['reference'], [1, 1], rtol=1e-5)
    self.assertGreater(np.abs(sums['validation'] - 1).max(), 0.01)


class AuxiliaryTest(parameterized.TestCase):
  def _build(self, shape=(8, 8, 1), **changes):
    config, data_ = _config(**changes), _images(*shape)
    return tasks.build_model(config.input_options, data_), _auxiliary(config, data_)

  def test_there_is_none_by_default(self):
    self.assertIsNone(self._build()[1])

  @parameterized.parameters(('supervised', 10), ('autoencoder', 64), ('jigsaw', 24))
  def test_works_on_the_local_layers_of_the_model(self, kind, num_outputs):
    model, network = self._build(auxiliary=kind, auxiliary_units=(9,))
    of_model = [name for name in network.weight_names if name not in network.own_weights]
    self.assertEqual(of_model, ['hidden_1/kernel', 'hidden_1/bias'])
    self.assertContainsSubset(of_model, model.weight_names)
    shapes = [weight.shape for weight in network.own_weights.values()]
    self.assertEqual(shapes, [(64, 9), (9,), (9, num_outputs), (num_outputs,)])

  def test_seed_decides_its_initial_weights(self):
    one, same, other = (
      self._build(auxiliary='jigsaw', seed=seed)[1].own_weights['auxiliary/output/kernel']
      for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    self.assertFalse(np.array_equal(one, other))

  def test_layers_that_the_user_names(self):
    _, network = self._build(
      (32, 32, 3), task='cifar10', auxiliary='jigsaw', global_layers=('fc_2', 'output')
    )
    self.assertIn('fc_1/kernel', network.weight_names)
    with self.assertRaisesRegex(ValueError, 'below the global layers conv_1, conv_2 out of'):
      self._build((32, 32, 3), task='cifar10', auxiliary='jigsaw')

  def test_next_words(self):
    small = {'sequence_length': 4, 'embedding_units': 3, 'lstm_units': (5, 4)}
    config = config_lib.resolve(
      config_lib.TrainConfig(task='text', vocabulary_size=30, auxiliary='supervised', **small)
    )
    data_ = tasks.load_data(config.input_options)
    model = tasks.build_model(config.input_options, data_)
    network = _auxiliary(config, data_)
    self.assertEqual(network.own_weights['auxiliary/output/kernel'].shape, (64, 30))
    self.assertContainsSubset(
      set(network.weight_names) - {*network.own_weights}, model.weight_names
    )


class LoadDataTest(parameterized.TestCase):
  @parameterized.parameters('iid', 'shards', 'classes_per_client', 'dirichlet')
  def test_partitions_of_digits(self, partition):
    federated_data = tasks.load_data(_config(partition=partition).input_options)
    self.assertLen(federated_data.clients, 5)
    self.assertEqual(federated_data.test.x.shape[1:], (8, 8, 1))
    held, kept = (
      sum(len(getattr(client, part)) for client in federated_data.clients)
      for part in ('validation', 'train')
    )
    self.assertAlmostEqual(held / (held + kept), 0.1, delta=0.01)

  def test_classes_per_client(self):
    federated_data = tasks.load_data(_config(classes_per_client=3).input_options)
    num_classes = (federated_data.label_counts() > 0).sum(axis=1)
    self.assertBetween(num_classes.max(), 1, 3)

  def test_natural_partition_of_the_users_own_arrays(self):
    folder = self.create_tempdir().full_path
    np.savez(
      f'{folder}/train.npz',
      x=np.arange(24.0).reshape(12, 2),
      y=np.array([0, 1] * 6),
      users=np.array(['ann'] * 4 + ['bob'] * 8),
    )
    config = config_lib.resolve(
      config_lib.TrainConfig(task='arrays', data_dir=folder, partition='natural')
    )
    clients = tasks.load_data(config.input_options).clients
    self.assertEqual([client.client_id for client in clients], ['ann', 'bob'])

  def test_data_without_examples_to_choose_models_by_are_refused(self):
    folder = self.create_tempdir().full_path
    # One example a class: none of them is held out.
    np.savez(f'{folder}/train.npz', x=np.ones([10, 2]), y=np.arange(10))
    for protocol, part in (('validation', 'validation'), ('reference', 'test')):
      config = _config(task='arrays', data_dir=folder, partition='iid', protocol=protocol)
      with self.assertRaisesRegex(ValueError, f"clients' {part} examples, but no client has any"):
        tasks.load_data(config.input_options)

  def test_seed_decides_the_partition(self):
    one, same, other = (
      tasks.load_data(_config(seed=seed).input_options).clients[0].train.x.sum()
      for seed in (1, 1, 2)
    )
    self.assertEqual(one, same)
    self.assertNotEqual(one, other)


if __name__ == '__main__':
  absltest.main()
