"""Tests of the geometric median against a general minimiser."""

import numpy as np
from absl.testing import absltest, parameterized
from scipy import optimize

from tests.aggregators import testing
from tff_lg import aggregators
from tff_lg.aggregators.factories.geometric_median import geometric_median_rule


def _minimiser(rows, weights):
  rows = np.asarray(rows, np.float64)

  def sum_of_distances(point):
    return np.dot(weights, np.linalg.norm(rows - point, axis=1))

  start = np.average(rows, axis=0, weights=weights)
  return optimize.minimize(sum_of_distances, start, method='BFGS', options={'gtol': 1e-9}).x


class GeometricMedianTest(parameterized.TestCase):
  @parameterized.parameters(4, 7)
  def test_equals_scipy(self, num_clients):
    rows = testing.random_rows(num_clients)
    result, measurements = testing.apply(geometric_median_rule(1e-6), rows)
    np.testing.assert_allclose(result, _minimiser(rows, np.ones(num_clients)), atol=1e-4)
    self.assertBetween(measurements['num_iterations'], 2, 200)

  def test_weights_multiply_distances(self):
    rows, weights = testing.random_rows(6), [1, 2, 1.5, 1, 2, 0.5]
    rule = geometric_median_rule(1e-6)
    result = testing.apply(rule, rows, weights)[0]
    np.testing.assert_allclose(result, _minimiser(rows, weights), atol=1e-4)

  def test_on_a_line_it_is_the_median(self):
    direction = np.array([3.0, 4.0])
    rows = np.array([0.0, 1.0, 2.0, 7.0, 50.0])[:, None] * direction
    result = testing.apply(geometric_median_rule(1e-6), rows)[0]
    np.testing.assert_allclose(result, 2 * direction, rtol=1e-3)

  def test_client_of_more_than_half_the_weight_has_its_way(self):
    rows = testing.random_rows(4)
    rule = geometric_median_rule(1e-6)
    result = testing.apply(rule, rows, [1, 1, 10, 1])[0]
    np.testing.assert_allclose(result, rows[2], atol=1e-4)

  def test_updates_that_are_all_the_same(self):
    rows = np.full([5, 3], 0.1, np.float32)
    result = testing.apply(geometric_median_rule(1e-6), rows)[0]
    np.testing.assert_allclose(result, rows[0], rtol=1e-6)

  def test_smoothing_as_large_as_distances_gives_the_mean(self):
    rows = testing.random_rows(5)
    result = testing.apply(geometric_median_rule(1e3), rows)[0]
    np.testing.assert_allclose(result, rows.mean(axis=0), atol=1e-6)

  def test_order_does_not_matter(self):
    testing.assert_order_does_not_matter(
      geometric_median_rule(1e-6),
      testing.random_rows(6, 20),
      [1, 2, 1.5, 1, 2, 0.5],
      atol=1e-5,
    )

  @parameterized.parameters(1e6, 1e20)
  def test_breaks_down_at_half(self, value):
    rows, rule = testing.random_rows(9), geometric_median_rule(1e-6)
    for num_attackers in range(7):
      attacked = testing.attacked(rows, num_attackers, value)
      result = testing.apply(rule, attacked)[0]
      honest = rows[num_attackers:]
      # Attackers pull, but no farther than a few times the honest updates' own spread.
      moved = np.linalg.norm(result - honest.mean(axis=0))
      spread = np.linalg.norm(honest - honest.mean(axis=0), axis=1).max()
      self.assertEqual(bool(moved < 5 * spread), num_attackers <= 4)

  def test_refuses_no_smoothing(self):
    with self.assertRaisesRegex(ValueError, 'smoothing is 0.0, expected a positive number'):
      aggregators.geometric_median(smoothing=0.0)


if __name__ == '__main__':
  absltest.main()
