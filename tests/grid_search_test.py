"""Tests of the search of a grid that grows."""

import math

from absl.testing import absltest, parameterized

from tff_lg import grid_search


class GridSearchTest(parameterized.TestCase):
  @parameterized.parameters(
    # The best of a parabola in log10: inside, beyond the upper end, beyond the lower one.
    (1.0, (0.1, 1.0, 10.0), 1.0, [0.1, 1, 10]),
    (100.0, (0.1, 1.0, 10.0), 100.0, [0.1, 1, 10, 100, 1000]),
    (0.01, (0.1, 1.0, 10.0), 0.01, [0.001, 0.01, 0.1, 1, 10]),
    (3.0, (1.0,), 3.0, [1 / 3, 1, 3, 9]),
  )
  def test_grows_until_the_best_is_inside(self, optimum, values, best, tried):
    found = grid_search.search(
      values, lambda value: (-(math.log10(value / optimum) ** 2),), grows=True
    )
    self.assertEqual(found.best, best)
    self.assertFalse(found.improves_outwards)
    for value, expected in zip(found.tried, tried, strict=True):
      self.assertAlmostEqual(value, expected, places=4)

  def test_grows_four_times_at_most(self):
    found = grid_search.search((1.0, 2.0), lambda value: (value,), grows=True)
    self.assertEqual(list(found.tried), [1, 2, 4, 8, 16, 32])
    self.assertEqual((found.best, found.improves_outwards), (32, True))

  def test_values_that_may_be_added(self):
    expected = (0.0625, 0.125, 0.25, 0.5, 1, 2, 6, 18, 54, 162, 486)
    self.assertEqual(grid_search.extended((1, 2, 6)), expected)
    self.assertEqual(grid_search.extended((3.0,))[3:6], (1, 3, 9))

  def test_given_values_are_all_there_is(self):
    found = grid_search.search((3.0, 1.0, 2.0), lambda value: (value,), grows=False)
    self.assertEqual((list(found.tried), found.best), ([1, 2, 3], 3))
    self.assertTrue(found.improves_outwards)
    self.assertEqual(found.describe(), '1, 2, 3')

  def test_ties_go_to_the_second_score_then_to_the_first_tried(self):
    scores = {1.0: (1, -5), 2.0: (1, -2), 3.0: (1, -2)}
    self.assertEqual(grid_search.search((3, 1, 2), scores.get, grows=False).best, 3)
    self.assertEqual(grid_search.search((1, 2), scores.get, grows=False).best, 2)

  def test_an_end_not_better_by_the_first_score_does_not_improve_outwards(self):
    scores = {1.0: (0.9, -2.0), 2.0: (0.9, -1.0)}
    found = grid_search.search((1.0, 2.0), scores.get, grows=False)
    self.assertEqual((found.best, found.improves_outwards), (2, False))
    self.assertFalse(grid_search.search((1.0,), scores.get, grows=False).improves_outwards)

  def test_not_a_number_is_the_worst(self):
    scores = {1.0: (math.nan, 1.0), 2.0: (-1e9, 0.0)}
    found = grid_search.search((1.0, 2.0), scores.get, grows=False)
    self.assertEqual((found.best, found.tried[1.0]), (2, (-math.inf, -math.inf)))

  def test_grid_around(self):
    self.assertEqual(grid_search.grid_around(0.05), (0.01667, 0.05, 0.15))


if __name__ == '__main__':
  absltest.main()
