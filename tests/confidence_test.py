"""Tests of the 95 % intervals of means."""

import numpy as np
from absl.testing import absltest, parameterized
from scipy import stats

from tff_lg import confidence

# The 0.975 quantiles of Student's distribution, of a table.
_QUANTILE = {1: 12.706204736, 5: 2.570581836}


class HalfWidthTest(parameterized.TestCase):
  def test_by_hand(self):
    # Two samples, 2 apart: s = sqrt(2), so s / sqrt(2) = 1.
    self.assertAlmostEqual(float(confidence.half_width([3.0, 5.0])), _QUANTILE[1])

  def test_over_the_first_axis(self):
    samples = np.random.default_rng(0).normal(size=(6, 2))
    half = confidence.half_width(samples)
    self.assertEqual(half.shape, (2,))
    np.testing.assert_allclose(half, _QUANTILE[5] * samples.std(axis=0, ddof=1) / np.sqrt(6))

  def test_equals_scipys_interval(self):
    samples = np.random.default_rng(1).normal(size=9)
    low, high = stats.t.interval(0.95, 8, samples.mean(), stats.sem(samples))
    self.assertAlmostEqual(2 * float(confidence.half_width(samples)), high - low)

  def test_equal_samples_have_no_width(self):
    self.assertEqual(confidence.half_width(np.zeros(3)), 0)

  @parameterized.parameters(0, 1)
  def test_too_few_samples(self, num_samples):
    half = confidence.half_width(np.zeros((num_samples, 2)))
    np.testing.assert_array_equal(half, [np.nan, np.nan])

  def test_a_known_error(self):
    self.assertAlmostEqual(float(confidence.from_error(0.5, 5)), 0.5 * _QUANTILE[5])


if __name__ == '__main__':
  absltest.main()
