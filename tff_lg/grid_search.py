"""Choosing a positive number by a score, from a grid that grows until its best lies inside."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

# Values tried beyond each end of the first grid at most.
MOST_EXTENSIONS = 4
# Ratio of neighbours where the first grid has one value.
_RATIO = 3.0


class GridSearch(NamedTuple):
  """The result of a search.

  Attributes:
    best: the value with the greatest score; of equals the one tried first.
    tried: the score of each value, ascending by value.
  """

  best: float
  tried: dict[float, tuple[float, ...]]

  @property
  def improves_outwards(self) -> bool:
    """Whether the best is at an end of the grid and its first score above its neighbour's."""
    values = list(self.tried)
    place = values.index(self.best)
    if len(values) == 1 or 0 < place < len(values) - 1:
      return False
    neighbour = values[1 if place == 0 else -2]
    return self.tried[self.best][0] > self.tried[neighbour][0]

  def describe(self) -> str:
    """Returns the values tried, such as `0.0167, 0.05, 0.15`."""
    return ', '.join(f'{value:g}' for value in self.tried)


def grid_around(value: float) -> tuple[float, ...]:
  """Returns a third of a value, in four digits, the value, and three times it."""
  return _rounded(value / _RATIO), value, _rounded(value * _RATIO)


def extended(values: Sequence[float]) -> tuple[float, ...]:
  """Returns ascending positive values with those that may be added at each end, see `search`."""
  values = tuple(values)
  for _ in range(MOST_EXTENSIONS):
    low, high = _ratios(values)
    values = (_rounded(values[0] / low), *values, _rounded(values[-1] * high))
  return values


def _ratios(values: Sequence[float]) -> tuple[float, float]:
  """Returns the ratios of the first two values and of the last two."""
  if len(values) == 1:
    return _RATIO, _RATIO
  return values[1] / values[0], values[-1] / values[-2]


def search(
  values: Sequence[float],
  score: Callable[[float], tuple[float, ...]],
  *,
  grows: bool,
) -> GridSearch:
  """Finds the value with the greatest score.

  Args:
    values: positive, at least one.
    score: of a value; tuples are compared from the left. One that holds NaN is the worst.
    grows: whether values are added at an end while the best stands there, four at most at each.
      They follow with the ratio of the last two.

  Returns:
    What was found.
  """
  tried: dict[float, tuple[float, ...]] = {}

  def measure(value: float) -> None:
    found = tuple(score(value))
    tried[value] = (-math.inf,) * len(found) if any(map(math.isnan, found)) else found

  for value in values:
    measure(value)
  for is_upper in (False, True):
    for _ in range(MOST_EXTENSIONS if grows else 0):
      end, inner = (sorted(tried, reverse=is_upper) + [None])[:2]
      if _best(tried) != end:
        break
      ratio = end / inner if inner else (_RATIO if is_upper else 1 / _RATIO)
      measure(_rounded(end * ratio))
  return GridSearch(_best(tried), dict(sorted(tried.items())))


def _rounded(value: float) -> float:
  return float(f'{value:.4g}')


def _best(tried: dict[float, tuple[float, ...]]) -> float:
  return max(tried, key=tried.__getitem__)
