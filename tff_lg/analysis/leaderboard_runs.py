"""The scores of a finished run for each of its clients, as a leaderboard needs them."""

import dataclasses
import math
import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from tff_lg import file_names, metric_names
from tff_lg import metrics as metrics_lib
from tff_lg.analysis import client_costs, names, readers
from tff_lg.analysis.adaptation_folder import AdaptationFolder
from tff_lg.analysis.readers import RunFolderError
from tff_lg.analysis.run_folder import RunFolder

Score = Callable[[np.ndarray], np.ndarray]


@dataclasses.dataclass(frozen=True, eq=False)
class RunScores:
  """The scores of a run for its clients.

  Attributes:
    test: score of each client on its own test data, by id; NaN where there is none.
    validation: the score on its validation data, times -1 where less is better: greater is better.
    main_validation: the same of the main metric, by which rows are compared. NaN for adapted models
      that each client chose on its own validation data: such scores would be optimistic.
    held_out: the score of clients that took no part in training, without those whose validation
      data choose; empty without any.
    others: the score of each of these clients' models on the pooled test data of all other clients;
      NaN where it is not known.
    rounds: of the method and its warm start; NaN where it has none.
    num_bytes: sent in all.
    to_goals: by goal, rounds and bytes until the pooled test data first reached it; NaN if never.
    flops: of a client and round, on average; NaN where not known.
    memory_bytes: estimated peak of a client's training step; NaN where not known.
  """

  test: pd.Series
  validation: pd.Series
  main_validation: pd.Series
  held_out: pd.Series
  others: pd.Series
  rounds: float
  num_bytes: float
  to_goals: Mapping[float, tuple[float, float]]
  flops: float = math.nan
  memory_bytes: float = math.nan


def _as_it_is(values: np.ndarray) -> np.ndarray:
  return values


def load_trained(
  path: str,
  metric: str | None = None,
  score: Score = _as_it_is,
  *,
  of_test_clients: bool = False,
) -> RunScores:
  """Reads a run of `pipelines.train`.

  Args:
    path: its folder.
    metric: of clients' data, such as `rmse`; the main one by default.
    score: what is shown of the metric.
    of_test_clients: whether the scores are those of the run's test clients, and validation scores
      those of its validation clients, instead of those that took part.

  Raises:
    RunFolderError: a file is missing or damaged, or has not this metric; one sentence.
  """
  return score_run(RunFolder.load(path), metric, score, of_test_clients=of_test_clients)


def score_run(
  run: RunFolder,
  metric: str | None = None,
  score: Score = _as_it_is,
  *,
  of_test_clients: bool = False,
) -> RunScores:
  """Scores a run, see `load_trained`."""
  metric, main = metric or run.metric.name, run.metric.name
  clients = run.clients
  if metric_names.IS_MALICIOUS in clients:
    clients = clients[~(clients[metric_names.IS_MALICIOUS] > 0)]
  file = os.path.join(run.path, file_names.HELD_OUT_CLIENTS)
  others = readers.read_clients(file, names.is_text) if os.path.exists(file) else clients[:0]
  groups = _group(clients, others, of_test_clients=of_test_clients)
  column, validation = metric_names.local_test(metric), metric_names.validation(metric)
  _check(os.path.join(run.path, file_names.CLIENTS), groups.test, column)
  counts = {
    goal: tuple(map(run.value, metric_names.to_goal(goal, main)))
    for goal in run.hparams.get('goal_accuracy') or ()
  }
  rounds = [run.value(name) for name in run.summary if name.startswith(metric_names.ROUNDS)]
  return RunScores(
    test=_scored(groups.test, column, score),
    validation=_signed(groups.validation, validation, metric, score),
    main_validation=_signed(groups.validation, metric_names.validation(main), main, _as_it_is),
    held_out=_scored(groups.held_out, column, score),
    others=_scored(groups.test, metric_names.others_test(metric), score),
    rounds=float(np.sum(rounds)) if rounds else math.nan,
    num_bytes=run.value(metric_names.BYTES_TOTAL),
    to_goals={goal: (found[0], found[2]) for goal, found in counts.items()},
    flops=client_costs.flops_per_round(run),
    memory_bytes=client_costs.memory_bytes(run),
  )


def load_adapted(
  path: str,
  technique: str,
  metric: str | None = None,
  score: Score = _as_it_is,
  *,
  of_test_clients: bool = False,
) -> RunScores:
  """Reads a technique of a run of `pipelines.adapt`; rounds and bytes are of the run adapted.

  Args:
    path: its folder.
    technique: of `--adaptation`.
    metric: of clients' data; the main one by default.
    score: what is shown of the metric.
    of_test_clients: as of `load_trained`.

  Raises:
    RunFolderError: a file is missing or damaged, or has not this metric; one sentence.
  """
  run = AdaptationFolder.load(path)
  source = RunFolder.load(str(run.hparams.get('from_run')))
  metric, main = metric or source.metric.name, source.metric.name
  column = f'{technique}/{metric_names.local_test(metric)}'
  honest, is_held_out = ~run.is_malicious, run.values('is_held_out') > 0
  _check(os.path.join(path, file_names.CLIENTS), run.clients, column)
  groups = _group(
    run.clients[honest & ~is_held_out],
    run.clients[honest & is_held_out],
    of_test_clients=of_test_clients,
  )
  chosen_by = f'{technique}/{metric_names.validation(main)}'
  validation = _signed(groups.validation, chosen_by, main, _as_it_is)
  chose_alone = run.hparams.get('choose', 'client') == 'client'
  return dataclasses.replace(
    score_run(source, metric, score, of_test_clients=of_test_clients),
    test=_scored(groups.test, column, score),
    validation=validation,
    main_validation=validation * math.nan if chose_alone else validation,
    held_out=_scored(groups.held_out, column, score),
    others=_scored(groups.test, f'{technique}/{metric_names.others_test(metric)}', score),
    to_goals={},
  )


class _Groups(NamedTuple):
  """The tables of the clients that a row is scored on, of those that choose, and of others."""

  test: pd.DataFrame
  validation: pd.DataFrame
  held_out: pd.DataFrame


def _group(clients: pd.DataFrame, others: pd.DataFrame, *, of_test_clients: bool) -> _Groups:
  chooses = others.get(metric_names.IS_VALIDATION_CLIENT, pd.Series(0.0, others.index)) > 0
  if of_test_clients:
    return _Groups(others[~chooses], others[chooses], others[:0])
  return _Groups(clients, clients, others[~chooses])


def _check(file: str, clients: pd.DataFrame, column: str) -> None:
  if column not in clients:
    known = [name for name in clients if '/' in name][:8]
    raise RunFolderError(f'{file}: no column {column} found, expected one; it has {known}.')


def _scored(clients: pd.DataFrame, column: str, score: Score) -> pd.Series:
  """Returns the scores of a metric's values; NaN if the table does not have it."""
  if column not in clients:
    return pd.Series(math.nan, clients.index)
  return pd.Series(score(clients[column].to_numpy(np.float64)), clients.index, dtype='float64')


def _signed(clients: pd.DataFrame, column: str, metric: str, score: Score) -> pd.Series:
  return metrics_lib.sign(metric) * _scored(clients, column, score)
