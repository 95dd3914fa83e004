"""Tests of Ditto, replayed in NumPy as Li et al. write it."""

import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import learning, simulation

_STRENGTH = np.float32(0.5)


def setUpModule():
  simulation.set_execution_context()


def _replay():
  """Replays Algorithm 1 with two local steps for the global model and for all own ones."""
  w = np.array([1, 2], np.float32)
  own = [w, w]
  for cohort in replay.COHORTS:
    updated = []
    for client in cohort:
      trained, v = w, own[client]
      for _ in range(2):
        trained = trained - replay.RATE * replay.gradient(trained, client)
        v = v - replay.RATE * (replay.gradient(v, client) + _STRENGTH * (v - w))
      updated.append(trained)
      own[client] = v
    w = np.mean(updated, axis=0, dtype=np.float32)
  return w, own


class DittoTest(absltest.TestCase):
  def test_three_rounds_of_two_clients(self):
    _, server_state, states = replay.run('ditto', ditto_strength=float(_STRENGTH))
    w, own = _replay()
    np.testing.assert_allclose(np.ravel(server_state.global_weights), w, rtol=1e-5)
    for state, v in zip(states, own, strict=True):
      np.testing.assert_allclose(np.ravel(state.local_weights), v, rtol=1e-5)

  def test_global_model_is_that_of_fedavg_to_the_bit(self):
    _, ours, states = replay.run('ditto')
    _, theirs, _ = replay.run('fedavg')
    np.testing.assert_array_equal(ours.global_weights, theirs.global_weights)
    self.assertFalse(np.array_equal(states[0].local_weights, ours.global_weights))

  def test_without_penalty_own_models_are_those_of_local_learning_to_the_bit(self):
    _, _, ours = replay.run('ditto', ditto_strength=0.0)
    _, _, theirs = replay.run('local_only')
    for one, other in zip(ours, theirs, strict=True):
      np.testing.assert_array_equal(one.local_weights, other.local_weights)

  def test_clients_predict_with_their_own_models(self):
    process, server_state, states = replay.run('ditto')
    data = [testing.tensors((1, 0))] * 2
    for state, metrics in zip(states, process.evaluate(server_state, states, data), strict=True):
      base, head = np.ravel(state.local_weights)
      self.assertAlmostEqual(float(metrics['loss']), float((base * head) ** 2), places=5)

  def test_a_whole_model_travels_each_way(self):
    process, *_ = replay.run('ditto')
    self.assertLen(process.upload_type[0], 2)
    self.assertLen(process.download_type[0], 2)

  def test_parts(self):
    process, server_state, _ = replay.run('ditto')
    weights = server_state.global_weights
    start = process.model.initial_weights
    self.assertEqual(process.merge(weights, 'ab'), ('a', 'b'))
    self.assertEqual(process.warm_start('ab'), ('a', 'b', 'a', 'b'))
    newcomer = process.initialize_client(process.newcomer(weights, start))
    np.testing.assert_array_equal(newcomer.local_weights, weights)

  def test_same_masks_of_dropout_as_fedavg(self):
    model = testing.gated_classifier().with_all_global()
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, 4)).astype(np.float32), np.arange(6, dtype=np.int32) % 3
    data = [learning.ClientTensors(x, y, seed=np.array([3, 1], np.int32))]
    results = []
    for name in ('ditto', 'fedavg'):
      settings = testing.settings(batches=learning.TensorBatches(3))
      process = learning.METHODS[name].build_process(model, settings)
      weights = process.model.initial_weights
      states = [process.initialize_client(weights)]
      results.append(process.next(process.initialize(weights), states, data).server_state)
    for one, other in zip(*(result.global_weights for result in results), strict=True):
      np.testing.assert_array_equal(one, other)

  def test_negative_strength_is_refused(self):
    with self.assertRaisesRegex(ValueError, '^ditto_strength is -1, expected 0 or more.$'):
      replay.run('ditto', ditto_strength=-1)


if __name__ == '__main__':
  absltest.main()
