"""Tests of the interval over clients and repeats, computed by hand."""

import math

import numpy as np
import pandas as pd
from absl.testing import absltest
from scipy import stats

from tff_lg.analysis import two_way


class MeanIntervalTest(absltest.TestCase):
  def test_one_repeat_is_the_t_interval_over_clients(self):
    values = pd.Series([1.0, 2.0, 4.0, math.nan], list('abcd'))
    known = values.dropna()
    low, high = stats.t.interval(0.95, 2, known.mean(), stats.sem(known))
    np.testing.assert_allclose(two_way.mean_interval([values]), (known.mean(), low, high))

  def test_clients_and_repeats(self):
    repeats = [pd.Series([1.0, 3.0], ['a', 'b']), pd.Series([2.0, 6.0], ['a', 'b'])]
    # Mean squares: clients 9, repeats 4, the rest 1.
    half = stats.t.ppf(0.975, 144 / 98) * math.sqrt(12 / 4)
    np.testing.assert_allclose(two_way.mean_interval(repeats), (3, 3 - half, 3 + half))

  def test_repeats_closer_than_chance_count_for_nothing(self):
    repeats = [pd.Series([1.0, 3.0], ['a', 'b']), pd.Series([3.0, 1.0], ['a', 'b'])]
    np.testing.assert_allclose(two_way.mean_interval(repeats), (2, 2, 2))

  def test_noise_of_few_repeats_never_reduces_their_degrees_of_freedom(self):
    # Mean squares: clients 1, repeats 16, the rest 9, which alone would leave 0.19 degrees.
    repeats = [pd.Series([0.0, 4.0], ['a', 'b']), pd.Series([7.0, 5.0], ['a', 'b'])]
    half = stats.t.ppf(0.975, 1) * math.sqrt(16 / 4)
    np.testing.assert_allclose(two_way.mean_interval(repeats), (4, 4 - half, 4 + half))

  def test_one_client_has_no_interval(self):
    mean, low, high = two_way.mean_interval([pd.Series([1.0]), pd.Series([3.0])])
    self.assertEqual(mean, 2)
    self.assertTrue(math.isnan(low) and math.isnan(high))

  def test_clients_that_not_all_repeats_have_count_for_the_mean_only(self):
    repeats = [pd.Series([1.0, 3.0], ['a', 'b']), pd.Series([2.0, 6.0, 10.0], ['a', 'b', 'c'])]
    half = stats.t.ppf(0.975, 144 / 98) * math.sqrt(12 / 4)
    np.testing.assert_allclose(two_way.mean_interval(repeats), (4, 4 - half, 4 + half))


if __name__ == '__main__':
  absltest.main()
