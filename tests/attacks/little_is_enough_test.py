"""Tests of attackers within the spread of honest updates, against numpy and scipy."""

import numpy as np
from absl.testing import absltest, parameterized
from scipy import stats

from tests.attacks import testing
from tff_lg import attacks, simulation


def setUpModule():
  simulation.set_execution_context()


def _sent(updates, attackers, cohort_size, strength=None):
  attack = attacks.little_is_enough(cohort_size, strength)
  seeds = np.zeros([len(updates), 2], np.int32)
  return testing.what_clients_send(attack, updates, attackers, seeds)


class LittleIsEnoughTest(parameterized.TestCase):
  def test_mean_less_z_deviations_of_the_attackers_own(self):
    updates = np.random.default_rng(0).normal(size=[6, 5])
    own = updates[[0, 2, 5]]
    sent = _sent(updates, [0, 2, 5], 6, strength=1.5)
    for row in sent:
      np.testing.assert_allclose(row, own.mean(axis=0) - 1.5 * own.std(axis=0), rtol=1e-5)

  @parameterized.parameters((50, 12), (50, 24), (51, 12), (11, 4))
  def test_z_max(self, num_clients, num_attackers):
    # Baruch et al. 2019, Algorithm 3.
    supporters = np.floor(num_clients / 2 + 1) - num_attackers
    z_max = stats.norm.ppf(
      (num_clients - num_attackers - supporters) / (num_clients - num_attackers)
    )
    self.assertGreater(z_max, 0)
    updates = np.random.default_rng(1).normal(size=[num_clients, 5])
    own = updates[:num_attackers]
    sent = _sent(updates, range(num_attackers), num_clients)
    np.testing.assert_allclose(
      sent[0], own.mean(axis=0) - z_max * own.std(axis=0), rtol=1e-4, atol=1e-5
    )

  @parameterized.parameters((10, 2, 0), (10, 1, 0), (2, 1, 0), (10, 6, 3), (4, 4, 3))
  def test_z_max_is_bounded(self, num_clients, num_attackers, expected):
    updates = np.random.default_rng(2).normal(size=[num_clients, 5])
    own = updates[:num_attackers]
    sent = _sent(updates, range(num_attackers), num_clients)
    np.testing.assert_allclose(
      sent[0], own.mean(axis=0) - expected * own.std(axis=0), rtol=1e-3, atol=1e-5
    )

  def test_one_attacker_has_no_spread(self):
    updates = np.random.default_rng(3).normal(size=[3, 5])
    np.testing.assert_allclose(_sent(updates, [1], 3, 2.0)[1], updates[1], rtol=1e-6)

  def test_no_attacker_divides_by_nothing(self):
    np.testing.assert_array_equal(_sent(np.ones([3, 5]), [], 3, 2.0), np.zeros([3, 5]))

  def test_small_deviations_far_from_zero(self):
    updates = 100 + np.array([[-1], [1]]) * 2.0**-10 * np.ones([2, 5])
    np.testing.assert_array_equal(_sent(updates, [0, 1], 2, 4.0)[0], 100 - 4 * 2.0**-10)

  def test_a_round(self):
    attack = attacks.little_is_enough(3, 2.0)
    # Updates 1, -2 and 0 times (0.4, 0.2). The attackers' mean is (-0.2, -0.1), their standard
    # deviations are (0.6, 0.3); each sends (-1.4, -0.7). The honest client sends nothing.
    update = testing.mean_update(attack, labels=(1, 4, 2), attackers=[0, 1])
    np.testing.assert_allclose(update, [-2.8 / 3, -1.4 / 3], rtol=1e-5)


if __name__ == '__main__':
  absltest.main()
