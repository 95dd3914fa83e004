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
from typing import Any

import pandas as pd

from tff_lg import file_names, metric_names
from tff_lg import metrics as metrics_lib
from tff_lg.analysis import readers
from tff_lg.analysis.readers import RunFolderError

_MAX_SUGGESTIONS = 8


@dataclasses.dataclass(frozen=True)
class SweepResults:
  """The files of a sweep, read.

  Attributes:
    path: the folder, as it was given.
    axes: values of each axis by its name, in their order.
    trials: one row per complete trial, indexed by its name. The columns are the axes (text), `seed`
      (int64), then the numbers of summary.json (float64, NaN where a trial has none). A goal that
      no trial has reached is among them.
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
    file = os.path.join(path, file_names.SWEEP)
    definition = readers.read_object(file)
    try:
      axes = {name: tuple(values) for name, values in definition['axes'].items()}
      trials = {
        name: {**{axis: trial['values'][axis] for axis in axes}, 'seed': trial['seed']}
        for name, trial in definition['trials'].items()
      }
    except (KeyError, TypeError, AttributeError) as error:
      raise RunFolderError(
        f'{file}: {error} is missing or not a list, expected the axes and trials of a sweep.'
      ) from error
    rows = {}
    for name, inputs in trials.items():
      summary = os.path.join(path, file_names.TRIALS, name, file_names.SUMMARY)
      if os.path.exists(summary):
        unreached = _goal_counts(definition['trials'][name].get('config') or {})
        rows[name] = {**unreached, **_numbers(summary, inputs), **inputs}
    table = pd.DataFrame.from_dict(rows, orient='index').rename_axis('trial')
    first = [*axes, 'seed']
    table = table.reindex(columns=first + [name for name in table if name not in first])
    return cls(path, axes, table, len(trials) - len(rows))

  @property
  def local_test_mean(self) -> str:
    """Mean over clients of the trials' main metric on clients' own test data."""
    mains = [objective.metrics[0] for objective in metrics_lib.OBJECTIVES.values()]
    all_of = (*mains, *metrics_lib.METRICS)
    known = [metric_names.mean(metric_names.local_test(name)) for name in all_of]
    return next(
      (name for name in known if name in self.trials),
      metric_names.mean(metric_names.LOCAL_ACCURACY),
    )

  def points(self, metric: str) -> pd.DataFrame:
    """Returns the mean and standard deviation over seeds at each point of the grid.

    Args:
      metric: a number of the trials' summary.json.

    Returns:
      One row per point that has a complete trial, in the order of the grid. It has one column per
      axis (text), and `n`, the number of trials that have the metric. `mean` is NaN if no trial
      has it, `std` (n - 1) if fewer than two trials do.

    Raises:
      RunFolderError: no trial has such a number, or such a goal.
    """
    axes = list(self.axes)
    metrics = [name for name in self.trials if name not in (*axes, 'seed')]
    if metric not in metrics:
      raise RunFolderError(
        f'--metric is {metric}, but no trial in {self.path} has it; {_suggestion(metric, metrics)}.'
      )
    known = self.trials[[*axes, metric]].copy()
    for axis, values in self.axes.items():
      known[axis] = pd.Categorical(known[axis], categories=values, ordered=True)
    groups = known.groupby(axes, observed=True)[metric]
    points = groups.agg(['mean', 'std', 'count']).reset_index()
    points[axes] = points[axes].astype(str)
    return points.rename(columns={'count': 'n'})


def _numbers(path: str, inputs: Mapping[str, object]) -> dict[str, float]:
  """Returns the numbers of a summary, but for one that is called as an axis."""
  return {
    name: float(value)
    for name, value in readers.read_flat_object(path).items()
    if not isinstance(value, str) and name not in inputs
  }


def _goal_counts(config: Mapping[str, Any]) -> dict[str, float]:
  """Returns NaN for each number that a trial has once it has reached its goals."""
  objective = metrics_lib.find_objective(config.get('objective'))
  return {
    name: math.nan
    for goal in config.get('goal_accuracy') or ()
    for name in metric_names.to_goal(goal, objective.metrics[0])
  }


def _suggestion(metric: str, metrics: Sequence[str]) -> str:
  close = difflib.get_close_matches(metric, metrics, n=_MAX_SUGGESTIONS, cutoff=0.4) or metrics
  if not metrics:
    return 'no trial is complete'
  more = ', …' if len(close) < len(metrics) else ''
  return f'there is {", ".join(list(close)[:_MAX_SUGGESTIONS])}{more}'


def as_numbers(values: Sequence[str]) -> tuple[float, ...] | None:
  """Returns an axis' values as finite numbers; None if one of them is not."""
  try:
    numbers = tuple(map(float, values))
  except ValueError:
    return None
  return numbers if all(map(math.isfinite, numbers)) else None
