"""Tests of FedBABU, replayed in NumPy as Oh et al. write it."""

import numpy as np
from absl.testing import absltest

from tests.learning import testing
from tests.learning.methods import replay
from tff_lg import learning, simulation

_HEAD_STEPS = 3


def setUpModule():
  simulation.set_execution_context()


def _replay():
  """Replays Algorithm 1 with two steps; the head that a client predicts with is tuned apart."""
  base, heads = replay.BASE, [replay.HEAD] * 2
  for cohort in replay.COHORTS:
    bases = []
    for client in cohort:
      tuned = np.array([base, replay.HEAD])
      for _ in range(_HEAD_STEPS):
        tuned[1] -= replay.RATE * replay.gradient(tuned, client)[1]
      heads[client] = tuned[1]
      weights = np.array([base, replay.HEAD])
      for _ in range(2):
        weights[0] -= replay.RATE * replay.gradient(weights, client)[0]
      bases.append(weights[0])
    base = np.mean(bases, dtype=np.float32)
  return base, [(head, replay.HEAD) for head in heads]


class FedBabuTest(absltest.TestCase):
  def test_three_rounds_of_two_clients(self):
    _, server_state, states = replay.run('fedbabu', fedbabu_head_epochs=_HEAD_STEPS)
    replay.assert_close(server_state, states, *_replay())

  def test_tuned_heads_change_nothing_that_travels(self):
    _, one, _ = replay.run('fedbabu', fedbabu_head_epochs=1)
    _, other, _ = replay.run('fedbabu', fedbabu_head_epochs=4)
    np.testing.assert_array_equal(one.global_weights, other.global_weights)

  def test_clients_predict_with_the_tuned_head(self):
    process, server_state, states = replay.run('fedbabu')
    (base,) = server_state.global_weights
    data = [testing.tensors((1, 0))] * 2
    for state, metrics in zip(states, process.evaluate(server_state, states, data), strict=True):
      expected = (base * state.local_weights[0]).item() ** 2
      self.assertAlmostEqual(float(metrics['loss']), expected, places=5)

  def test_head_of_a_warm_start_is_the_one_that_stays(self):
    process, server_state, _ = replay.run('fedbabu')
    self.assertEqual(process.warm_start('ab'), ('a', 'b', 'b'))
    newcomer = process.newcomer(server_state.global_weights, 'abb')
    self.assertEqual(newcomer, ('a', 'b', 'b'))

  def test_client_without_examples_keeps_its_head(self):
    process, server_state, states = replay.run('fedbabu')
    output = process.next(server_state, states, [testing.tensors((1, 1)), testing.tensors()])
    np.testing.assert_array_equal(output.client_states[1].local_weights, states[1].local_weights)
    self.assertNotEqual(output.client_states[0].local_weights[0], states[0].local_weights[0])

  def test_named_layers(self):
    process = learning.METHODS['fedbabu'].build_process(
      testing.classifier(), testing.settings(), personal_layers=('hidden_1',)
    )
    self.assertEqual(process.model.weight_is_global, (False, False, True, True, False, False))
    self.assertEqual(
      process.model.weight_names[4:],
      ('initial_head/hidden_1/kernel', 'initial_head/hidden_1/bias'),
    )


if __name__ == '__main__':
  absltest.main()
