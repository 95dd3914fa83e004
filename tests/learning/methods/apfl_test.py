"""Tests of APFL, replayed in NumPy as Deng et al. write it."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import simulation


def setUpModule():
  simulation.set_execution_context()


def _replay(alpha, is_adaptive):
  """Replays Algorithm 1 with two local steps; a client not sampled keeps v and alpha."""
  w = np.array([replay.BASE, replay.HEAD])
  own, weights = [w, w], [np.float32(alpha)] * 2
  for cohort in replay.COHORTS:
    updated = []
    for client in cohort:
      trained, v, a = w, own[client], weights[client]
      for _ in range(2):
        at_mixture = replay.gradient(a * v + (1 - a) * trained, client)
        step = np.dot(v - trained, at_mixture) if is_adaptive else 0
        trained, v, a = (
          trained - replay.RATE * replay.gradient(trained, client),
          v - replay.RATE * a * at_mixture,
          np.clip(a - replay.RATE * step, 0, 1),
        )
      updated.append(trained)
      own[client], weights[client] = v, a
    w = np.mean(updated, axis=0, dtype=np.float32)
  return w, [(*v, a) for v, a in zip(own, weights, strict=True)]


class ApflTest(parameterized.TestCase):
  @parameterized.parameters((0.25, False), (0.25, True), (0.99, True))
  def test_three_rounds_of_two_clients(self, alpha, is_adaptive):
    _, server_state, states = replay.run('apfl', apfl_weight=alpha, apfl_adaptive=is_adaptive)
    expected, local = _replay(alpha, is_adaptive)
    replay.assert_close(server_state, states, expected, local)
    self.assertEqual(is_adaptive, not all(of_client[-1] == alpha for of_client in local))

  def test_global_model_is_that_of_fedavg_to_the_bit(self):
    _, ours, _ = replay.run('apfl', apfl_adaptive=True)
    _, theirs, _ = replay.run('fedavg')
    np.testing.assert_array_equal(ours.global_weights, theirs.global_weights)

  def test_clients_predict_with_their_mixtures(self):
    process, server_state, states = replay.run('apfl', apfl_weight=0.25)
    w = np.ravel(server_state.global_weights)
    data = [testing.tensors((1, 0))] * 2
    for state, metrics in zip(states, process.evaluate(server_state, states, data), strict=True):
      *v, alpha = np.hstack([np.ravel(weight) for weight in state.local_weights])
      base, head = alpha * np.array(v) + (1 - alpha) * w
      self.assertAlmostEqual(float(metrics['loss']), float((base * head) ** 2), places=5)

  def test_parts(self):
    process, server_state, _ = replay.run('apfl', apfl_weight=0.25)
    self.assertEqual(process.warm_start('ab'), ('a', 'b', 'a', 'b', 0.25))
    newcomer = process.newcomer(server_state.global_weights, process.model.initial_weights)
    self.assertEqual(newcomer, (*server_state.global_weights,) * 2 + (0.25,))
    self.assertLen(process.upload_type[0], 2)

  def test_weight_beyond_one_is_refused(self):
    with self.assertRaisesRegex(ValueError, r'^apfl_weight is 2, expected in \[0, 1\].$'):
      replay.run('apfl', apfl_weight=2)


if __name__ == '__main__':
  absltest.main()
