"""Tests of the task `embeddings`: whose each example is, and the four networks."""

import os

import numpy as np
from absl.testing import absltest, parameterized

from tests.simulation import testing
from tff_lg import config as config_lib
from tff_lg import heterogeneity, seeds
from tff_lg.inputs import tasks

# Row r is (r, -r) and of class r mod 2; the first ten rows are for training.
_ROWS = np.arange(16)
_EMBEDDED = testing.embedding_set(np.stack([_ROWS, -_ROWS], axis=1), _ROWS % 2, num_train=10)
# Client 1 has a test example, but nothing to train on; clients 2 and 3 move up.
_CLIENTS = (0, 0, 0, 0, 2, 2, 2, 3, 3, 3, 0, 0, 1, 2, 3, 3)


def _config(folder, **changes):
  path = os.path.join(folder, 'set.npz')
  values = {'task': 'embeddings', 'embeddings': path, 'hidden_units': (3, 2), **changes}
  return config_lib.resolve(config_lib.TrainConfig(**values))


def _rows(*examples) -> list[int]:
  """Returns which rows of the set these are, by their first feature."""
  return sorted(int(row) for part in examples for row in part.x[:, 0])


def _trained_on(federated_data) -> list[list[int]]:
  return [_rows(client.train, client.validation) for client in federated_data.clients]


class LoadDataTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    _EMBEDDED.save(os.path.join(self.folder, 'set.npz'))

  def _load_with_file(self, **changes):
    path = testing.save_clients(self.folder, _EMBEDDED, _CLIENTS, num_clients=4)
    return tasks.load_data(_config(self.folder, clients=path, **changes).input_options)

  def test_clients_of_the_file(self):
    loaded = self._load_with_file()
    self.assertEqual(
      [client.client_id for client in loaded.clients], ['client_000', 'client_002', 'client_003']
    )
    self.assertEqual(_trained_on(loaded), [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]])
    self.assertEqual([_rows(client.test) for client in loaded.clients], [[10, 11], [13], [14, 15]])
    # The common test set has the example of the client that was left out, too.
    self.assertEqual(_rows(loaded.test), [10, 11, 12, 13, 14, 15])
    self.assertEqual((loaded.num_classes, loaded.class_names), (2, ('class 0', 'class 1')))
    for part in (loaded.test, *(client.train for client in loaded.clients)):
      np.testing.assert_array_equal(part.y, part.x[:, 0] % 2)

  @parameterized.parameters('dense', 'gated', 'cgau_local')
  def test_features_as_they_are(self, model):
    loaded = self._load_with_file(model=model)
    self.assertEqual(loaded.test.x.shape, (6, 2))
    self.assertEqual(loaded.clients[0].train.x.shape[1], 2)

  def test_cgau_shared_has_the_index_of_the_client(self):
    loaded = self._load_with_file(model='cgau_shared', validation_fraction=0.5)
    self.assertGreater(len(loaded.clients[0].validation), 0)
    for index, client in enumerate(loaded.clients):
      for part in (client.train, client.validation, client.test):
        self.assertEqual(part.x.shape, (len(part), 3))
        np.testing.assert_array_equal(part.x[:, 1], -part.x[:, 0])
        np.testing.assert_array_equal(part.x[:, 2], np.full(len(part), index))
    np.testing.assert_array_equal(loaded.test.x[:, 2], np.full(6, -1))
    self.assertEqual(_trained_on(loaded), _trained_on(self._load_with_file()))

  def test_clusters_are_those_of_the_simulation(self):
    config = _config(self.folder, num_clients=2, shuffled_share=0.5, seed=3)
    loaded = tasks.load_data(config.input_options)
    embedded, seed = _EMBEDDED, seeds.derive_seed(3, seeds.Purpose.PARTITION)
    simulated = heterogeneity.simulate_clients(
      embedded.x, embedded.y, embedded.split, num_clients=2, shuffled_share=0.5, seed=seed
    ).client
    self.assertLen(loaded.clients, 2)
    for index, client in enumerate(loaded.clients):
      mine = np.flatnonzero(simulated == index)
      self.assertEqual(_rows(client.train, client.validation), mine[mine < 10].tolist())
      self.assertEqual(_rows(client.test), mine[mine >= 10].tolist())

  def test_iid_spreads_evenly(self):
    loaded = tasks.load_data(_config(self.folder, partition='iid', num_clients=5).input_options)
    trained_on = _trained_on(loaded)
    self.assertEqual([len(rows) for rows in trained_on], [2] * 5)
    self.assertEqual(sorted(sum(trained_on, [])), list(range(10)))

  def test_embeddings_that_are_not_there(self):
    with self.assertRaisesRegex(ValueError, r'nowhere.npz: no such file, .* pipelines.embed'):
      tasks.load_data(_config('', embeddings='nowhere.npz').input_options)

  def test_clients_that_are_not_there(self):
    with self.assertRaisesRegex(OSError, 'nowhere.npz'):
      tasks.load_data(_config(self.folder, clients='nowhere.npz').input_options)

  def test_clients_of_other_examples(self):
    other = _EMBEDDED.take(np.arange(14))
    path = testing.save_clients(self.folder, other, _CLIENTS[:14], num_clients=4)
    with self.assertRaisesRegex(
      ValueError, 'clients.npz does not fit .*set.npz: 2 of 16 examples have no client.* e14'
    ):
      tasks.load_data(_config(self.folder, clients=path).input_options)


class ModelTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    _EMBEDDED.save(os.path.join(self.folder, 'set.npz'))

  @parameterized.parameters(
    # Two features, layers of 3 and 2 units, two classes, three clients.
    ('dense', (2 * 3 + 3) + (3 * 2 + 2) + 6, 0),
    ('gated', 2 * (2 * 3 + 3) + 2 * (3 * 2 + 2) + 6, 0),
    ('cgau_shared', 2 * (2 * 3 + 3) + 2 * (3 * 2 + 2) + 6 + 3 * (6 + 4), 0),
    ('cgau_local', 2 * (2 * 3 + 3) + 2 * (3 * 2 + 2) + 6, 6 + 4),
  )
  def test_networks_and_their_split(self, name, num_global, num_local):
    path = testing.save_clients(self.folder, _EMBEDDED, _CLIENTS, num_clients=4)
    config = _config(self.folder, clients=path, model=name)
    model = tasks.build_model(config.input_options, tasks.load_data(config.input_options))
    model = model.with_global_layers(tasks.own_global_layers(config.task_options))
    sizes = [sum(w.size for w in side) for side in model.split(model.initial_weights)]
    self.assertEqual(sizes, [num_global, num_local])

  @parameterized.parameters('dense', 'gated', 'cgau_local')
  def test_dropout_and_seed(self, name):
    weights = []
    for rate, seed in ((0.5, 1), (0.0, 1), (0.0, 2)):
      config = _config(self.folder, num_clients=2, model=name, dropout_rate=rate, seed=seed)
      model = tasks.build_keras_model(config.input_options, tasks.load_data(config.input_options))
      names = {layer.name for layer in model.layers}
      self.assertEqual({'dropout_1', 'dropout_2'} <= names, rate > 0)
      weights.append(model.get_layer('output').get_weights()[0])
    np.testing.assert_array_equal(weights[0], weights[1])
    self.assertFalse(np.array_equal(weights[1], weights[2]))

  def test_one_hidden_layer(self):
    for name, layer in (('dense', 'hidden_1'), ('gated', 'gated_1')):
      config = _config(self.folder, model=name, hidden_units=(7,))
      self.assertEqual(tasks.own_global_layers(config.task_options), (layer, 'output'))


if __name__ == '__main__':
  absltest.main()
