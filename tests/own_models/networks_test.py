"""Tests of own networks: the rate for all, the epoch of each client, resuming."""

import dataclasses
import os
from unittest import mock

import numpy as np
from absl.testing import absltest

from tests.adaptation import testing
from tff_lg import config as config_lib
from tff_lg import learning, own_models, simulation
from tff_lg.own_models import networks

_CONFIG = config_lib.resolve(
  config_lib.TrainConfig(
    method='local_only',
    local_only_epochs=6,
    local_only_patience=2,
    local_only_learning_rate=(0.1, 1.0),
    batch_size=4,
  )
)
_ONE_RATE = dataclasses.replace(_CONFIG, local_only_learning_rate=(0.1,))
_NOBODY = learning.ClientTensors(np.zeros((0, 2), np.float32), np.zeros(0, np.int32))


def setUpModule():
  simulation.set_execution_context()


def _train(folder, config=_CONFIG, clients=(0, 1, 2)):
  data = {
    'train': [testing.two_features(12, seed) for seed in range(3)],
    # The last client has nothing to choose by.
    'validation': [*(testing.two_features(9, 10 + seed) for seed in range(2)), _NOBODY],
    'test': [_NOBODY] * 3,
  }
  model, options = testing.softmax_regression(), config.local_learning_options
  return own_models.train_networks(options, model, data, np.array(clients), folder), model, data


class OwnNetworksTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = cls.create_tempdir(cls()).full_path
    cls.own, cls.model, cls.data = _train(cls.folder)

  def test_epochs(self):
    own = self.own
    self.assertIn(own.search.best, (0.1, 1.0))
    self.assertEqual(list(own.search.tried), [0.1, 1.0])
    known = own.best_epoch[:2]
    self.assertTrue((known <= own.num_epochs[:2]).all() and (own.num_epochs[:2] <= 6).all())
    # Without validation data: the median of the others.
    self.assertEqual(own.best_epoch[2], int(np.median(known)))
    np.testing.assert_array_equal(own.was_stopped[:2], own.num_epochs[:2] < 6)
    self.assertTrue(own.was_stopped[2])
    self.assertTrue(np.isnan(own.settled['accuracy'][2]))

  def test_weights_are_those_of_the_chosen_epoch(self):
    # Softmax regression in numpy, in the batches that the client's seed gives.
    import tensorflow as tf

    from tff_lg import seeds

    rate = self.own.search.best
    for client in range(3):
      kernel, bias = (weight.astype(np.float64) for weight in self.model.initial_weights)
      velocity = [0.0, 0.0]
      x, y = self.data['train'][client].x, self.data['train'][client].y
      seed = seeds.tensor_seed(0, seeds.Purpose.OWN_MODELS, 1, client)
      for epoch in range(self.own.best_epoch[client]):
        of_epoch = tf.random.experimental.stateless_fold_in(seed, epoch)
        order = np.argsort(tf.random.stateless_uniform([1, 12], of_epoch).numpy()[0], kind='stable')
        for batch in order.reshape(3, 4):
          error = testing.softmax(x[batch] @ kernel + bias) - np.eye(3)[y[batch]]
          gradients = [x[batch].T @ error / 4, error.mean(axis=0)]
          velocity = [0.5 * v + g for v, g in zip(velocity, gradients, strict=True)]
          kernel, bias = kernel - rate * velocity[0], bias - rate * velocity[1]
      state = self.own.weights.get(np.array([client]))[0]
      np.testing.assert_allclose(state.local_weights[0], kernel, atol=1e-4)
      np.testing.assert_allclose(state.local_weights[1], bias, atol=1e-4)

  def test_a_killed_run_resumes_to_the_same_bits(self):
    folder = self.create_tempdir().full_path
    first, _, _ = _train(folder, _ONE_RATE)
    expected = [state.local_weights for state in first.weights.get(np.arange(3))]
    # As a run leaves it that is killed after the search.
    for name in os.listdir(folder):
      if 'rate' not in name:
        os.remove(os.path.join(folder, name))
    again, _, _ = _train(folder, _ONE_RATE)
    self.assertEqual(again.search, first.search)
    for state, weights in zip(again.weights.get(np.arange(3)), expected, strict=True):
      for a, b in zip(state.local_weights, weights, strict=True):
        np.testing.assert_array_equal(a, b)
    path = os.path.join(folder, 'network_own_000000.npz')
    with open(path, 'wb') as file:
      file.write(b'PK')
    with self.assertRaisesRegex(ValueError, f'{path} is damaged'):
      _train(folder, _ONE_RATE)

  def test_chunks_hold_a_bounded_amount_of_work(self):
    one_client = 12 * sum(weight.size for weight in self.model.initial_weights)
    folder = self.create_tempdir().full_path
    with (
      mock.patch.object(networks, '_WORK_IN_A_CHUNK', one_client),
      mock.patch.object(networks, '_FEWEST_IN_A_CHUNK', 1),
    ):
      own, _, _ = _train(folder)
    names = [f'network_own_{start:06d}.npz' for start in range(2)]
    self.assertEqual(sorted(n for n in os.listdir(folder) if '_own_0' in n), names)
    np.testing.assert_array_equal(own.best_epoch, self.own.best_epoch)
    for state, expected in zip(
      *(o.weights.get(np.arange(3)) for o in (own, self.own)), strict=True
    ):
      for a, b in zip(state.local_weights, expected.local_weights, strict=True):
        np.testing.assert_array_equal(a, b)

  def test_only_the_clients_that_are_named(self):
    own, _, _ = _train(self.create_tempdir().full_path, _ONE_RATE, clients=(1,))
    np.testing.assert_array_equal(own.best_epoch < 0, [True, False, True])

  def test_without_any_validation_data_the_rate_is_that_of_the_run(self):
    config = dataclasses.replace(_CONFIG, local_only_learning_rate=None)
    own, _, _ = _train(self.create_tempdir().full_path, config, clients=(2,))
    self.assertEqual(own.search.best, config.client_learning_rate)
    self.assertEqual((own.best_epoch[2], own.settled), (6, {}))

  def test_a_rate_that_diverges_keeps_its_best_epoch_before(self):
    config = dataclasses.replace(_CONFIG, local_only_learning_rate=(1e38,))
    own, _, _ = _train(self.create_tempdir().full_path, config)
    for state in own.weights.get(np.arange(3)):
      self.assertTrue(all(np.isfinite(weight).all() for weight in state.local_weights))


if __name__ == '__main__':
  absltest.main()
