"""Reads the folder of a new-device run, as `pipelines.new_device` writes it; its table and figure.

| file | what |
|---|---|
| hparams.json | value of each flag, and those of the source runs |
| curves.csv | the main metric of the old devices and of the new one, by run and round |
| summary.json | that of the model that the new device trains alone, by run |
"""

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tff_lg import file_names, metric_names, metrics
from tff_lg.analysis import formats, names, readers, tables
from tff_lg.analysis.figures import forgetting
from tff_lg.analysis.readers import RunFolderError
from tff_lg.analysis.sections import Illustration, flags_section
from tff_lg.analysis.tables import Column
from tff_lg.analysis.tables_report import write_tables_report

_TEXTS = ('run', 'method', 'partition')
_CAPTION = (
  '{} on the test examples of the old devices pooled, and below on those of the new one. A line is '
  ' the mean over source runs, its band a standard deviation to either side.'
)
_OWN_MODEL = f'/{metric_names.NEW_CLIENT}/{metric_names.OWN_MODEL}/'
_NUMBERS = ('old_clients_share', 'round_num')


@dataclasses.dataclass(frozen=True)
class NewDeviceFolder:
  """The files of a new-device run, read.

  Attributes:
    path: the folder, as it was given.
    transform: what was done to the new device's examples.
    hparams: value of each flag by its name.
    curves: by run and round, the columns run, method, partition (texts), old_clients_share,
      round_num, and both of `forgetting.columns(metric)` (float64).
    own_models: by run, the metric of the model that the new device trains alone; empty for
      a folder that is too old to know it.
    metric: the source runs' main one on clients' test data, such as `local_test/accuracy`.
  """

  path: str
  transform: str
  hparams: Mapping[str, Any]
  curves: pd.DataFrame
  own_models: Mapping[str, float]
  metric: str = metric_names.LOCAL_ACCURACY

  @classmethod
  def load(cls, path: str) -> 'NewDeviceFolder':
    """Reads the folder of a finished new-device run.

    Args:
      path: the folder.

    Returns:
      Its content, checked.

    Raises:
      RunFolderError: a file is missing or damaged; one sentence naming the file.
    """
    hparams_file, curves_file = (
      os.path.join(path, n) for n in (file_names.HPARAMS, file_names.CURVES)
    )
    hparams = readers.read_object(hparams_file)
    transform = hparams.get('transform')
    if not isinstance(transform, str):
      raise RunFolderError(
        f'{hparams_file}: there is no text "transform", expected the folder of a new-device run.'
      )
    readers.read_text(curves_file)  # For its sentence where there is no such file.
    try:
      table = pd.read_csv(curves_file)
      known = [metric_names.local_test(name) for name in metrics.METRICS]
      metric = next(
        (n for n in known if forgetting.columns(n)[0] in table), metric_names.LOCAL_ACCURACY
      )
      numbers = (*_NUMBERS, *forgetting.columns(metric))
      curves = table[[*_TEXTS, *numbers]].astype(dict.fromkeys(numbers, 'float64'))
    except (KeyError, ValueError) as error:  # pandas' parser errors are ValueErrors.
      raise RunFolderError(
        f'{curves_file}: the file is damaged ({error}), expected metrics by run and round.'
      ) from error
    # The source runs' own flags are objects.
    flags = {name: value for name, value in hparams.items() if not isinstance(value, dict)}
    summary_file = os.path.join(path, file_names.SUMMARY)
    summary = readers.read_object(summary_file) if os.path.exists(summary_file) else {}
    own = {
      name.removesuffix(f'{_OWN_MODEL}{metric}'): value
      for name, value in summary.items()
      if name.endswith(f'{_OWN_MODEL}{metric}')
    }
    return cls(path, transform, flags, curves, own, metric)


def new_device_table(folder: NewDeviceFolder) -> tables.Table:
  """Returns the normal and transformed metric after the last round, by method and C, as in Table 3.

  Args:
    folder: the run.

  Returns:
    One row per method and C, sorted by C, then in the order of the runs. Columns per partition: the
    normal metric before the first round and after the last, the new device's metric, and its
    locally trained model's. Shares are in per cent, ± the standard deviation over runs where there
    are several.

  Liang et al. 2020, Table 3.
  """
  normal, new = forgetting.columns(folder.metric)
  by_round = folder.curves.sort_values('round_num', kind='stable').groupby('run', sort=False)
  last, first = by_round.last(), by_round.first()
  runs = last.assign(before=first[normal]).loc[folder.curves['run'].unique()]
  partitions = list(dict.fromkeys(runs['partition']))
  heads = {'before': 'normal before', normal: 'normal', new: folder.transform}
  if folder.own_models:
    runs = runs.assign(own=runs.index.map(folder.own_models))
    heads['own'] = 'alone'
  columns = (
    Column('', 'method'),
    Column('', 'C'),
    *(Column(names.partition_name(p), head) for p in partitions for head in heads.values()),
  )
  keys = dict.fromkeys(zip(runs['old_clients_share'], runs['method'], strict=True))
  rows = []
  for share, method in sorted(keys, key=lambda key: key[0]):
    of_row = runs[(runs['old_clients_share'] == share) & (runs['method'] == method)]
    cells = (
      _cell(folder.metric, of_row.loc[of_row['partition'] == partition, name])
      for partition in partitions
      for name in heads
    )
    rows.append((names.method_name(method), f'{share:g}', *cells))
  notes = [
    f'Normal{formats.unit_of_column(folder.metric)}: test examples of the old devices pooled, each '
    'predicted by its own model; before:',
    'as the source run left it; then after the last round, as is that of the new device.',
  ]
  if folder.own_models:
    notes.append('alone: the best model that the new device trains alone, on the same examples.')
  if runs.groupby(['old_clients_share', 'method', 'partition']).size().max() > 1:
    notes.append('±: standard deviation over source runs.')
  return tables.Table(columns, tuple(rows), tuple(notes))


def new_device_text(run_dir: str) -> str:
  """Returns the table of a finished new-device run, for the terminal; RunFolderError as `load`."""
  return tables.to_text(new_device_table(NewDeviceFolder.load(run_dir)))


def write_new_device_report(run_dir: str, *, output: str | None = None) -> str:
  """Writes the page of a finished new-device run, and `figures/forgetting.png`.

  Args:
    run_dir: the folder.
    output: the page; `report.html` in the folder by default.

  Returns:
    Path of the page.

  Raises:
    RunFolderError: a file of the folder is missing or damaged.
    OSError: something cannot be written.
  """
  folder = NewDeviceFolder.load(run_dir)
  figure = forgetting.forgetting_curves(folder.curves, folder.transform, folder.metric)
  label = metrics.METRICS[folder.metric.split('/')[-1]].label
  return write_tables_report(
    run_dir,
    f'A new device: {folder.transform}',
    {'After the last round': new_device_table(folder)},
    [Illustration('forgetting', figure, _CAPTION.format(label[0].upper() + label[1:]))],
    flags_section('new_device', folder.hparams, run_dir),
    output=output,
  )


def _cell(metric: str, values: pd.Series) -> str:
  """Returns the mean ± standard deviation over runs; of one run the number alone."""
  if values.empty:
    return formats.MISSING
  return formats.value_with_std(metric, values.mean(), values.std(ddof=1))
