"""Tests of Bulyan against its definition in numpy."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg import aggregators
from tff_lg.aggregators.factories.bulyan import bulyan_rule


def _bulyan(rows, f):
  """Computes the mean around the median of what Krum selects again and again."""
  left, chosen = list(range(len(rows))), []
  for _ in range(max(len(rows) - 2 * f, 1)):
    num_neighbours = max(len(left) - f - 2, 1)
    scores = []
    for i in left:
      others = sorted(np.sum((rows[i] - rows[j]) ** 2) for j in left if j != i)
      scores.append(sum(others[:num_neighbours]))
    chosen.append(left.pop(int(np.argmin(scores))))
  values = rows[sorted(chosen)]
  distance = np.abs(values - np.median(values, axis=0))
  closest = np.argsort(distance, axis=0, kind='stable')[: max(len(values) - 2 * f, 1)]
  return np.take_along_axis(values, closest, axis=0).mean(axis=0)


class BulyanTest(parameterized.TestCase):
  @parameterized.parameters((3, 0), (7, 1), (11, 2), (12, 2), (5, 2), (2, 1), (1, 1))
  def test_definition(self, num_clients, num_byzantine):
    rows = testing.random_rows(num_clients)
    result, measurements = testing.apply(bulyan_rule(num_byzantine), rows)
    expected = _bulyan(rows.astype(np.float64), num_byzantine)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    self.assertEqual(measurements['num_chosen'], max(num_clients - 2 * num_byzantine, 1))

  def test_survives_its_number_of_attackers(self):
    survived = testing.most_attackers_survived(bulyan_rule(2), testing.random_rows(11))
    self.assertGreaterEqual(survived, 2)

  def test_refuses_too_few_clients(self):
    aggregators.bulyan(1, 7)
    with self.assertRaisesRegex(ValueError, 'num_byzantine is 1, expected from 0 to .* with num_'):
      aggregators.bulyan(1, 6)


if __name__ == '__main__':
  absltest.main()
