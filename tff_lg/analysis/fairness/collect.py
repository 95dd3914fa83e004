"""The figures of all runs as tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import pandas as pd

from tff_lg import metric_names
from tff_lg.analysis.fairness import measures


class Traffic(Protocol):
  """Communication: `parameters` and `bytes`, both ways."""

  @property
  def parameters(self) -> int:
    """Returns how many were sent."""

  @property
  def bytes(self) -> int:
    """Returns how many were sent."""


class Run(Protocol):
  """A run, as `tff_lg.experiments.fair` gives it."""

  @property
  def partition(self) -> str:
    """Returns its name."""

  @property
  def method(self) -> str:
    """Returns its name."""

  @property
  def strength(self) -> float:
    """Returns lambda."""

  @property
  def seed(self) -> int:
    """Returns that of everything random."""

  @property
  def train(self) -> Sequence[measures.Outputs]:
    """Returns what each device says of its training rows."""

  @property
  def test(self) -> Sequence[measures.Outputs]:
    """Returns what each device says of its test rows."""

  @property
  def test_by_round(self) -> Sequence[Sequence[measures.Outputs]]:
    """Returns the same as the joint rounds begin and after each."""

  @property
  def traffic(self) -> Traffic:
    """Returns the communication of the joint rounds."""

  @property
  def left_out(self) -> int:
    """Returns how many updates were not finite."""

  @property
  def own_models(self) -> Mapping[str, float | str]:
    """Returns how devices trained alone, by name."""

  @property
  def diverged(self) -> str:
    """Returns why the rounds ended early; empty if they did not."""


def collect(runs: Iterable[Run], attributes: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
  """Measures runs one at a time, so that only one is in memory.

  Args:
    runs: at least one.
    attributes: names of the attributes.

  Returns:
    One row per run, after training, and one row per run and round, where round 0 is the start
    of the joint rounds. Both have the columns partition, method, lambda, seed, and figures. The
    first has all of `measure`, the communication, `own_models`, NaN for other methods, and why a
    run diverged; the second has those of `measure_round`.
  """
  results, rounds = [], []
  for run in runs:
    names = {
      'partition': run.partition,
      'method': run.method,
      'lambda': run.strength,
      'seed': run.seed,
    }
    results.append(
      {
        **names,
        **measures.measure(run.train, run.test, attributes),
        metric_names.PARAMETERS_TOTAL: run.traffic.parameters,
        metric_names.BYTES_TOTAL: run.traffic.bytes,
        metric_names.NUM_CLIENTS_LEFT_OUT: run.left_out,
        metric_names.DIVERGED: run.diverged,
        **run.own_models,
      }
    )
    rounds += [
      {**names, 'round': round_num, **measures.measure_round(test, attributes)}
      for round_num, test in enumerate(run.test_by_round)
    ]
  return pd.DataFrame(results), pd.DataFrame(rounds)
