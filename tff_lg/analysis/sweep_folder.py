"""Reads a sweep folder: what its trials were, and the final metrics of each.

| file | what | needed |
|---|---|---|
| sweep.json | pipeline, axes, and of each trial its values and seed | yes |
| trials/TRIAL/summary.json | final metrics of a trial, one flat object | no |
"""

import dataclasses
import difflib
import math
import os
from collections.abc import Mapping, Sequence

import pandas as pd

from tff_lg.analysis import readers
from tff_lg.analysis.readers import RunFolderError

_MAX_SUGGESTIONS = 8


@dataclasses.dataclass(frozen=True)
class SweepResults:
  """What a sweep left behind.

  Attributes:
    path: the folder, as it was given.
    axes: values of each axis by its name, in their order.
    trials: one row a complete trial, indexed by its name: a column (text) for each axis,
      `seed` (int64), then the numbers of summary.json (float64, NaN where a trial has
      none).
    num_missing: trials that are not complete.
  """

  path: str
  axes: Mapping[str, tuple[str, ...]]
  trials: pd.DataFrame
  num_missing: int

  @classmethod
  def load(cls, path: str) -> 'SweepResults':
    """Reads a sweep folder.

    Args:
      path: the folder.

    Returns:
      Its results; a trial that has not ended is counted and left out.

    Raises:
      RunFolderError: a file is missing or damaged; one sentence naming it.
    """
    file = os.path.join(path, 'sweep.json')
    definition = readers.read_object(file)
    try:
      axes = {name: tuple(values) for name, values in definition['axes'].items()}
      trials = {
        name: {**{axis: trial['values'][axis] for axis in axes}, 'seed': trial['seed']}
        for name, trial in definition['trials'].items()
      }
    except (KeyError, TypeError, AttributeError) as error:
      raise RunFolderError(
        f'{file}: {error} is missing or no list, expected the axes and trials of a sweep.'
      ) from error
    rows = {}
    for name, inputs in trials.items():
      summary = os.path.join(path, 'trials', name, 'summary.json')
      if os.path.exists(summary):
        rows[name] = {**_numbers(summary, inputs), **inputs}
    table = pd.DataFrame.from_dict(rows, orient='index').rename_axis('trial')
    inputs = [*axes, 'seed']
    table = table.reindex(columns=inputs + [name for name in table if name not in inputs])
    return cls(path, axes, table, len(trials) - len(rows))

  def points(self, metric: str) -> pd.DataFrame:
    """Mean and standard deviation over seeds at each point of the grid.

    Args:
      metric: a number of the trials' summary.json.

    Returns:
      One row a point that has a trial with the metric, in the order of the grid: a
      column for each axis (text), `mean`, `std` (n - 1; NaN for one trial) and `n`.

    Raises:
      RunFolderError: no trial has such a number.
    """
    axes = list(self.axes)
    names = [name for name in self.trials if name not in (*axes, 'seed')]
    if metric not in names:
      raise RunFolderError(
        f'--metric is {metric}, but no trial in {self.path} has it; {_suggestion(metric, names)}.'
      )
    known = self.trials[[*axes, metric]].dropna(subset=metric)
    for axis, values in self.axes.items():
      known[axis] = pd.Categorical(known[axis], categories=values, ordered=True)
    groups = known.groupby(axes, observed=True)[metric]
    points = groups.agg(['mean', 'std', 'count']).reset_index()
    points[axes] = points[axes].astype(str)
    return points.rename(columns={'count': 'n'})


def _numbers(path: str, inputs: Mapping[str, object]) -> dict[str, float]:
  """The numbers of a summary, but for one that is called as an axis."""
  return {
    name: float(value)
    for name, value in readers.read_flat_object(path).items()
    if not isinstance(value, str) and name not in inputs
  }


def _suggestion(metric: str, names: Sequence[str]) -> str:
  close = difflib.get_close_matches(metric, names, n=_MAX_SUGGESTIONS, cutoff=0.4) or names
  if not names:
    return 'no trial is complete'
  more = ', …' if len(close) < len(names) else ''
  return f'there is {", ".join(list(close)[:_MAX_SUGGESTIONS])}{more}'


def as_numbers(values: Sequence[str]) -> tuple[float, ...] | None:
  """An axis' values as finite numbers; None if one of them is not."""
  try:
    numbers = tuple(map(float, values))
  except ValueError:
    return None
  return numbers if all(map(math.isfinite, numbers)) else None
