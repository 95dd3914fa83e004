"""Tests of minimum-diameter averaging against all subsets in numpy."""

import itertools

import numpy as np
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg import aggregators
from tff_lg.aggregators.factories.minimum_diameter import minimum_diameter_rule


def _closest(rows, num_left_out):
  """Returns the least diameter and its subset, the first by those left out."""
  everyone, found = range(len(rows)), []
  for left_out in itertools.combinations(everyone, num_left_out):
    subset = [each for each in everyone if each not in left_out]
    found.append((max(np.linalg.norm(rows[i] - rows[j]) for i in subset for j in subset), subset))
  return min(found, key=lambda each: each[0])


class MinimumDiameterTest(parameterized.TestCase):
  @parameterized.parameters((5, 0), (5, 2), (7, 2), (9, 4))
  def test_mean_of_the_closest_subset(self, num_clients, num_byzantine):
    rows, weights = testing.random_rows(num_clients), np.arange(num_clients) + 1
    diameter, subset = _closest(rows, num_byzantine)
    rule = minimum_diameter_rule(num_byzantine, num_clients)
    result, measurements = testing.apply(rule, rows, weights)
    expected = np.average(rows[subset], axis=0, weights=weights[subset])
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(measurements['diameter'], diameter, rtol=1e-6)

  @parameterized.parameters((6, 2), (3, 2), (2, 0), (1, 0))
  def test_fewer_clients_than_expected(self, num_present, num_left_out):
    rows = testing.random_rows(num_present)
    result, _ = testing.apply(minimum_diameter_rule(2, 7), rows)
    _, subset = _closest(rows, num_left_out)
    np.testing.assert_allclose(result, rows[subset].mean(axis=0), rtol=1e-5, atol=1e-6)

  def test_survives_its_number_of_attackers(self):
    rule = minimum_diameter_rule(3, 7)
    self.assertEqual(testing.most_attackers_survived(rule, testing.random_rows(7)), 3)

  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, r'num_byzantine is 3, expected from 0 to \(num_clien'):
      aggregators.minimum_diameter_mean(3, 6)
    with self.assertRaisesRegex(ValueError, 'is 10 of 30 clients: 30,045,015 subsets, expected'):
      aggregators.minimum_diameter_mean(10, 30)


if __name__ == '__main__':
  absltest.main()
