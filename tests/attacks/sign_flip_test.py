"""Tests of flipped signs."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.attacks import testing
from tff_lg import attacks, simulation


def setUpModule():
  simulation.set_execution_context()


class SignFlipTest(parameterized.TestCase):
  @parameterized.parameters((None, -4), (1.0, -1), (2.5, -2.5))
  def test_strength(self, strength, factor):
    attack = attacks.sign_flip(strength=strength)
    updates = np.random.default_rng(0).normal(size=[2, 5])
    sent = testing.what_clients_send(attack, updates, [0, 1], np.zeros([2, 2], np.int32))
    np.testing.assert_allclose(sent, factor * updates, rtol=1e-6)

  def test_a_round(self):
    attack = attacks.sign_flip()
    # Honest updates are (0.4, 0.2) and twice as much the other way, which becomes 8 times.
    update = testing.mean_update(attack, labels=(1, 4), attackers=[1])
    np.testing.assert_allclose(update, [9 / 2 * 0.4, 9 / 2 * 0.2], rtol=1e-5)


if __name__ == '__main__':
  absltest.main()
