"""Tests of working on some coordinates at a time."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg.aggregators.factories import coordinates


class MapCoordinatesTest(parameterized.TestCase):
  @parameterized.parameters(1, 3, 4, 9, 10, 11, 100)
  def test_chunks_of_any_size(self, chunk_size):
    rows, shapes = testing.random_rows(4, 10), []

    def sum_clients(values):
      shapes.append(values.shape)
      return tf.reduce_sum(values, axis=1)

    result = coordinates.map_coordinates(sum_clients, tf.constant(rows), chunk_size)
    np.testing.assert_allclose(result, rows.sum(axis=0), rtol=1e-5, atol=1e-6)
    self.assertEqual(set(shapes), {(min(chunk_size, 10), 4)})

  def test_no_coordinates(self):
    self.assertEqual(coordinates.map_coordinates(tf.identity, tf.zeros([3, 0]), 5).shape, [0])


if __name__ == '__main__':
  absltest.main()
