"""Tests of MoNNA against its definition in numpy."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg import aggregators
from tff_lg.aggregators.factories.monna import monna_rule


class MonnaTest(parameterized.TestCase):
  @parameterized.parameters((5, 0), (5, 2), (9, 4), (2, 3))
  def test_mean_of_those_nearest_to_the_first(self, num_clients, num_byzantine):
    rows, weights = testing.random_rows(num_clients), np.arange(num_clients) + 1
    nearest = np.argsort(np.linalg.norm(rows - rows[0], axis=1))
    nearest = nearest[: max(num_clients - num_byzantine, 1)]
    result, _ = testing.apply(monna_rule(num_byzantine), rows, weights)
    expected = np.average(rows[nearest], axis=0, weights=weights[nearest])
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)

  def test_an_attacker_that_is_trusted_wins(self):
    rows = testing.attacked(testing.random_rows(5), 1, value=7.0)
    result, _ = testing.apply(monna_rule(4), rows)
    np.testing.assert_array_equal(result, rows[0])
    last, _ = testing.apply(monna_rule(1), rows[::-1])
    np.testing.assert_allclose(last, rows[1:].mean(axis=0), rtol=1e-5, atol=1e-6)

  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, 'num_byzantine is -1, expected 0 or more'):
      aggregators.monna(-1)


if __name__ == '__main__':
  absltest.main()
