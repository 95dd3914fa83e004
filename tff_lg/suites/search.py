"""Which points of a grid to try next: a grid that grows until its best point lies inside."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tff_lg import grid_search

Point = tuple[float, ...]

# start: one point; neighbours: from there on to better neighbours; full: all points first.
SEARCHES = ('neighbours', 'full', 'start')


class SearchAxis(NamedTuple):
  """An option and the values that it may have.

  Attributes:
    name: of the flag.
    values: ascending.
    start: one of them, from which the search continues to its neighbours.
    grows: whether values are added at an end while the best stands there; they are positive then.
  """

  name: str
  values: tuple[float, ...]
  start: float
  grows: bool = True


def next_points(
  axes: Sequence[SearchAxis], scores: Mapping[Point, float], search: str
) -> list[Point]:
  """Returns the points to score next; none once both neighbours of the best are known on each axis.

  Neighbours are tried one axis after another, on each until the best lies between them. Axes that
  grow have `grid_search.MOST_EXTENSIONS` more values at each end.

  Args:
    axes: of the grid.
    scores: of the points tried, greater is better, in the order in which they were tried; NaN and
      negative infinity are the worst.
    search: one of `SEARCHES`.
  """
  if not scores:
    if search == 'full':
      return list(itertools.product(*(axis.values for axis in axes)))
    return [tuple(axis.start for axis in axes)]
  if search == 'start':
    return []
  best = best_point(scores)
  for place, axis in enumerate(axes):
    known = _grown(axis)
    at = known.index(best[place])
    beside = [known[each] for each in (at - 1, at + 1) if 0 <= each < len(known)]
    points = [(*best[:place], value, *best[place + 1 :]) for value in beside]
    if new := [point for point in points if point not in scores]:
      return new
  return []


def best_point(scores: Mapping[Point, float]) -> Point:
  """Returns the point with the greatest score, of equals the one tried first."""
  return max(scores, key=lambda point: -math.inf if math.isnan(scores[point]) else scores[point])


def at_ends(axes: Sequence[SearchAxis], best: Point) -> list[str]:
  """Returns the names of growing axes on which a point is the last that could be tried."""
  return [
    axis.name
    for axis, value in zip(axes, best, strict=True)
    if axis.grows and value in (_grown(axis)[0], _grown(axis)[-1])
  ]


def _grown(axis: SearchAxis) -> tuple[float, ...]:
  """Returns an axis' values with those that it may grow by."""
  return grid_search.extended(axis.values) if axis.grows else axis.values
