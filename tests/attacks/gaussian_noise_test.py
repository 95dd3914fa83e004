"""Tests of noise in place of updates."""

import numpy as np
from absl.testing import absltest

from tests.attacks import testing
from tff_lg import attacks, simulation


def setUpModule():
  simulation.set_execution_context()


class GaussianNoiseTest(absltest.TestCase):
  def _sent(self, updates, seeds, strength=None):
    attack = attacks.gaussian_noise(strength=strength)
    return testing.what_clients_send(attack, updates, range(len(updates)), seeds)

  def test_is_standard_normal_in_units_of_the_update(self):
    num_clients = 400
    updates = np.random.default_rng(0).normal(size=[num_clients, 5]) * 0.1
    seeds = np.stack([np.arange(num_clients)] * 2, axis=1).astype(np.int32)
    sent = self._sent(updates, seeds, strength=3.0)
    unit = 3 * np.sqrt(np.mean(updates**2, axis=1, keepdims=True))
    draws = sent / unit
    self.assertAlmostEqual(draws.mean(), 0, delta=4 / np.sqrt(draws.size))
    self.assertAlmostEqual(draws.var(), 1, delta=4 * np.sqrt(2 / draws.size))
    # Neither coordinates nor clients share their draws.
    np.testing.assert_allclose(np.corrcoef(draws.T), np.eye(5), atol=4 / np.sqrt(num_clients))
    self.assertLen(np.unique(draws), draws.size)

  def test_seed_decides(self):
    updates, seeds = np.ones([3, 5]), np.array([[1, 2], [1, 2], [1, 3]], np.int32)
    sent = self._sent(updates, seeds)
    np.testing.assert_array_equal(sent[0], sent[1])
    self.assertTrue(np.all(sent[0] != sent[2]))
    np.testing.assert_allclose(self._sent(2 * updates, seeds), 2 * sent, rtol=1e-6)

  def test_a_round(self):
    attack = attacks.gaussian_noise(strength=1e-6)
    update = testing.mean_update(attack, labels=(1, 4), attackers=[1])
    # Next to nothing comes from the attacker.
    np.testing.assert_allclose(update, [0.2, 0.1], rtol=1e-4)


if __name__ == '__main__':
  absltest.main()
