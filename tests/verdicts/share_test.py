"""Tests for tff_lg.verdicts.share."""

import numpy as np
from absl.testing import absltest
from scipy import optimize

from tff_lg import verdicts


class ShareTest(absltest.TestCase):
  def test_fit_is_the_maximum_of_the_penalised_likelihood(self):
    wins = np.array([3, 7, 0, 5, 9, 3, 2, 6, 4, 8])
    losses = np.array([4, 1, 6, 5, 0, 4, 1, 3, 4, 2])
    found = verdicts.estimate_share_worse(wins, losses, np.random.default_rng(0), 1)
    chances = np.arange(0.005, 1, 0.01)
    powers = [np.polynomial.Legendre.basis(k)(2 * chances - 1) for k in range(1, 6)]

    def masses(coefficients):
      unscaled = np.exp(sum(c * power for c, power in zip(coefficients, powers, strict=True)))
      return unscaled / unscaled.sum()

    def loss(coefficients):
      total = 0.0
      for won, lost in zip(wins, losses, strict=True):
        total -= np.log(np.sum(masses(coefficients) * chances**won * (1 - chances) ** lost))
      return total + np.linalg.norm(coefficients)

    best = optimize.minimize(loss, np.full(5, 0.1), method='Powell', options={'xtol': 1e-8})
    self.assertAlmostEqual(found.estimate, masses(best.x)[:50].sum(), 3)

  def test_noise_is_taken_out(self):
    # All clients win 60 % of ten disagreements: nobody is worse off, the naive count says many are.
    rng = np.random.default_rng(0)
    wins = rng.binomial(10, 0.6, size=400)
    share = verdicts.estimate_share_worse(wins, 10 - wins, rng, 20)
    self.assertGreater(np.mean(wins < 5), 0.15)
    self.assertLess(share.estimate, 0.1)
    self.assertBetween(share.estimate, share.low, share.high)

  def test_true_share_is_found(self):
    rng = np.random.default_rng(1)
    chances = rng.beta(6, 4, size=1000)
    wins = rng.binomial(8, chances)
    share = verdicts.estimate_share_worse(wins, 8 - wins, rng, 20)
    self.assertAlmostEqual(share.estimate, np.mean(chances < 0.5), delta=0.05)
    self.assertBetween(np.mean(chances < 0.5), share.low, share.high)

  def test_clients_without_disagreement_say_nothing(self):
    wins, losses = np.array([3, 1] * 6 + [0]), np.array([1, 4] * 6 + [0])
    with_it = verdicts.estimate_share_worse(wins, losses, np.random.default_rng(0), 20)
    without = verdicts.estimate_share_worse(wins[:12], losses[:12], np.random.default_rng(0), 20)
    self.assertEqual(with_it, without)

  def test_too_few_clients_disagree(self):
    wins, losses = np.array([5] * 9 + [0] * 40), np.zeros(49, int)
    share = verdicts.estimate_share_worse(wins, losses, np.random.default_rng(0))
    np.testing.assert_equal(tuple(share), (np.nan, 0.0, 1.0))

  def test_too_few_disagreements(self):
    wins, losses = np.array([1] * 49), np.zeros(49, int)
    share = verdicts.estimate_share_worse(wins, losses, np.random.default_rng(0))
    np.testing.assert_equal(tuple(share), (np.nan, 0.0, 1.0))

  def test_all_won(self):
    share = verdicts.estimate_share_worse(
      np.full(20, 5), np.zeros(20, int), np.random.default_rng(0), 20
    )
    self.assertLess(share.high, 0.01)


if __name__ == '__main__':
  absltest.main()
