"""Tests of first-order Per-FedAvg, replayed in NumPy as Fallah et al. write it."""

import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import learning, simulation

_ALPHA = np.float32(0.0625)


def setUpModule():
  simulation.set_execution_context()


def _replay():
  """Replays Algorithm 1 with two steps on a batch of one example, which is both halves."""
  w = np.array([replay.BASE, replay.HEAD])
  steps = [np.zeros(2, np.float32)] * 2
  for cohort in replay.COHORTS:
    updated = []
    for client in cohort:
      trained = w
      for _ in range(2):
        inner = trained - _ALPHA * replay.gradient(trained, client)
        trained = trained - replay.RATE * replay.gradient(inner, client)
      updated.append(trained)
      steps[client] = -_ALPHA * replay.gradient(w, client)
    w = np.mean(updated, axis=0, dtype=np.float32)
  return w, steps


class PerFedAvgTest(absltest.TestCase):
  def test_three_rounds_of_two_clients(self):
    _, server_state, states = replay.run('per_fedavg', per_fedavg_rate=float(_ALPHA))
    replay.assert_close(server_state, states, *_replay())

  def test_halves_of_a_batch(self):
    settings = testing.settings(float(replay.RATE), learning.TensorBatches(None, shuffle=False))
    process = learning.METHODS['per_fedavg'].build_process(
      testing.linear_model(), settings, per_fedavg_rate=float(_ALPHA)
    )
    weights = process.model.initial_weights
    examples = [(1.0, 1.0), (0.5, 3.0), (1.5, 2.0)]

    def mean_gradient(weights, examples):
      (base, head), (x, y) = weights, np.float32(examples).T
      residual = head * base * x - y
      return 2 * np.array([np.mean(residual * head * x), np.mean(residual * base * x)])

    w = np.array([replay.BASE, replay.HEAD])
    # Of three examples the middle one is in both halves.
    inner = w - _ALPHA * mean_gradient(w, examples[:2])
    expected = w - replay.RATE * mean_gradient(inner, examples[1:])
    output = process.next(
      process.initialize(weights),
      [process.initialize_client(weights)],
      [testing.tensors(*examples)],
    )
    own_step = -_ALPHA * mean_gradient(w, examples)
    replay.assert_close(output.server_state, output.client_states, expected, [own_step])

  def test_clients_predict_after_their_own_steps(self):
    process, server_state, states = replay.run('per_fedavg')
    data = [testing.tensors((1, 0))] * 2
    for state, metrics in zip(states, process.evaluate(server_state, states, data), strict=True):
      base, head = np.ravel(server_state.global_weights) + np.ravel(state.local_weights)
      self.assertAlmostEqual(float(metrics['loss']), float((base * head) ** 2), places=5)

  def test_parts(self):
    process, server_state, _ = replay.run('per_fedavg')
    start = process.warm_start((np.ones([1, 1], np.float32),) * 2)
    np.testing.assert_array_equal(np.ravel(start), [1, 1, 0, 0])
    newcomer = process.initialize_client(process.newcomer(server_state.global_weights, start))
    np.testing.assert_array_equal(np.ravel(newcomer.local_weights), [0, 0])
    self.assertLen(process.upload_type[0], 2)


if __name__ == '__main__':
  absltest.main()
