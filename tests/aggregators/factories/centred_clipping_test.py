"""Tests of centred clipping against its definition in numpy."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg import aggregators, simulation
from tff_lg.aggregators.factories import gathering
from tff_lg.aggregators.factories.centred_clipping import centred_clipping_rule
from tff_lg.compatibility import tff


def setUpModule():
  simulation.set_execution_context()


def _aggregate(center, rows, weights, radius, num_iterations):
  for _ in range(num_iterations):
    steps = [(row - center) * min(1, radius / np.linalg.norm(row - center)) for row in rows]
    center = center + np.average(steps, axis=0, weights=weights)
  return center


class CentredClippingTest(parameterized.TestCase):
  @parameterized.parameters((0.5, 1), (2.5, 3), (100.0, 1))
  def test_a_round(self, radius, num_iterations):
    rows, center = testing.random_rows(6), testing.random_rows(1, seed=1)[0]
    weights = np.array([1, 2, 1, 3, 1, 1])
    rule = centred_clipping_rule(radius, num_iterations)
    state, result, _ = rule.apply(tf.constant(center), tf.constant(rows), np.float32(weights))
    expected = _aggregate(center, rows, weights, radius, num_iterations)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(state, result)

  def test_counts_those_clipped(self):
    rows = [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]]
    result, measurements = testing.apply(gathering.first_round(centred_clipping_rule(1.0)), rows)
    np.testing.assert_allclose(result, [0.3, 0.4], rtol=1e-6)
    self.assertEqual(measurements['num_clipped'], 1)

  def test_remembers_the_last_aggregate_but_nobodys(self):
    rows = np.float32([[4.0, 0.0], [4.0, 0.0]])
    process = aggregators.centred_clipping(1.0, weighted=True).create(
      tff.TensorType(np.float32, [2]), tff.TensorType(np.float32)
    )
    output = process.next(process.initialize(), list(rows), [1.0, 1.0])
    np.testing.assert_allclose(output.result, [1.0, 0.0])
    nobody = process.next(output.state, list(rows), [0.0, 0.0])
    np.testing.assert_array_equal(nobody.result, [0.0, 0.0])
    again = process.next(nobody.state, list(rows), [1.0, 0.0])
    np.testing.assert_allclose(again.result, [2.0, 0.0])
    self.assertEqual(again.measurements['num_updates'], 1)

  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, 'radius is 0.0, expected a positive number'):
      aggregators.centred_clipping(0.0)
    with self.assertRaisesRegex(ValueError, 'num_iterations is 0, expected 1 or more'):
      aggregators.centred_clipping(1.0, 0)


if __name__ == '__main__':
  absltest.main()
