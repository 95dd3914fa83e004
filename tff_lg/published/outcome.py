"""The numbers of a published table as runs give them, and whether they agree with the paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tff_lg import confidence
from tff_lg.published.table import Figure, TableEntry

if TYPE_CHECKING:  # pandas takes a second to import.
  from tff_lg.analysis import RunFolder


class Verdict(NamedTuple):
  """A figure beside the paper's.

  Attributes:
    difference: ours less the published one.
    allowed: how large it may be: the paper's spread and the half-width of our 95 % interval.
  """

  difference: float
  allowed: float

  @property
  def agrees(self) -> bool:
    """Whether the difference is within what is allowed."""
    return abs(self.difference) <= self.allowed


class Outcome(NamedTuple):
  """The numbers of a table, seed by seed.

  Attributes:
    seeds: of the runs.
    values: by figure of the entry, in its order, float64 [num_seeds] each.
  """

  seeds: tuple[int, ...]
  values: tuple[np.ndarray, ...]

  def joined(self, other: Outcome) -> Outcome:
    """Returns this outcome with the seeds that only another of the same table has."""
    by_seed = {**other._by_seed(), **self._by_seed()}
    seeds = tuple(sorted(by_seed))
    return Outcome(seeds, tuple(np.array([by_seed[seed] for seed in seeds]).T))

  def to_json(self, table: TableEntry) -> dict[str, Any]:
    """Returns what a file holds of it: seeds, and the values by row and column."""
    found: dict[str, dict[str, list[float]]] = {}
    for figure, values in zip(table.figures, self.values, strict=True):
      found.setdefault(figure.row, {})[figure.column] = values.tolist()
    return {'table': table.name, 'seeds': list(self.seeds), 'values': found}

  @classmethod
  def from_json(cls, content: Mapping[str, Any], table: TableEntry) -> Outcome:
    """Returns the outcome that a file holds.

    Raises:
      ValueError: it is of another table, or lacks a figure; one sentence.
    """
    try:
      values = [content['values'][each.row][each.column] for each in table.figures]
      seeds = tuple(content['seeds'])
    except (KeyError, TypeError) as error:
      raise ValueError(f'The outcome of {table.name} has no {error}: measure it again.') from error
    return cls(seeds, tuple(np.array(each, np.float64) for each in values))

  def _by_seed(self) -> dict[int, tuple[float, ...]]:
    return dict(zip(self.seeds, zip(*self.values, strict=True), strict=True))


def measure(table: TableEntry, runs: Mapping[int, Mapping[str, RunFolder]]) -> Outcome:
  """Reads the figures of a table.

  Args:
    table: its entry.
    runs: finished runs by seed, and by their names in the entry.

  Returns:
    The outcome; NaN where a run has no such number.
  """
  values = [
    np.array([figure.read(of_seed) for of_seed in runs.values()]) for figure in table.figures
  ]
  return Outcome(tuple(runs), tuple(values))


def judge(figure: Figure, values: Sequence[float] | np.ndarray) -> Verdict | None:
  """Compares our figure with the published one.

  Args:
    figure: of the entry.
    values: ours, a number a seed.

  Returns:
    The verdict. None without a published number, or where one of both is not known.
  """
  mean = float(np.mean(values))
  if figure.published is None or math.isnan(figure.published) or math.isnan(mean):
    return None
  half = float(confidence.half_width(values)) if len(values) > 1 else 0.0
  return Verdict(mean - figure.published, figure.spread + half)
