"""Tests of the search of a grid of several options."""

import math

from absl.testing import absltest

from tff_lg.suites import search

_RATE = search.SearchAxis('rate', (0.1, 0.3, 1.0), 0.3)
_MOMENTUM = search.SearchAxis('momentum', (0.0, 0.9), 0.0, grows=False)


def _search(axes, score, mode):
  scores = {}
  while points := search.next_points(axes, scores, mode):
    scores |= {point: score(*point) for point in points}
  return scores


class NextPointsTest(absltest.TestCase):
  def test_neighbours_one_axis_after_another(self):
    scores = _search([_RATE, _MOMENTUM], lambda rate, momentum: -rate - momentum, 'neighbours')
    # From the middle down, beyond the grid's end by its ratio, then momentum at the best rate.
    rates = [0.3, 0.1, 1.0, 0.03333, 0.01111, 0.003703, 0.001234]
    self.assertEqual(list(scores), [*((rate, 0.0) for rate in rates), (0.001234, 0.9)])
    self.assertEqual(search.best_point(scores), (0.001234, 0.0))
    self.assertEqual(search.at_ends([_RATE, _MOMENTUM], (0.001234, 0.0)), ['rate'])

  def test_best_inside_has_both_neighbours(self):
    def score(rate, strength):
      return -abs(math.log(rate / 1.0)) - abs(math.log(strength / 2))

    axes = [_RATE, search.SearchAxis('strength', (2, 4), 4)]
    scores = _search(axes, score, 'neighbours')
    best = search.best_point(scores)
    self.assertEqual(best, (1.0, 2))
    self.assertContainsSubset([(0.3, 2), (3.333, 2), (1.0, 1), (1.0, 4)], scores)
    self.assertEmpty(search.at_ends(axes, best))

  def test_full_grid_then_growth(self):
    scores = _search([_RATE, _MOMENTUM], lambda rate, momentum: -abs(rate - 3) + momentum, 'full')
    grid = [(rate, momentum) for rate in _RATE.values for momentum in _MOMENTUM.values]
    self.assertEqual(list(scores), [*grid, (3.333, 0.9), (11.11, 0.9), (3.333, 0.0)])

  def test_start_alone(self):
    self.assertEqual(_search([_RATE, _MOMENTUM], lambda *_: 0, 'start'), {(0.3, 0.0): 0})

  def test_ties_go_to_the_first_and_nan_is_the_worst(self):
    self.assertEqual(search.best_point({(1.0,): math.nan, (2.0,): -5, (3.0,): -5}), (2.0,))
    self.assertEqual(search.best_point({(1.0,): -math.inf, (2.0,): math.nan}), (1.0,))


if __name__ == '__main__':
  absltest.main()
