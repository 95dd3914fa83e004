"""Tests for tff_lg.verdicts.paired."""

import math

import numpy as np
from absl.testing import absltest, parameterized
from scipy import stats

from tff_lg.verdicts import paired


class PairedTest(parameterized.TestCase):
  @parameterized.parameters(
    # Two published tables: Fagerland et al. 2013, tables 2 and 3, 0.039 and 0.035.
    (1, 7, 0.0390625),
    (16, 6, 0.03468966),
    (0, 0, 1.0),
    (3, 3, 1.0),
    (5, 0, 0.5**5),
  )
  def test_mid_p_values(self, wins, losses, expected):
    np.testing.assert_allclose(
      paired.mid_p_values(np.array([wins]), np.array([losses])), expected, 1e-6
    )

  def test_mid_p_value_is_a_sum_of_binomial_probabilities(self):
    wins, losses = 3, 9
    probabilities = [math.comb(12, k) / 2**12 for k in range(13)]
    expected = 2 * sum(probabilities[:3]) + probabilities[3]
    (value,) = paired.mid_p_values(np.array([wins]), np.array([losses]))
    self.assertAlmostEqual(value, expected, 12)

  @parameterized.parameters(
    # Fagerland et al. 2014, the same two tables: -0.507 to -0.026, and 0.005 to 0.119.
    (1, 7, 1, 21, -0.507, -0.026),
    (16, 6, 59, 161, 0.005, 0.119),
  )
  def test_published_newcombe_intervals(self, wins, losses, both, total, low, high):
    ends = paired.newcombe_intervals(*(np.array([n]) for n in (wins, losses, both, total)))
    np.testing.assert_allclose(np.concatenate(ends), [low, high], atol=5e-4)

  def test_newcombe_interval_without_correlation_is_of_two_wilson_intervals(self):
    # Both right 2, wins 2, losses 2, neither 2: the models are independent.
    first = stats.binomtest(4, 8).proportion_ci(0.95, 'wilson')
    half = math.hypot(0.5 - first.low, first.high - 0.5)
    low, high = paired.newcombe_intervals(*(np.array([n]) for n in (2, 2, 2, 8)))
    np.testing.assert_allclose([low[0], high[0]], [-half, half], 1e-12)

  def test_newcombe_interval_changes_sides_with_the_models(self):
    counts = np.array([[5], [2], [10], [20]])
    low, high = paired.newcombe_intervals(*counts)
    other_low, other_high = paired.newcombe_intervals(*counts[[1, 0, 2, 3]])
    np.testing.assert_allclose([low, high], [-other_high, -other_low], 1e-12)

  def test_newcombe_intervals_cover(self):
    rng = np.random.default_rng(0)
    # Probabilities of wins, losses, both and neither right; the true difference is 0.1.
    draws = rng.multinomial(40, [0.2, 0.1, 0.5, 0.2], size=4000).T
    low, high = paired.newcombe_intervals(*draws[:3], np.full(4000, 40))
    self.assertBetween(np.mean((low <= 0.1) & (0.1 <= high)), 0.94, 0.98)

  def test_smallest_differences(self):
    found = paired.smallest_differences(np.array([0, 4, 5, 10, 100]), level=0.05)
    np.testing.assert_allclose(found, [np.nan, np.nan, 1.0, 0.5, 0.05])

  def test_smallest_difference_is_found_and_a_smaller_one_is_not(self):
    for level in (0.05, 0.01, 0.25):
      (difference,) = paired.smallest_differences(np.array([50]), level)
      wins = round(difference * 50)
      self.assertLessEqual(paired.mid_p_values(np.array([wins]), np.array([0]))[0], level)
      self.assertGreater(paired.mid_p_values(np.array([wins - 1]), np.array([0]))[0], level)


if __name__ == '__main__':
  absltest.main()
