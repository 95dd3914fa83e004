"""Where the numbers of a table are in run folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tff_lg import metric_names, metrics
from tff_lg.published.table import Read

if TYPE_CHECKING:  # pandas takes a second to import.
  from tff_lg.analysis import RunFolder

_CHOSEN_BY = metric_names.mean(metric_names.validation('accuracy'))


def from_summary(run: str, key: str, scale: float = 100.0, baseline: str | None = None) -> Read:
  """Reads a final metric.

  Args:
    run: name of the run.
    key: of the metric in `summary.json`.
    scale: that it is multiplied by; 100 makes percent of a share.
    baseline: method of the run's baseline that is read instead of the run itself.
  """

  def read(runs: Mapping[str, RunFolder]) -> float:
    found = runs[run] if baseline is None else runs[run].baselines[baseline]
    return scale * found.value(key)

  return read


def rounds_to(run: str, goal: float) -> Read:
  """Reads the rounds until the pooled test accuracy of clients reaches a goal, a share."""
  rounds, *_ = metric_names.to_goal(goal)
  return from_summary(run, rounds, 1)


def from_best_round(run: str, method: str, key: str, scale: float = 100.0) -> Read:
  """Reads a metric of the round of a method that is best on clients' validation data.

  Args:
    run: name of the run.
    method: whose rounds count, such as `fedavg` for the warm start of LG-FedAvg.
    key: of the metric in `metrics.csv`.
    scale: that it is multiplied by.
  """

  def read(runs: Mapping[str, RunFolder]) -> float:
    rounds = runs[run].metrics
    of_method = rounds[rounds['method'] == method]
    return scale * float(of_method.loc[of_method[_CHOSEN_BY].idxmax(), key])

  return read


def from_best_run(runs: Sequence[str], key: str, by: str, scale: float = 100.0) -> Read:
  """Reads a final metric of the best of several runs.

  Args:
    runs: names of the runs.
    key: of the metric in `summary.json`.
    by: metric in `summary.json` that is best in the best run, of validation data.
    scale: that the first metric is multiplied by.
  """

  def read(found: Mapping[str, RunFolder]) -> float:
    best = max(runs, key=lambda name: metrics.sign(by.split('/')[1]) * found[name].value(by))
    return scale * found[best].value(key)

  return read


def quotient(over: Read, under: Read) -> Read:
  """Reads how many times one number is another."""
  return lambda runs: over(runs) / under(runs)
