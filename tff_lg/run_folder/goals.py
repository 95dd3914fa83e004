"""After how many rounds, and how much communication, a run first reached an accuracy."""

import os
from collections.abc import Sequence

import numpy as np
import pandas as pd

from tff_lg import file_names, metric_names, metrics


def first_reached(accuracies: np.ndarray, goal: float, counts: np.ndarray) -> float | None:
  """Returns the place where the curve of the best accuracy so far crosses a goal.

  Args:
    accuracies: of the evaluated rounds in their order, float [n], n at least 1.
    goal: an accuracy.
    counts: what is counted up to each of these rounds, such as their numbers, [n].

  Returns:
    The count at the goal, interpolated linearly between the last evaluated round below it and
    the first that is not. If the first evaluated round is not below it, the count of that round.
    None if the goal was not reached.

  McMahan et al. 2017, section 3.
  """
  best = np.maximum.accumulate(accuracies)
  reached = int(np.searchsorted(best, goal))
  if reached == len(best):
    return None
  around = slice(max(reached - 1, 0), reached + 1)
  return float(np.interp(goal, best[around], counts[around]))


def summarize_goals(
  run_dir: str, goals: Sequence[float], metric: str = 'accuracy'
) -> dict[str, float]:
  """Says when the clients' pooled test accuracy, or another metric, first reached each goal.

  Args:
    run_dir: the run folder, whose `metrics.csv` has the rounds of all phases.
    goals: values of the metric; where less is better, a lower value reaches them too.
    metric: that has a value of all clients together.

  Returns:
    Rounds, parameters and bytes by names such as `rounds_to/0.97/local_test/accuracy/pooled`;
    none for a goal that was not reached.
  """
  rounds = pd.read_csv(os.path.join(run_dir, file_names.METRICS))
  pooled, sign = metric_names.pooled(metric_names.local_test(metric)), metrics.sign(metric)
  if pooled not in rounds:
    return {}  # No client has test data.
  evaluated = rounds.dropna(subset=pooled)
  values = sign * evaluated[pooled].to_numpy()
  found = {
    name: first_reached(values, sign * goal, evaluated[column].to_numpy())
    for goal in goals
    for name, column in metric_names.to_goal(goal, metric).items()
  }
  return {name: count for name, count in found.items() if count is not None}
