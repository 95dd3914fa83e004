"""Tests of the mean around the median against its definition in numpy."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg import aggregators
from tff_lg.aggregators.factories.mean_around_median import mean_around_median_rule


def around_median(rows, num_kept):
  """Computes the mean of the values of each coordinate closest to its median."""
  distance = np.abs(rows - np.median(rows, axis=0))
  closest = np.argsort(distance, axis=0, kind='stable')[:num_kept]
  return np.take_along_axis(rows, closest, axis=0).mean(axis=0)


class MeanAroundMedianTest(parameterized.TestCase):
  @parameterized.parameters((5, 0), (5, 2), (8, 3), (2, 2))
  def test_mean_of_the_closest_values(self, num_clients, num_byzantine):
    rows = testing.random_rows(num_clients)
    result, _ = testing.apply(mean_around_median_rule(num_byzantine, chunk_size=3), rows)
    expected = around_median(rows, max(num_clients - num_byzantine, 1))
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)

  def test_survives_its_number_of_attackers(self):
    rule = mean_around_median_rule(3)
    self.assertEqual(testing.most_attackers_survived(rule, testing.random_rows(7)), 3)

  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, 'num_byzantine is -1, expected 0 or more'):
      aggregators.mean_around_median(-1)


if __name__ == '__main__':
  absltest.main()
