"""Reads the folder of an adaptation run, as `pipelines.adapt` writes it.

| file | what | needed |
|---|---|---|
| hparams.json | value of each flag; `source`: those of the run that was adapted | yes |
| summary.json | final metrics, one flat object; the last file to be written | yes |
| clients.parquet | data and accuracies of each client, with each model | yes |
| validation_curves.csv | means over validation data by adaptation, setting and epoch | no |
"""

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tff_lg import file_names, metric_names, metrics
from tff_lg.analysis import names, readers, run_folder
from tff_lg.analysis.compared_runs import ComparedRuns
from tff_lg.analysis.readers import RunFolderError
from tff_lg.analysis.run_folder import SYNTHETIC

# Column of clients.parquet: whether training never saw the client.
_IS_HELD_OUT = 'is_held_out'

TRAINED = 'Clients that took part in training'
HELD_OUT = 'Held-out clients, which training never saw'


@dataclasses.dataclass(frozen=True)
class AdaptationFolder:
  """The files of an adaptation run, read.

  Attributes:
    path: the folder, as it was given.
    hparams: value of each flag by its name.
    source: the same of the run whose model was adapted.
    summary: final metrics by name, NaN where one is not defined.
    adaptations: their names, in the order in which they were asked for.
    clients: one row per client, indexed by `client_id` (text): float64 columns, and the name
      of its best model (text).
    validation_curves: the table of that file; None for a run of an earlier version.
  """

  path: str
  hparams: Mapping[str, Any]
  source: Mapping[str, Any]
  summary: Mapping[str, float | str]
  adaptations: tuple[str, ...]
  clients: pd.DataFrame
  validation_curves: pd.DataFrame | None = None

  @classmethod
  def load(cls, path: str) -> 'AdaptationFolder':
    """Reads the folder of an adaptation run.

    Args:
      path: the folder.

    Returns:
      Its content, checked.

    Raises:
      RunFolderError: a file is missing or damaged; one sentence naming the file.
    """
    if not os.path.isdir(path):
      raise RunFolderError(f'{path}: there is no such run folder.')
    hparams_file = os.path.join(path, file_names.HPARAMS)
    hparams = readers.read_object(hparams_file)
    adaptations, source = hparams.get('adaptation'), hparams.get('source')
    if not isinstance(adaptations, list) or not isinstance(source, dict):
      raise RunFolderError(
        f'{hparams_file}: there is no list "adaptation" and no object "source" with the settings '
        'of the run that was adapted, expected the folder of an adaptation run.'
      )
    clients_file = os.path.join(path, file_names.CLIENTS)
    run = cls(
      path=path,
      hparams=hparams,
      source=source,
      summary=readers.read_flat_object(os.path.join(path, file_names.SUMMARY)),
      adaptations=tuple(adaptations),
      clients=readers.read_clients(clients_file, _is_text),
      validation_curves=readers.if_present(
        readers.read_validation_curves, os.path.join(path, file_names.VALIDATION_CURVES)
      ),
    )
    for name in (
      metric_names.BEST_NAME,
      *(f'{model}/{run.local_test}' for model in run.adapted_models),
    ):
      if name not in run.clients:
        raise RunFolderError(f'{clients_file}: there is no column {name}, expected one.')
    return run

  @property
  def adapted_models(self) -> tuple[str, ...]:
    """The models but for the clients' own local ones: federated, the adaptations, best."""
    return (metric_names.FEDERATED, *self.adaptations, metric_names.BEST)

  @property
  def aggregated(self) -> tuple[str, ...]:
    """The means of adapted models, by adaptation and epochs; none in most runs."""
    epochs = self.hparams.get('aggregate_epochs') or ()
    return tuple(metric_names.aggregated(name, e) for name in self.adaptations for e in epochs)

  @property
  def was_retrained(self) -> bool:
    """Whether the source run was trained again, without some clients."""
    return metric_names.IS_REMOVED in self.clients

  @property
  def is_synthetic(self) -> bool:
    """Whether the numbers are invented, see `tff_lg.analysis.synthetic_adaptation`."""
    return bool(self.hparams.get(SYNTHETIC, False))

  @property
  def chosen_on_test_data(self) -> bool:
    """Whether the source run chose its models on test data, as the reference code does."""
    return run_folder.is_chosen_on_test_data(self.source)

  @property
  def is_malicious(self) -> pd.Series:
    """Which clients attacked the run that was adapted, bool by client id."""
    return self.values(metric_names.IS_MALICIOUS) > 0

  @property
  def best_names(self) -> pd.Series:
    """The name of each client's best model by validation, by client id."""
    return self.clients[metric_names.BEST_NAME]

  @property
  def local_test(self) -> str:
    """The main metric on clients' own test data: accuracy, unless no classes are predicted."""
    main = metrics.find_objective(self.source.get('objective')).metrics[0]
    return metric_names.local_test(main)

  @property
  def metric(self) -> str:
    """The metric that compares models: the accuracy of participants if every model has it."""
    models = list(self.adapted_models)
    if self._knows(names.LOCAL_ONLY, self.local_test):
      models.append(names.LOCAL_ONLY)
    known = all(self._knows(model, metric_names.PARTICIPANT_ACCURACY) for model in models)
    return metric_names.PARTICIPANT_ACCURACY if known else self.local_test

  def groups(self) -> dict[str, pd.Series]:
    """Returns the groups of clients, bool by client id: those of training, then held-out ones.

    Returns:
      By their name, `TRAINED` or `HELD_OUT`; a group without clients only if there are none
      at all. Malicious clients, whose gain or loss is nobody's concern, and validation clients
      are in no group.
    """
    is_held_out = self.values(_IS_HELD_OUT) > 0
    chooses = self.values(metric_names.IS_VALIDATION_CLIENT) > 0
    groups = {TRAINED: ~is_held_out & ~self.is_malicious, HELD_OUT: is_held_out & ~chooses}
    return {name: chosen for name, chosen in groups.items() if chosen.any()} or groups

  def values(self, column: str) -> pd.Series:
    """Returns a column of the clients; NaN for all where there is none."""
    if column not in self.clients:
      return pd.Series(math.nan, index=self.clients.index, name=column)
    return self.clients[column]

  def compare_models(
    self, metric: str, clients: pd.Series, models: Sequence[str] | None = None
  ) -> ComparedRuns:
    """Puts the accuracies of models side by side.

    Args:
      metric: which accuracy.
      clients: of which clients, bool by client id.
      models: their names; `adapted_models` by default.

    Returns:
      The accuracies by the models' names, of the clients that have all of them; without
      `own` where no client has a locally trained model.
    """
    table = pd.DataFrame(
      {model: self.values(f'{model}/{metric}') for model in models or self.adapted_models}
    )[clients]
    own = self.values(f'{names.LOCAL_ONLY}/{metric}')[clients]
    has_own = own.notna().any()
    known = table.notna().all(axis=1) & (own.notna() | (not has_own))
    return ComparedRuns(metric, table[known], own[known] if has_own else None, int((~known).sum()))

  def _knows(self, model: str, metric: str) -> bool:
    return bool(self.values(f'{model}/{metric}').notna().any())


def _is_text(column: str) -> bool:
  return column == metric_names.BEST_NAME or names.is_text(
    column.removeprefix(f'{metric_names.BEST}/')
  )
