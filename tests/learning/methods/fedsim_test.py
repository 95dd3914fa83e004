"""Tests of FedSim, replayed in NumPy as Pillutla et al. write it."""

import numpy as np
from absl.testing import absltest

from tests.learning.methods import replay
from tff_lg import simulation

_SCALE = np.float32(0.5)


def setUpModule():
  simulation.set_execution_context()


def _replay():
  """Replays LocalSim: two steps on u and v at once, on v at half the rate."""
  u, personal = replay.BASE, [replay.HEAD] * 2
  for cohort in replay.COHORTS:
    shared = []
    for client in cohort:
      weights = np.array([u, personal[client]])
      for _ in range(2):
        rates = replay.RATE * np.array([1, _SCALE], np.float32)
        weights = weights - rates * replay.gradient(weights, client)
      shared.append(weights[0])
      personal[client] = weights[1]
    u = np.mean(shared, dtype=np.float32)
  return u, personal


class FedSimTest(absltest.TestCase):
  def test_three_rounds_of_two_clients(self):
    _, server_state, states = replay.run('fedsim', personal_rate_scale=float(_SCALE))
    replay.assert_close(server_state, states, *_replay())

  def test_with_one_rate_it_is_fedper_to_the_bit(self):
    _, ours, states = replay.run('fedsim')
    _, theirs, others = replay.run('fedper')
    np.testing.assert_array_equal(ours.global_weights, theirs.global_weights)
    for one, other in zip(states, others, strict=True):
      np.testing.assert_array_equal(one.local_weights, other.local_weights)


if __name__ == '__main__':
  absltest.main()
