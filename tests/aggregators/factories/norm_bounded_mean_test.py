"""Tests of the mean of updates of bounded norm."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg import aggregators, simulation


def setUpModule():
  simulation.set_execution_context()


def _clipped(rows, bound):
  norms = np.linalg.norm(rows, axis=1, keepdims=True)
  return rows * np.minimum(1.0, bound / norms)


class NormBoundedMeanTest(parameterized.TestCase):
  @parameterized.parameters(1, 2.5, 1e3)
  def test_is_the_mean_of_clipped_updates(self, bound):
    rows = testing.random_rows(5)
    output = testing.aggregate(aggregators.norm_bounded_mean(bound), rows)
    np.testing.assert_allclose(output.result, _clipped(rows, bound).mean(axis=0), atol=1e-6)
    num_clipped = (np.linalg.norm(rows, axis=1) > bound).sum()
    self.assertEqual(output.measurements['clipped_count'], num_clipped)

  def test_weights_do_not_change_the_bound(self):
    rows, weights = testing.random_rows(4), [1, 5, 0.5, 2]
    factory = aggregators.norm_bounded_mean(2.0, weighted=True)
    result = testing.aggregate(factory, rows, weights).result
    expected = np.average(_clipped(rows, 2.0), axis=0, weights=weights)
    np.testing.assert_allclose(result, expected, atol=1e-6)

  def test_one_attacker_moves_it_but_not_far(self):
    rows, factory = testing.random_rows(8), aggregators.norm_bounded_mean(1.0)
    honest = testing.aggregate(factory, rows).result
    for num_attackers in (1, 2):
      attacked = testing.attacked(rows, num_attackers)
      moved = np.linalg.norm(testing.aggregate(factory, attacked).result - honest)
      self.assertBetween(moved, 1e-2, num_attackers * 2 * 1.0 / 8)

  @parameterized.parameters(np.nan, np.inf)
  def test_update_that_is_not_finite_is_absent(self, number):
    rows = testing.random_rows(4)
    rows[1, 2] = number
    others = rows[[0, 2, 3]]
    result = testing.aggregate(aggregators.norm_bounded_mean(2.0), rows).result
    np.testing.assert_allclose(result, _clipped(others, 2.0).mean(axis=0), atol=1e-6)
    weighted = aggregators.norm_bounded_mean(2.0, weighted=True)
    result = testing.aggregate(weighted, rows, [1, 7, 0, 3]).result
    expected = np.average(_clipped(others, 2.0), axis=0, weights=[1, 0, 3])
    np.testing.assert_allclose(result, expected, atol=1e-6)
    huge = testing.aggregate(weighted, rows, [1, 7, np.inf, 3]).result
    np.testing.assert_allclose(
      huge, np.average(_clipped(rows[[0, 3]], 2.0), axis=0, weights=[1, 3]), atol=1e-6
    )
    alone = testing.aggregate(aggregators.norm_bounded_mean(2.0), rows[1:2]).result
    np.testing.assert_array_equal(alone, np.zeros(7))

  @parameterized.parameters(0, -1.0, float('nan'))
  def test_refuses_other_bounds(self, bound):
    with self.assertRaisesRegex(ValueError, 'bound is .*, expected a positive norm'):
      aggregators.norm_bounded_mean(bound)


if __name__ == '__main__':
  absltest.main()
