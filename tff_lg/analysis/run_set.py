"""Reads a set of runs with different seeds or folds: what they have in common and what differs.

| file | what |
|---|---|
| sweep.json | seeds, folds and the config of each run |
| trials/RUN/ | the run folder of a run |
"""

import dataclasses
import functools
import os
from collections.abc import Mapping

import numpy as np
import pandas as pd

from tff_lg import file_names, metric_names, verdicts
from tff_lg.analysis import readers
from tff_lg.analysis.run_folder import RunFolder
from tff_lg.analysis.sweep_folder import SweepResults
from tff_lg.data import PARTITIONS

_FOLD, _SEED = 'fold', 'seed'


@dataclasses.dataclass(frozen=True)
class RunSet:
  """Complete runs of one config.

  Attributes:
    path: the folder, as it was given.
    numbers: of the runs' summary.json, one row per run.
    runs: the run folders by seed, each with all folds in their order.
    num_missing: runs that are not complete; a seed of which one is missing is in neither.
  """

  path: str
  numbers: pd.DataFrame
  runs: Mapping[int, tuple[RunFolder, ...]]
  num_missing: int

  @classmethod
  def load(cls, path: str) -> 'RunSet':
    """Reads a folder of runs.

    Raises:
      RunFolderError: a file is missing or damaged, or no seed is complete; one sentence.
    """
    results = SweepResults.load(path)
    num_folds = len(results.axes.get(_FOLD, ('',)))
    counts = results.trials[_SEED].value_counts()
    numbers = results.trials[results.trials[_SEED].map(counts) == num_folds]
    if numbers.empty:
      raise readers.RunFolderError(f'{path}: no seed has all of its runs complete.')
    runs = {
      int(seed): tuple(
        RunFolder.load(os.path.join(path, file_names.TRIALS, name)) for name in of_seed.index
      )
      for seed, of_seed in numbers.groupby(_SEED, sort=True)
    }
    return cls(path, numbers, runs, results.num_missing)

  @property
  def first(self) -> RunFolder:
    """One of the runs, for what all have in common."""
    return next(iter(self.runs.values()))[0]

  @property
  def num_folds(self) -> int:
    """Folds of each seed; 1 without cross-validation."""
    return len(next(iter(self.runs.values())))

  @property
  def methods(self) -> tuple[str, ...]:
    """The baselines, then the method of the runs."""
    return (*self.first.baselines, self.first.method)

  @functools.cached_property
  def has_same_examples(self) -> bool:
    """Whether the runs of all seeds have the same clients with the same test examples."""
    found = {
      (number, str(self._data_seed(run)), str(self._fingerprint(run)))
      for of_seed in self.runs.values()
      for number, run in enumerate(of_seed)
    }
    return len(found) == self.num_folds

  @staticmethod
  def _data_seed(run: RunFolder) -> object:
    given = run.hparams.get('partition_seed')
    return run.hparams.get(_SEED) if given is None else given

  @staticmethod
  def _fingerprint(run: RunFolder) -> object:
    return readers.if_present(readers.read_object, os.path.join(run.path, file_names.CLIENT_LIST))

  @property
  def has_same_clients(self) -> bool:
    """Whether a client is the same one with all seeds, though its examples may be split again."""
    partition = PARTITIONS.get(str(self.first.hparams.get('partition')))
    return self.has_same_examples or (partition is not None and partition.keeps_users)

  def replicates(self, name: str) -> pd.Series:
    """Returns a number of summary.json by seed, its mean over folds; with one seed by fold."""
    if name not in self.numbers:
      return pd.Series(dtype='float64')
    if len(self.runs) == 1:
      return self.numbers[name]
    return self.numbers.groupby(_SEED)[name].mean()

  def prefix(self, method: str) -> str:
    """Returns the prefix of a method's columns and entries."""
    return '' if method == self.first.method else f'{method}/'

  def clients(self) -> pd.DataFrame:
    """Returns means over seeds by client.

    Returns:
      One row per client, by its id: `num_test` over all folds, and the local test metric of each
      method. This is the mean over seeds, with each seed's folds weighted by their test examples.
      `.../std_over_seeds` is the standard deviation (n - 1). Malicious clients are left out.
    """
    tables = [
      run.clients.assign(**{_SEED: seed}) for seed, of_seed in self.runs.items() for run in of_seed
    ]
    everything = pd.concat([table[~_is_malicious(table)] for table in tables])
    keys = [everything.index, everything[_SEED]]
    sizes = everything['num_test']
    result = pd.DataFrame({'num_test': sizes.groupby(keys).sum().groupby(level=0).mean()})
    for method in self.methods:
      column = f'{self.prefix(method)}{self.first.local_test}'
      if column not in everything:
        continue
      values = everything[column]
      weights = sizes.where(values.notna(), 0)
      sums = (values.fillna(0) * weights).groupby(keys).sum()
      of_seeds = (sums / weights.groupby(keys).sum().replace(0, np.nan)).groupby(level=0)
      result[column] = of_seeds.mean()
      result[metric_names.std_over_seeds(column)] = of_seeds.std()
    return result.reindex(dict.fromkeys(everything.index))

  def scores(self, method: str) -> dict[str, np.ndarray] | None:
    """Returns the main metric of each test example by client.

    Args:
      method: of the runs or of a baseline.

    Returns:
      float64 [num_seeds, num_examples] of each client that has them with all seeds, its folds one
      after the other. None where seeds do not share examples or a run has no metric by example.
    """
    if not self.has_same_examples:
      return None
    parsed = []
    for of_seed in self.runs.values():
      of_folds = [_by_example(run if method == run.method else run.baselines[method], run)
                  for run in of_seed]  # fmt: skip
      if any(found is None for found in of_folds):
        return None
      parsed.append([found for found in of_folds if found is not None])
    found = {}
    for client in parsed[0][0]:
      if all(client in of_fold for of_folds in parsed for of_fold in of_folds):
        joined = [np.concatenate([fold[client] for fold in of_folds]) for of_folds in parsed]
        found[client] = np.stack(joined)
    return found


def _by_example(run: RunFolder, of_method: RunFolder) -> dict[str, np.ndarray] | None:
  """Returns the main metric of each test example, by honest client; None where the run has none."""
  honest = ~_is_malicious(of_method.clients)
  for column, parse in ((verdicts.MARKS, verdicts.from_marks), (verdicts.VALUES, _values)):
    if column in run.clients:
      texts = run.clients[column].reindex(of_method.clients.index[honest]).dropna()
      return {str(client): parse(text).astype(np.float64) for client, text in texts.items()}
  return None


def _values(text: object) -> np.ndarray:
  return verdicts.from_values(text)


def _is_malicious(clients: pd.DataFrame) -> pd.Series:
  if metric_names.IS_MALICIOUS not in clients:
    return pd.Series(False, clients.index)
  return clients[metric_names.IS_MALICIOUS] > 0
