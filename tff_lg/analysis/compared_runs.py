"""Runs on the same split of the data, side by side."""

import collections
import os
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tff_lg import file_names
from tff_lg.analysis import names
from tff_lg.analysis.readers import RunFolderError
from tff_lg.analysis.run_folder import RunFolder

_SIZES = ('num_train', 'num_test')


class ComparedRuns(NamedTuple):
  """Accuracies of several runs on the same clients.

  Attributes:
    metric: which accuracy.
    accuracy: shares in [0, 1], one row per client and one column per run, named by its label. It
      has the clients whose accuracy is known in every run and in the baseline.
    own: accuracy of these clients' locally trained models, from the first run's baseline; None if
      it has none.
    num_left_out: clients that are not known everywhere, malicious ones among them.
  """

  metric: str
  accuracy: pd.DataFrame
  own: pd.Series | None
  num_left_out: int


def compare_runs(
  run: RunFolder, others: Sequence[RunFolder], metric: str | None = None
) -> ComparedRuns:
  """Puts the accuracies of runs on the same split side by side.

  Args:
    run: the run whose local-only baseline is the measure.
    others: what to compare it with.
    metric: which accuracy, a column of clients.parquet; the run's main metric by default.

  Returns:
    The accuracies.

  Raises:
    RunFolderError: the runs are not on the same split, one lacks the metric, or one is
      named twice.
  """
  runs, metric = (run, *others), metric or run.local_test
  places = [os.path.realpath(one.path) for one in runs]
  for i, one in enumerate(runs):
    if places[i] in places[:i]:
      raise RunFolderError(f'{one.path}: the run is named twice, expected each to be named once.')
    if metric not in one.clients:
      raise RunFolderError(
        f'{os.path.join(one.path, file_names.CLIENTS)}: there is no column {metric}, by which runs '
        'are to be compared.'
      )
  for other in others:
    check_same_split(run, other)
  table = pd.DataFrame(
    {
      label: one.client_accuracy(metric=metric)
      for label, one in zip(_labels(runs), runs, strict=True)
    }
  )
  own = run.client_accuracy(names.LOCAL_ONLY, metric)
  has_own = own.notna().any()
  known = table.notna().all(axis=1) & (own.notna() | (not has_own))
  return ComparedRuns(
    metric, table[known], own[known] if has_own else None, int(np.count_nonzero(~known))
  )


def check_same_split(run: RunFolder, other: RunFolder) -> None:
  """Checks that two runs have the same clients with as many examples of each class.

  Args:
    run: a run.
    other: another; what one of the two has not recorded is not compared.

  Raises:
    RunFolderError: their client ids, numbers of examples or counts of labels differ.
  """
  rule = 'only runs on the same split can be compared'
  strangers = run.clients.index.symmetric_difference(other.clients.index)
  if len(strangers):
    has, lacks = (run, other) if strangers[0] in run.clients.index else (other, run)
    raise RunFolderError(
      f'{lacks.path}: there is no client {strangers[0]}, which {has.path} has; {rule}.'
    )
  for column in _SIZES:
    if column not in run.clients or column not in other.clients:
      continue
    mine, theirs = run.clients[column], other.clients[column].reindex(run.clients.index)
    different = mine.index[mine.fillna(-1) != theirs.fillna(-1)]
    if len(different):
      client = different[0]
      raise RunFolderError(
        f'{other.path}: {column} of client {client} is {theirs[client]:,.0f}, which is '
        f'{mine[client]:,.0f} in {run.path}; {rule}.'
      )
  if run.label_counts is None or other.label_counts is None:
    return
  if not _ordered(run.label_counts).equals(_ordered(other.label_counts)):
    raise RunFolderError(
      f'{os.path.join(other.path, file_names.LABEL_COUNTS)}: the counts are not those of '
      f'{run.path}; {rule}.'
    )


def _ordered(label_counts: pd.DataFrame) -> pd.DataFrame:
  return label_counts.sort_index().sort_index(axis=1)


def _labels(runs: Sequence[RunFolder]) -> list[str]:
  """Returns short and different: method and aggregator, with the folder where these are equal."""
  labels = [_label(run) for run in runs]
  for name in (lambda run: os.path.basename(os.path.normpath(run.path)), lambda run: run.path):
    counts = collections.Counter(labels)
    labels = [
      f'{_label(run)} ({name(run)})' if counts[label] > 1 else label
      for run, label in zip(runs, labels, strict=True)
    ]
  return labels


def _label(run: RunFolder) -> str:
  hparams = run.hparams
  return names.run_name(
    run.method, hparams.get('aggregator') or None, hparams.get('dp_mechanism') or None
  )
