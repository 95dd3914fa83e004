"""Tests of the task on mood: data, model, split, and that training learns."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import config as config_lib
from tff_lg import learning, seeds, simulation
from tff_lg.inputs import tasks
from tff_lg.tasks import TASKS
from tff_lg.training import client_data


def setUpModule():
  simulation.set_execution_context()


def _config(**changes):
  small = {
    'sequence_length': 8,
    'embedding_units': 8,
    'bilstm_units': 8,
    'hidden_units': (16, 16),
  }
  return config_lib.resolve(config_lib.TrainConfig(**{'task': 'mood', **small, **changes}))


class LoadDataTest(absltest.TestCase):
  def test_generated_corpus(self):
    loaded = tasks.load_data(_config().input_options)
    self.assertEqual((len(loaded.clients), loaded.num_classes), (14, 5))
    self.assertEqual(loaded.test.x.shape[1:], (8,))

  def test_seed_decides_the_split_but_not_the_texts(self):
    one, other = (tasks.load_data(_config(seed=seed).input_options).clients[0] for seed in (0, 1))
    self.assertEqual(len(one.train), len(other.train))
    self.assertFalse(np.array_equal(one.test.x, other.test.x))

  def test_device_variance(self):
    one, other = (
      tasks.load_data(_config(device_variance=d).input_options).clients[0] for d in (0.0, 1.0)
    )
    np.testing.assert_array_equal(one.train.x, other.train.x)
    self.assertFalse(np.array_equal(one.train.y, other.train.y))

  def test_own_file(self):
    rows = [f'{user},{user} w{i},{i}' for user in 'ab' for i in range(10)]
    path = self.create_tempfile(content='\n'.join(['user,text,score', *rows])).full_path
    loaded = tasks.load_data(
      _config(data_dir=path, score_range=(0.0, 10.0), vocabulary_size=5).input_options
    )
    self.assertEqual([client.client_id for client in loaded.clients], ['a', 'b'])
    self.assertLen(loaded.vocabulary, 5)
    self.assertEqual(loaded.class_names[0], '0 to 2')

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

  def test_held_out_users(self):
    loaded = tasks.load_data(_config(held_out_clients=4).input_options)
    self.assertEqual((len(loaded.clients), len(loaded.held_out)), (10, 4))


class SplitTest(parameterized.TestCase):
  @parameterized.parameters((0.0, 5), (0.2, 4), (0.4, 3), (0.6, 2), (0.8, 1))
  def test_share_of_local_layers(self, share, num_global):
    config = _config(local_layer_share=share)
    names = ('embedding', 'bilstm', 'hidden_1', 'hidden_2', 'output')
    found = tasks.global_layers(config.task_options, config.method_options, names)
    self.assertEqual(found, names[5 - num_global :])

  def test_by_default_the_dense_layers_are_global(self):
    self.assertEqual(
      tasks.own_global_layers(_config().task_options), ('hidden_1', 'hidden_2', 'output')
    )

  def test_all_take_part_in_a_round(self):
    self.assertEqual(TASKS['mood'].client_fraction, 1)


class ProcessTest(absltest.TestCase):
  def test_learns_and_keeps_local_layers_apart(self):
    config = _config(device_variance=0.0)
    data = tasks.load_data(config.input_options)
    model = tasks.build_model(config.input_options, data).with_global_layers(
      tasks.own_global_layers(config.task_options)
    )
    self.assertEqual(model.initial_weights[0].shape, (len(data.vocabulary), 8))
    settings = testing.settings(batches=learning.TensorBatches(10, num_epochs=5), learning_rate=0.3)
    process = learning.build_local_global_process(model, settings)
    state = process.initialize(model.initial_weights)
    clients = data.clients[:2]
    states = [process.initialize_client(model.initial_weights)] * 2
    losses = []
    for round_num in range(12):
      tensors = [
        client_data.to_tensors(client.train)._replace(
          seed=seeds.tensor_seed(0, seeds.Purpose.SHUFFLING, round_num, i)
        )
        for i, client in enumerate(clients)
      ]
      output = process.next(state, states, tensors)
      state, states = output.server_state, output.client_states
      losses.append(float(output.metrics.loss))
    self.assertAlmostEqual(losses[0], np.log(5), delta=0.3)
    self.assertLess(losses[-1], losses[0] - 0.05)
    self.assertEqual(output.metrics.num_examples, 5 * sum(len(c.train) for c in clients))
    embeddings = [state.local_weights[0] for state in states]
    self.assertEqual(embeddings[0].shape, (len(data.vocabulary), 8))
    self.assertFalse(np.array_equal(*embeddings))
    # No gradient reaches padding.
    np.testing.assert_array_equal(embeddings[0][0], model.initial_weights[0][0])


if __name__ == '__main__':
  absltest.main()
