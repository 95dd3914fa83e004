"""Tests of the comparison per client, with an interval computed by hand."""

import math

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg.analysis import paired


class CompareClientsTest(absltest.TestCase):
  def test_by_hand(self):
    # Differences .1, .2, .3: s = .1, t(.975, 2) = 4.302653, margin = 4.302653 * .1 / sqrt(3).
    comparison = paired.compare_clients(pd.Series([0.6, 0.7, 0.8]), pd.Series([0.5, 0.5, 0.5]))
    self.assertAlmostEqual(comparison.mean_difference, 0.2)
    self.assertAlmostEqual(comparison.low, 0.2 - 0.2484138, places=6)
    self.assertAlmostEqual(comparison.high, 0.2 + 0.2484138, places=6)

  def test_counts(self):
    comparison = paired.compare_clients(
      pd.Series([0.6, 0.5, 0.4, 0.9]), pd.Series([0.5, 0.5, 0.5, 0.5])
    )
    self.assertEqual(comparison[:4], (4, 2, 1, 1))

  def test_where_less_is_better(self):
    first, other = pd.Series([0.5, 0.75, 1.0]), pd.Series([1.0, 0.5, 1.5])
    comparison = paired.compare_clients(first, other, 'local_test/mae')
    self.assertEqual(comparison[:4], (3, 2, 0, 1))
    self.assertEqual(comparison.mean_difference, 0.25)
    self.assertEqual(comparison.worst_decile_difference, -0.25)

  def test_median_and_worst_decile(self):
    # Eleven differences 0.0, 0.1, ..., 1.0: the worst tenth, rounded up, are two clients.
    method = pd.Series(np.arange(11)[::-1] / 10)
    comparison = paired.compare_clients(method, pd.Series(np.zeros(11)))
    self.assertAlmostEqual(comparison.median_difference, 0.5)
    self.assertAlmostEqual(comparison.worst_decile_difference, 0.05)

  def test_share_worse(self):
    comparison = paired.compare_clients(pd.Series([0.6, 0.5, 0.4, 0.9]), pd.Series([0.5] * 4))
    self.assertEqual(comparison.share_worse, 0.25)

  def test_float32_rounding_is_not_a_difference(self):
    comparison = paired.compare_clients(pd.Series([0.6000000238]), pd.Series([0.6]))
    self.assertEqual(comparison[:5], (1, 0, 1, 0, 0.0))

  def test_pairs_by_client_and_leaves_out_the_unknown(self):
    method = pd.Series({'a': 0.9, 'b': math.nan, 'c': 0.5})
    other = pd.Series({'c': 0.4, 'b': 0.1, 'a': 0.8})
    comparison = paired.compare_clients(method, other)
    self.assertEqual(comparison.num_clients, 2)
    self.assertAlmostEqual(comparison.mean_difference, 0.1)

  def test_one_client_has_no_interval(self):
    comparison = paired.compare_clients(pd.Series([0.75]), pd.Series([0.5]))
    self.assertEqual(comparison.mean_difference, 0.25)
    self.assertTrue(math.isnan(comparison.low))

  def test_no_client(self):
    comparison = paired.compare_clients(pd.Series([math.nan]), pd.Series([0.5]))
    self.assertEqual(comparison.num_clients, 0)
    self.assertTrue(all(map(math.isnan, comparison[4:])))
    self.assertTrue(math.isnan(comparison.share_worse))


class WorstDecileMeanTest(parameterized.TestCase):
  @parameterized.parameters(1, 10, 11, 25)
  def test_sorted_by_hand(self, n):
    values = np.random.default_rng(n).permutation(n)
    num_worst = math.ceil(n / 10)
    self.assertEqual(paired.worst_decile_mean(values), sum(range(num_worst)) / num_worst)


if __name__ == '__main__':
  absltest.main()
