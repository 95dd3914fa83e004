"""Tests of the coordinate-wise median, plain and weighted."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg import aggregators
from tff_lg.aggregators.factories.median import median_rule


def _weighted_median(values, weights):
  """Counts each client as often as its whole weight says."""
  return np.median(np.repeat(values, weights, axis=0), axis=0)


class MedianTest(parameterized.TestCase):
  @parameterized.parameters(1, 2, 5, 6)
  def test_equals_numpy(self, num_clients):
    rows = testing.random_rows(num_clients)
    result = testing.apply(median_rule(100), rows)[0]
    np.testing.assert_array_equal(result, np.median(rows, axis=0))

  def test_equal_values_around_the_middle(self):
    rows = np.array([[0, 1, 2], [1, 1, 2], [1, 3, 2], [5, 3, 0]])
    np.testing.assert_array_equal(testing.apply(median_rule(100), rows)[0], [1, 2, 2])

  @parameterized.parameters(([1, 2, 4, 1, 1, 3],), ([3, 1, 1, 1],), ([5, 1, 1],), ([2, 2, 2, 2],))
  def test_whole_weights_repeat_clients(self, weights):
    rows = testing.random_rows(len(weights))
    result = testing.apply(median_rule(100), rows, weights)[0]
    np.testing.assert_allclose(result, _weighted_median(rows, weights), rtol=1e-6)

  def test_weights_that_split_in_half_up_to_rounding(self):
    rows = [[0.0], [1.0], [2.0]]
    rule = median_rule(100)
    # In float32, 0.1 + 0.2 is less than 0.3.
    self.assertEqual(testing.apply(rule, rows, [0.1, 0.2, 0.3])[0], 1.5)
    self.assertEqual(testing.apply(rule, rows, [0.3, 0.2, 0.1])[0], 0.5)
    self.assertEqual(testing.apply(rule, rows, [0.1, 0.2, 0.31])[0], 2.0)

  def test_order_does_not_matter(self):
    for num_clients in (5, 6):
      rows = testing.random_rows(num_clients, 20)
      rule = median_rule(100)
      testing.assert_order_does_not_matter(rule, rows, [1, 2, 1, 1, 4, 3][:num_clients])
      testing.assert_order_does_not_matter(rule, rows, [1] * num_clients)

  @parameterized.parameters((5, 2), (6, 2))
  def test_breaks_down_at_half(self, num_clients, expected):
    rows = testing.random_rows(num_clients)
    self.assertEqual(testing.most_attackers_survived(median_rule(100), rows), expected)

  @parameterized.parameters((False,), (True,))
  def test_chunks_change_nothing(self, weighted):
    rows, weights = testing.random_rows(4, 10), [1, 2, 1, 3] if weighted else None
    expected = testing.apply(median_rule(100), rows, weights)[0]
    for chunk_size in (1, 4, 5):
      rule = median_rule(chunk_size)
      result = testing.apply(rule, rows, weights)[0]
      np.testing.assert_array_equal(result, expected)

  def test_refuses_chunks_of_nothing(self):
    with self.assertRaisesRegex(ValueError, 'chunk_size is 0, expected a positive number'):
      aggregators.median(chunk_size=0)


if __name__ == '__main__':
  absltest.main()
