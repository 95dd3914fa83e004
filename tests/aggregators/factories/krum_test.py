"""Tests of Krum and Multi-Krum against their definition in numpy."""

import numpy as np
from absl.testing import absltest, parameterized

from tests.aggregators import testing
from tff_lg import aggregators
from tff_lg.aggregators.factories.krum import multi_krum_rule


def _order(rows, num_byzantine):
  """Returns clients by their score, the lowest first."""
  rows = np.asarray(rows, np.float64)
  squared = ((rows[:, None] - rows[None]) ** 2).sum(-1)
  num_neighbours = max(len(rows) - num_byzantine - 2, 1)
  return np.argsort(np.sort(squared, axis=1)[:, 1 : num_neighbours + 1].sum(axis=1), kind='stable')


class KrumTest(parameterized.TestCase):
  @parameterized.parameters((0, 3), (1, 5), (2, 9))
  def test_krum_is_the_update_of_the_lowest_score(self, num_byzantine, num_clients):
    rows = testing.random_rows(num_clients)
    result, measurements = testing.apply(multi_krum_rule(num_byzantine, 1), rows)
    np.testing.assert_array_equal(result, rows[_order(rows, num_byzantine)[0]])
    self.assertEqual(measurements['num_chosen'], 1)

  @parameterized.parameters((1, 5, 4, 4), (2, 9, 7, 7), (2, 9, 3, 3))
  def test_multi_krum_is_the_mean_of_the_lowest_scores(self, f, num_clients, num_chosen, expected):
    rows = testing.random_rows(num_clients)
    result, measurements = testing.apply(multi_krum_rule(f, num_chosen), rows)
    chosen = rows[_order(rows, f)[:expected]]
    np.testing.assert_allclose(result, chosen.mean(axis=0), rtol=1e-5, atol=1e-6)
    self.assertEqual(measurements['num_chosen'], expected)

  def test_weights_count_in_the_mean_of_the_chosen(self):
    rows, weights = testing.random_rows(7), np.array([3, 1, 2, 5, 1, 4, 2])
    chosen = _order(rows, 2)[:5]
    expected = np.average(rows[chosen], axis=0, weights=weights[chosen])
    rule = multi_krum_rule(2, 5)
    result = testing.apply(rule, rows, weights)[0]
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)

  @parameterized.parameters(1, 2, 3, 4)
  def test_fewer_clients_than_expected(self, num_present):
    rows = testing.random_rows(num_present)
    order = _order(rows, 2)
    krum_result = testing.apply(multi_krum_rule(2, 1), rows)
    np.testing.assert_array_equal(krum_result[0], rows[order[0]])
    multi_krum_result = testing.apply(multi_krum_rule(2, 7), rows)
    expected = rows[order[: max(num_present - 2, 1)]].mean(axis=0)
    np.testing.assert_allclose(multi_krum_result[0], expected, rtol=1e-5, atol=1e-6)

  def test_small_differences_between_large_updates(self):
    rows = 1e4 + testing.random_rows(9, 50)
    result = testing.apply(multi_krum_rule(2, 1), rows)[0]
    np.testing.assert_array_equal(result, rows[_order(rows, 2)[0]])

  def test_order_does_not_matter(self):
    rows = testing.random_rows(7, 20)
    weights = [3, 1, 2, 5, 1, 4, 2]
    for num_chosen in (1, 5):
      testing.assert_order_does_not_matter(multi_krum_rule(2, num_chosen), rows, weights)

  def test_multi_krum_breaks_down_above_its_number_of_attackers(self):
    rule = multi_krum_rule(3, 6)
    self.assertEqual(testing.most_attackers_survived(rule, testing.random_rows(9)), 3)

  def test_krum_breaks_down_when_attackers_are_each_others_neighbours(self):
    # It is promised to survive f = 3. With n - f - 2 = 4 neighbours, it takes five attackers that
    # send the same for a score of zero, when the four honest ones have too few near them.
    rule = multi_krum_rule(3, 1)
    self.assertEqual(testing.most_attackers_survived(rule, testing.random_rows(9)), 4)

  def test_refuses_too_few_clients(self):
    for build in (aggregators.krum, aggregators.multi_krum):
      build(1, 5)
      with self.assertRaisesRegex(ValueError, 'num_clients is 4, expected at least 5 for Krum'):
        build(1, 4)

  def test_refuses_other_numbers(self):
    with self.assertRaisesRegex(ValueError, 'num_byzantine is -1, expected 0 or more'):
      aggregators.krum(-1, 5)
    for num_chosen in (0, 5):
      with self.assertRaisesRegex(ValueError, f'num_chosen is {num_chosen}, expected from 1 to 4'):
        aggregators.multi_krum(1, 5, num_chosen)


if __name__ == '__main__':
  absltest.main()
