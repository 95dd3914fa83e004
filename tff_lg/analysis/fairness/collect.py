"""The figures of all runs as tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import pandas as pd

from tff_lg.analysis.fairness import measures

# The column that says why a run diverged; empty for one that did not.
DIVERGED = 'train/diverged'


class Traffic(Protocol):
  """Communication: `parameters` and `bytes`, both ways."""

  parameters: int
  bytes: int


class Run(Protocol):
  """A run, as `tff_lg.experiments.fair` gives it; `strength` is lambda."""

  partition: str
  method: str
  strength: float
  seed: int
  train: Sequence[measures.Outputs]
  test: Sequence[measures.Outputs]
  test_by_round: Sequence[Sequence[measures.Outputs]]
  traffic: Traffic
  left_out: int
  own_models: Mapping[str, float | str]
  diverged: str


def collect(runs: Iterable[Run], attributes: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
  """Measures runs one at a time, so that only one is in memory.

  Args:
    runs: at least one.
    attributes: names of the attributes.

  Returns:
    A row a run, after training, and a row a run and round, round 0 being the start of the joint
    rounds. Both have the columns partition, method, lambda, seed, and figures: all of `measure`,
    the communication, `own_models`, NaN for other methods, and why a run diverged; and those of
    `measure_round`.
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
        'communication/parameters_total': run.traffic.parameters,
        'communication/bytes_total': run.traffic.bytes,
        'train/num_clients_left_out': run.left_out,
        DIVERGED: run.diverged,
        **run.own_models,
      }
    )
    rounds += [
      {**names, 'round': round_num, **measures.measure_round(test, attributes)}
      for round_num, test in enumerate(run.test_by_round)
    ]
  return pd.DataFrame(results), pd.DataFrame(rounds)
