"""Tests for tff_lg.verdicts.share."""

import numpy as np
from absl.testing import absltest
from scipy import optimize, stats

from tff_lg import verdicts


class ShareTest(absltest.TestCase):
  def test_fit_is_the_maximum_of_scipys_likelihood(self):
    wins, losses = np.array([3, 7, 0, 5, 9]), np.array([4, 1, 6, 5, 0])
    found = verdicts.estimate_share_worse(wins, losses, np.random.default_rng(0), 1)

    def loss(logs):
      return -stats.betabinom.logpmf(wins, wins + losses, *np.exp(logs)).sum()

    a, b = np.exp(optimize.minimize(loss, [0.0, 0.0], method='Nelder-Mead').x)
    self.assertAlmostEqual(found.estimate, stats.beta.cdf(0.5, a, b), 3)

  def test_noise_is_taken_out(self):
    # All clients win 60 % of ten disagreements: nobody is worse off, the naive count says many are.
    rng = np.random.default_rng(0)
    wins = rng.binomial(10, 0.6, size=400)
    share = verdicts.estimate_share_worse(wins, 10 - wins, rng, 50)
    self.assertGreater(np.mean(wins < 5), 0.1)
    self.assertLess(share.estimate, 0.05)
    self.assertBetween(share.estimate, share.low, share.high)

  def test_true_share_is_found(self):
    rng = np.random.default_rng(1)
    chances = rng.beta(6, 4, size=1000)
    wins = rng.binomial(8, chances)
    share = verdicts.estimate_share_worse(wins, 8 - wins, rng, 50)
    self.assertAlmostEqual(share.estimate, np.mean(chances < 0.5), delta=0.05)
    self.assertBetween(np.mean(chances < 0.5), share.low, share.high)

  def test_clients_without_disagreement_say_nothing(self):
    wins, losses = np.array([3, 1, 0]), np.array([1, 4, 0])
    with_it = verdicts.estimate_share_worse(wins, losses, np.random.default_rng(0), 20)
    without = verdicts.estimate_share_worse(wins[:2], losses[:2], np.random.default_rng(0), 20)
    self.assertEqual(with_it, without)

  def test_nothing_to_go_by(self):
    share = verdicts.estimate_share_worse(
      np.zeros(4, int), np.zeros(4, int), np.random.default_rng(0)
    )
    np.testing.assert_equal(tuple(share), (np.nan, 0.0, 1.0))

  def test_all_won(self):
    share = verdicts.estimate_share_worse(
      np.full(20, 5), np.zeros(20, int), np.random.default_rng(0), 20
    )
    self.assertLess(share.high, 0.01)


if __name__ == '__main__':
  absltest.main()
