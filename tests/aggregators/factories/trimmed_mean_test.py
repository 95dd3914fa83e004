"""Tests of the coordinate-wise trimmed mean, plain and weighted."""

import numpy as np
from absl.testing import absltest, parameterized
from scipy import stats

from tests.aggregators import testing
from tff_lg import aggregators
from tff_lg.aggregators.factories.trimmed_mean import trimmed_mean_rule


class TrimmedMeanTest(parameterized.TestCase):
  @parameterized.parameters((0.0, 5), (0.2, 5), (0.25, 7), (0.49, 6), (0.4, 1))
  def test_equals_scipy(self, share, num_clients):
    rows = testing.random_rows(num_clients)
    result, measurements = testing.apply(trimmed_mean_rule(share, 100), rows)
    np.testing.assert_allclose(result, stats.trim_mean(rows, share), rtol=1e-5, atol=1e-6)
    self.assertEqual(measurements['num_trimmed'], int(share * num_clients))

  def test_share_survives_rounding(self):
    # As floats, 0.29 * 100 is 28.999999999999996.
    rows = testing.random_rows(100, 1)
    result, measurements = testing.apply(trimmed_mean_rule(0.29, 100), rows)
    self.assertEqual(measurements['num_trimmed'], 29)
    np.testing.assert_allclose(result, np.sort(rows, axis=0)[29:71].mean(), rtol=1e-5)

  def test_weights_count_after_the_cut(self):
    rows = testing.random_rows(7)
    weights = np.array([3, 1, 2, 5, 1, 4, 2], np.float32)
    order = np.argsort(rows, axis=0)[2:-2]
    expected = np.average(np.take_along_axis(rows, order, 0), axis=0, weights=weights[order])
    rule = trimmed_mean_rule(0.3, 100)
    np.testing.assert_allclose(
      testing.apply(rule, rows, weights)[0], expected, rtol=1e-5, atol=1e-6
    )

  def test_equal_values_at_the_cut_share_what_is_kept(self):
    # Two of three ones are kept, so each counts by two thirds: (1/3 * 2 * (3 + 6 + 9) + 5 * 1)
    # over (1/3 * 2 * 18 + 1), with the values 1, 1, 1, 5.
    rows = [[1.0], [1.0], [1.0], [5.0], [9.0]]
    rule = trimmed_mean_rule(0.2, 100)
    result = testing.apply(rule, rows, [3, 6, 9, 1, 1])[0]
    np.testing.assert_allclose(result, [(12 * 1 + 1 * 5) / 13], rtol=1e-6)

  def test_all_values_kept_are_equal(self):
    rows = [[1.0, 1.0], [2.0, 2.0], [2.0, 1.0], [2.0, 1.0], [7.0, 1.0]]
    result = testing.apply(trimmed_mean_rule(0.2, 100), rows)[0]
    np.testing.assert_allclose(result, [2.0, 1.0])

  def test_order_does_not_matter(self):
    rows = np.round(testing.random_rows(7, 20))  # With equal values at the cuts.
    testing.assert_order_does_not_matter(trimmed_mean_rule(0.3, 100), rows, [3, 1, 2, 5, 1, 4, 2])

  @parameterized.parameters((0.3, 10, 3), (0.25, 10, 2), (0.0, 4, 0))
  def test_breaks_down_above_its_share(self, share, num_clients, expected):
    rows, rule = testing.random_rows(num_clients), trimmed_mean_rule(share, 100)
    self.assertEqual(testing.most_attackers_survived(rule, rows), expected)

  def test_chunks_change_nothing(self):
    rows = testing.random_rows(5, 10)
    expected = testing.apply(trimmed_mean_rule(0.2, 100), rows)[0]
    for chunk_size in (3, 10):
      rule = trimmed_mean_rule(0.2, chunk_size)
      np.testing.assert_allclose(testing.apply(rule, rows)[0], expected, rtol=1e-6)

  @parameterized.parameters(-0.1, 0.5, float('nan'))
  def test_refuses_other_shares(self, share):
    with self.assertRaisesRegex(ValueError, 'trimmed_share is .*, expected at least 0 and less'):
      aggregators.trimmed_mean(share)

  def test_refuses_chunks_of_nothing(self):
    with self.assertRaisesRegex(ValueError, 'chunk_size is -1, expected a positive number'):
      aggregators.trimmed_mean(0.1, chunk_size=-1)


if __name__ == '__main__':
  absltest.main()
