"""Tests of the tasks on text: data, model, and what the process makes of them."""

import dataclasses
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import config as config_lib
from tff_lg import learning, seeds, simulation
from tff_lg.compatibility import tff
from tff_lg.inputs import tasks
from tff_lg.learning import evaluation
from tff_lg.scoring import scores
from tff_lg.training import client_data


def setUpModule():
  simulation.set_execution_context()


def _config(**changes):
  small = {'sequence_length': 8, 'embedding_units': 8, 'lstm_units': (8, 8)}
  return config_lib.resolve(config_lib.TrainConfig(**{'task': 'text', **small, **changes}))


class LoadDataTest(parameterized.TestCase):
  def test_words(self):
    loaded = tasks.load_data(_config(vocabulary_size=30).input_options)
    self.assertEqual((len(loaded.clients), loaded.num_classes), (20, 30))
    self.assertEqual(loaded.test.x.shape[1:], (8,))
    self.assertIn('.', loaded.class_names)

  def test_characters(self):
    loaded = tasks.load_data(_config(task='chars').input_options)
    self.assertTrue(all(len(token) == 1 for token in loaded.class_names[2:]))

  def test_users_of_tff(self):
    train = tff.simulation.datasets.shakespeare.get_synthetic()
    test = tff.simulation.datasets.TestClientData(
      {name: {'snippets': [b'Away!']} for name in train.client_ids}
    )
    with mock.patch.object(
      tff.simulation.datasets.shakespeare, 'load_data', return_value=(train, test)
    ) as load_data:
      loaded = tasks.load_data(
        _config(text_source='tff_shakespeare', data_dir='cache').input_options
      )
    load_data.assert_called_once_with(cache_dir='cache')
    self.assertEqual([client.client_id for client in loaded.clients], sorted(train.client_ids))
    # Of seven lines the last is for testing: "away", "!", and its end.
    self.assertEqual((loaded.clients[0].test.y != 0).sum(), 3)

  def test_a_draw_of_users(self):
    first, second = (
      {
        client.client_id
        for client in tasks.load_data(_config(max_users=8, seed=s).input_options).clients
      }
      for s in (0, 1)
    )
    self.assertLen(first, 8)
    self.assertNotEqual(first, second)

  def test_iid_twin(self):
    natural, twin = (
      tasks.load_data(_config(partition=partition).input_options)
      for partition in ('natural', 'natural_iid')
    )
    self.assertEqual(
      [len(client.train) for client in natural.clients],
      [len(client.train) for client in twin.clients],
    )
    self.assertFalse(np.array_equal(natural.clients[0].train.x, twin.clients[0].train.x))
    np.testing.assert_array_equal(natural.test.x, twin.test.x)


class ModelTest(parameterized.TestCase):
  @parameterized.parameters((False, 'output'), (True, 'embedding'))
  def test_split_of_lg_fedavg(self, tied, output):
    config = _config(tied_embeddings=tied, vocabulary_size=30)
    layers = tasks.own_global_layers(config.task_options)
    self.assertEqual(layers, ('lstm_2', output))
    model = tasks.build_model(
      config.input_options, tasks.load_data(config.input_options)
    ).with_global_layers(layers)
    global_weights, _ = model.split(model.initial_weights)
    self.assertEqual(global_weights[0 if tied else -2].size, 8 * 30)


class ProcessTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    config = _config(vocabulary_size=30)
    cls.data = tasks.load_data(config.input_options)
    cls.model = tasks.build_model(config.input_options, cls.data)
    settings = testing.settings(batches=learning.TensorBatches(4, num_epochs=2), learning_rate=1.0)
    # Batches of three, so that the last one is smaller.
    settings = dataclasses.replace(
      settings, evaluation_batches=learning.TensorBatches(3, shuffle=False)
    )
    cls.process = learning.build_local_global_process(cls.model, settings)
    cls.train = [client_data.to_tensors(client.train) for client in cls.data.clients[:4]]
    cls.states = [cls.process.initialize_client(cls.model.initial_weights)] * 4
    cls.start = cls.process.initialize(cls.model.initial_weights)

  def _logits(self, client):
    return testing.in_graph(
      lambda: self.model.predict(
        self.model.initial_weights, self.data.clients[client].train.x, training=False
      )
    )

  def test_evaluation_counts_tokens(self):
    results = self.process.evaluate(self.start, self.states, self.train)
    for client in (0, 3):
      y, logits = self.data.clients[client].train.y, self._logits(client)
      log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
      of_label = np.take_along_axis(log_p, y[..., np.newaxis], axis=-1)[..., 0]
      right = (logits.argmax(axis=-1) == y) & (y != 1)
      self.assertEqual(results[client]['num_examples'], (y != 0).sum())
      self.assertAlmostEqual(results[client]['loss'], -of_label[y != 0].mean(), places=4)
      self.assertAlmostEqual(results[client]['accuracy'], right[y != 0].mean(), places=5)

  def test_training_learns_and_counts_tokens(self):
    state, losses = self.start, []
    for round_num in range(4):
      data = [
        tensors._replace(seed=seeds.tensor_seed(0, seeds.Purpose.SHUFFLING, round_num, client))
        for client, tensors in enumerate(self.train)
      ]
      output = self.process.next(state, self.states, data)
      state = output.server_state
      losses.append(float(output.metrics.loss))
    num_tokens = sum(int((client.train.y != 0).sum()) for client in self.data.clients[:4])
    self.assertEqual(output.metrics.num_examples, 2 * num_tokens)
    self.assertAlmostEqual(losses[0], np.log(30), delta=0.6)
    self.assertLess(losses[-1], losses[0] - 0.4)

  def test_fedavg_counts_a_client_by_its_tokens(self):
    settings = testing.settings(learning_rate=1.0)
    process = learning.build_local_global_process(self.model, settings)
    start = process.initialize(self.model.initial_weights)

    def final(*clients):
      output = process.next(start, self.states[: len(clients)], [self.train[c] for c in clients])
      return output.server_state.global_weights[0]

    n_0, n_1 = (int(self.model.count_examples(self.train[client].y)) for client in (0, 1))
    expected = (n_0 * final(0) + n_1 * final(1)) / (n_0 + n_1)
    np.testing.assert_allclose(final(0, 1), expected, rtol=1e-4, atol=1e-6)

  def test_momentum_takes_sparse_gradients(self):
    settings = dataclasses.replace(
      testing.settings(), client_optimizer=tff.learning.optimizers.build_sgdm(0.1, 0.9)
    )
    process = learning.build_local_global_process(self.model, settings)
    start = process.initialize(self.model.initial_weights)
    output = process.next(start, self.states[:1], self.train[:1])
    moved = output.server_state.global_weights[0] != self.model.initial_weights[0]
    used = np.unique(self.data.clients[0].train.x)
    np.testing.assert_array_equal(np.flatnonzero(moved.any(axis=1)), used)

  def test_batches_of_evaluation_fit_a_vocabulary(self):
    large = dataclasses.replace(self.model, outputs_per_example=20 * 10_000)
    self.assertEqual(evaluation.default_batches(large).batch_size, 20)
    larger = dataclasses.replace(self.model, outputs_per_example=2**30)
    self.assertEqual(evaluation.default_batches(larger).batch_size, 1)

  def test_pooled_accuracy_is_by_tokens(self):
    table = pd.DataFrame({'num_test': [3, 1], 'local_test/accuracy': [1.0, 0.0]})
    pooled = scores.add_scores(table, self.data, self.process, None)
    self.assertEqual(pooled, {'pooled_test/accuracy': 0.75})


if __name__ == '__main__':
  absltest.main()
