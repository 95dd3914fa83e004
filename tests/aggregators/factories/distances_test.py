"""Tests of products and distances in double precision."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg.aggregators.factories import distances


class DistancesTest(parameterized.TestCase):
  @parameterized.parameters(1, 8192, 8193, 20_000)  # Less than a chunk, one, and more.
  def test_products(self, num_weights):
    rows = testing.random_rows(3, num_weights)
    products = distances.inner_products(tf.constant(rows)).numpy()
    exact = rows.astype(np.float64)
    np.testing.assert_allclose(products, exact @ exact.T, rtol=1e-12)

  def test_no_weights(self):
    products = distances.inner_products(tf.zeros([3, 0]))
    np.testing.assert_array_equal(products, np.zeros([3, 3]))

  def test_distances_beside_a_huge_update(self):
    rows = np.array([[1.0, 2.0], [4.0, 6.0], [3e30, 0.0]], np.float32)
    products = distances.inner_products(tf.constant(rows))
    squared = distances.squared_distances(products).numpy()
    np.testing.assert_allclose(squared[0, :2], [0.0, 25.0])
    np.testing.assert_allclose(squared[2, :2], np.float64(rows[2, 0]) ** 2)


if __name__ == '__main__':
  absltest.main()
