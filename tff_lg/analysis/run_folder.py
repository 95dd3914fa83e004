"""Reads a run folder, as `tff_lg.simulation` writes it, and checks what it reads.

| file | what | needed |
|---|---|---|
| hparams.json | value of each flag | yes |
| summary.json | final metrics, one flat object | yes |
| metrics.csv | metrics by round, empty where a round was not evaluated | yes |
| clients.parquet | metrics by client; clients.csv is the same, for people, and is not read | yes |
| client_curves.parquet | metrics by evaluated round and client | no |
| held_out_clients.parquet | the same of clients that took no part; not read | no |
| communication.csv | parameters and bytes by round | no |
| label_counts.csv | training examples by client and class | no |
| model_split.txt | text table of the model's weights, and how its split was picked | no |
| split.json | what `--global_layers=auto` picked; not read | no |
| timing.json | seconds and rounds per second | no |
| checksums.json | CRCs of the files of a finished run, by which the others are checked | no |
| client_list.json | fingerprint of the data; not read | no |
| changes.json | settings that changed when the run resumed; not read | no |
| baselines/METHOD/ | a run folder for each baseline | no |
"""

import dataclasses
import math
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from tff_lg import file_names, metric_names, metrics
from tff_lg.analysis import formats, names, readers
from tff_lg.analysis.final_metrics import FinalMetrics
from tff_lg.analysis.readers import RunFolderError

__all__ = ['Phase', 'RunFolder', 'RunFolderError', 'SYNTHETIC']

# Entry of hparams.json that marks a run folder of invented numbers.
SYNTHETIC = 'synthetic'


def is_chosen_on_test_data(hparams: Mapping[str, Any]) -> bool:
  """Returns whether models were chosen on test data, by the settings of a run."""
  default = hparams.get('protocol') == 'reference'
  return bool(hparams.get('optimistic_choice_on_test_data') or default)


class Phase(NamedTuple):
  """Rounds `first` to `last`, both included, that one method ran."""

  method: str
  first: int
  last: int


@dataclasses.dataclass(frozen=True)
class RunFolder(FinalMetrics):
  """The files of a run, read.

  Attributes:
    method: name of the method, such as `lg_fedavg`.
    hparams: value of each flag by its name.
    metrics: metrics by round, indexed by `round_num`; `method` is text, all other
      columns are float64 with NaN where a round was not evaluated.
    clients: one row per client, indexed by `client_id` (text), float64 columns.
    communication: parameters and bytes by round, like `metrics`, or None.
    label_counts: training examples, clients (rows, indexed by id) by classes, or None.
    model_split: text table of the model's weights, or None.
    timing: seconds and rounds per second by name; empty if not recorded.
    baselines: the run folder of each baseline by its method, local only first.
    client_curves: of each client that has them, metrics by evaluated round, by its id.
  """

  method: str
  hparams: Mapping[str, Any]
  metrics: pd.DataFrame
  clients: pd.DataFrame
  communication: pd.DataFrame | None
  label_counts: pd.DataFrame | None
  model_split: str | None
  timing: Mapping[str, float | str]
  baselines: Mapping[str, 'RunFolder']
  client_curves: Mapping[str, pd.DataFrame] = dataclasses.field(default_factory=dict)

  @classmethod
  def load(cls, path: str) -> 'RunFolder':
    """Reads a run folder and its baselines.

    Args:
      path: the folder.

    Returns:
      Its content, checked.

    Raises:
      RunFolderError: a file is missing or damaged; one sentence naming the file.
    """
    if not os.path.isdir(path):
      raise RunFolderError(f'{path}: there is no such run folder.')

    def file(name: str) -> str:
      return os.path.join(path, name)

    hparams = readers.read_object(file(file_names.HPARAMS))
    method = hparams.get('method', os.path.basename(os.path.normpath(path)))
    return cls(
      path=path,
      method=str(method),
      hparams=hparams,
      summary=readers.read_flat_object(file(file_names.SUMMARY)),
      metrics=readers.read_rounds(file(file_names.METRICS)),
      clients=readers.read_clients(file(file_names.CLIENTS), names.is_text),
      communication=readers.if_present(readers.read_rounds, file(file_names.COMMUNICATION)),
      label_counts=readers.if_present(readers.read_label_counts, file(file_names.LABEL_COUNTS)),
      model_split=readers.if_present(readers.read_text, file(file_names.MODEL_SPLIT)),
      timing=readers.if_present(readers.read_flat_object, file(file_names.TIMING)) or {},
      baselines=_load_baselines(file(file_names.BASELINES)),
      client_curves=readers.if_present(readers.read_client_curves, file(file_names.CLIENT_CURVES))
      or {},
    )

  @property
  def metric(self) -> metrics.Metric:
    """The main metric: accuracy, unless the run predicts something else than classes."""
    return metrics.find_objective(self.hparams.get('objective')).main

  @property
  def local_test(self) -> str:
    """Column of the main metric on clients' own test data, `local_test/accuracy` mostly."""
    return metric_names.local_test(self.metric.name)

  @property
  def chosen_on_test_data(self) -> bool:
    """Whether models were chosen on test data, as the reference code does."""
    return is_chosen_on_test_data(self.hparams)

  @property
  def optimism(self) -> str:
    """Words for the names of its test metrics; empty if validation data chose the models."""
    return ' (chosen on test data)' if self.chosen_on_test_data else ''

  @property
  def is_synthetic(self) -> bool:
    """Whether the numbers are invented, see `tff_lg.analysis.synthetic`."""
    return bool(self.hparams.get(SYNTHETIC, False))

  def curve(self, name: str) -> pd.Series:
    """Returns a metric by round, of the rounds that have it; empty if none has."""
    if name not in self.metrics:
      return pd.Series(dtype='float64', name=name)
    return self.metrics[name].dropna()

  def local_test_with_std(self) -> str:
    """Returns the main metric on clients' test data, mean ± std over clients, without its unit."""
    return self.mean_with_std(self.local_test)

  def mean_with_std(self, column: str) -> str:
    """Returns a metric of clients' models, mean ± std over clients, without its unit."""
    mean, std = self.value(metric_names.mean(column)), self.value(metric_names.std(column))
    return formats.value_with_std(column, mean, std)

  def client_accuracy(self, method: str | None = None, metric: str | None = None) -> pd.Series:
    """Returns the accuracy, or another main metric, by client id, of this run or a baseline.

    Args:
      method: a baseline's method; None is this run.
      metric: its column; `local_test` by default.

    Returns:
      One value per client; an accuracy is a share in [0, 1]. NaN if it is not known, such as for
      a client without test examples or a baseline that was not run. Also NaN for a malicious
      client, whose gain or loss does not matter.
    """
    metric = metric or self.local_test
    column = metric if method is None else f'{method}/{metric}'
    if column not in self.clients:
      return pd.Series(math.nan, index=self.clients.index, name=column)
    if metric_names.IS_MALICIOUS in self.clients:
      return self.clients[column].mask(self.clients[metric_names.IS_MALICIOUS] > 0)
    return self.clients[column]

  def phases(self) -> tuple[Phase, ...]:
    """Returns consecutive rounds of one method, in order: a warm start, then the method."""
    if 'method' not in self.metrics:
      return ()
    phases: list[Phase] = []
    for round_num, method in self.metrics['method'].dropna().items():
      if phases and phases[-1].method == method:
        phases[-1] = phases[-1]._replace(last=round_num)
      else:
        phases.append(Phase(method, round_num, round_num))
    return tuple(phases)


def _load_baselines(folder: str) -> dict[str, RunFolder]:
  if not os.path.isdir(folder):
    return {}
  methods = [
    method
    for method in sorted(os.listdir(folder), key=lambda name: (name != names.LOCAL_ONLY, name))
    if os.path.isdir(os.path.join(folder, method)) and not method.startswith('.')
  ]
  # The folder names the baseline, whatever flags the run itself was started with.
  return {
    method: dataclasses.replace(RunFolder.load(os.path.join(folder, method)), method=method)
    for method in methods
  }
