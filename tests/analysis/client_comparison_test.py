"""Tests of how evenly clients are served, by hand and by independent formulas."""

import math

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tff_lg.analysis import client_comparison


def _gini_by_pairs(values):
  """Returns the mean absolute difference over all pairs, divided by twice the mean."""
  return np.abs(values[:, np.newaxis] - values).mean() / (2 * values.mean())


class GiniTest(parameterized.TestCase):
  @parameterized.parameters(
    ([0.5, 0.5, 0.5], 0.0),
    ([0.0, 0.0], 0.0),
    ([0.75], 0.0),
    # One has everything: 1 - 1 / n.
    ([0.0, 1.0, 0.0, 0.0], 0.75),
    # Differences .2, .4, .2, each twice, of 9 pairs; mean .6: (1.6 / 9) / 1.2.
    ([0.8, 0.4, 0.6], 4 / 27),
  )
  def test_by_hand(self, values, expected):
    self.assertAlmostEqual(client_comparison.gini(np.array(values)), expected)

  @parameterized.parameters(2, 7, 100)
  def test_by_pairs(self, num_clients):
    values = np.random.default_rng(num_clients).uniform(size=num_clients)
    self.assertAlmostEqual(client_comparison.gini(values), _gini_by_pairs(values))
    self.assertAlmostEqual(client_comparison.gini(3 * values), _gini_by_pairs(values))

  def test_no_client(self):
    self.assertTrue(math.isnan(client_comparison.gini(np.array([]))))


class DescribeClientsTest(absltest.TestCase):
  def test_by_hand(self):
    spread = client_comparison.describe_clients(pd.Series([0.8, 0.4, math.nan, 0.6, 1.0]))
    self.assertAlmostEqual(spread.mean, 0.7)
    self.assertAlmostEqual(spread.median, 0.7)
    self.assertAlmostEqual(spread.worst_decile, 0.4)
    # Squared deviations .01, .09, .01, .09 of 4.
    self.assertAlmostEqual(spread.variance, 0.05)

  def test_no_client(self):
    spread = client_comparison.describe_clients(pd.Series([math.nan]))
    self.assertTrue(all(map(math.isnan, spread)))


class CompareAccuraciesTest(absltest.TestCase):
  def test_same_clients_on_both_sides(self):
    method = pd.Series({'a': 0.5, 'b': 0.9, 'c': 1.0})
    other = pd.Series({'c': math.nan, 'b': 0.7, 'a': 0.7})
    comparison = client_comparison.compare_accuracies(method, other)
    self.assertAlmostEqual(comparison.method.mean, 0.7)
    self.assertEqual(comparison.other.gini, 0)
    self.assertAlmostEqual(comparison.method.gini, 0.4 / 4 / 0.7)
    self.assertAlmostEqual(comparison.change.mean_difference, 0)
    self.assertAlmostEqual(comparison.change.worst_decile_difference, -0.2)
    self.assertEqual(comparison.change.share_worse, 0.5)


class ErrorsTest(absltest.TestCase):
  def test_the_worst_have_the_highest_error(self):
    spread = client_comparison.describe_clients(pd.Series([1.0, 2.0, 6.0]), 'local_test/mae')
    self.assertEqual((spread.mean, spread.worst_decile), (3.0, 6.0))


if __name__ == '__main__':
  absltest.main()
