"""Tests of FedAlt, replayed in NumPy as Pillutla et al. write it."""

import numpy as np
from absl.testing import absltest

from tests.learning.methods import replay
from tff_lg import simulation

_SCALE = np.float32(0.5)


def setUpModule():
  simulation.set_execution_context()


def _replay():
  """Replays LocalAlt: four steps on v at half the rate, then two on u."""
  u, personal = replay.BASE, [replay.HEAD] * 2
  for cohort in replay.COHORTS:
    shared = []
    for client in cohort:
      weights = np.array([u, personal[client]])
      for _ in range(4):
        weights[1] -= _SCALE * replay.RATE * replay.gradient(weights, client)[1]
      for _ in range(2):
        weights[0] -= replay.RATE * replay.gradient(weights, client)[0]
      shared.append(weights[0])
      personal[client] = weights[1]
    u = np.mean(shared, dtype=np.float32)
  return u, personal


class FedAltTest(absltest.TestCase):
  def test_three_rounds_of_two_clients(self):
    _, server_state, states = replay.run(
      'fedalt', fedalt_personal_epochs=4, personal_rate_scale=float(_SCALE)
    )
    replay.assert_close(server_state, states, *_replay())

  def test_is_fedrep_of_as_many_epochs_to_the_bit(self):
    _, ours, _ = replay.run('fedalt')
    _, theirs, _ = replay.run('fedrep', fedrep_head_epochs=2)
    np.testing.assert_array_equal(ours.global_weights, theirs.global_weights)

  def test_rate_of_zero_is_refused(self):
    with self.assertRaisesRegex(ValueError, '^personal_rate_scale is 0, expected more than 0.$'):
      replay.run('fedalt', personal_rate_scale=0)


if __name__ == '__main__':
  absltest.main()
