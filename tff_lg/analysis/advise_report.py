"""The page and the text of an advice."""

import json
import os
from typing import Any

import numpy as np
import pandas as pd

from tff_lg.analysis import figures, formats, names
from tff_lg.analysis.sections import Illustration, command_section
from tff_lg.analysis.tables import Column, Table, to_text
from tff_lg.analysis.tables_report import write_tables_report

_MODELS = 'models/'
_TAKING_PART = 'taking_part/'
_CAPTION = (
  'Local test score of {} minus that of the own model, of {}, with its 95 % interval; verdicts are '
  'corrected over clients.'
)


def write_advise_report(run_dir: str, command: str) -> str:
  """Writes `report.html` of an advice.

  Args:
    run_dir: its folder, complete.
    command: what was run, for the page.

  Returns:
    Path of the page.
  """
  summary, clients = _load(run_dir)
  judged = clients[clients['verdict'].notna()]
  shown = []
  if clients[f'{_TAKING_PART}verdict'].notna().any():
    shown.append(_figure_of_taking_part(clients, summary))
  if not judged.empty:
    shown.append(_figure(judged, summary))
  tables = {
    'Which model for how many clients': _models_table(summary),
    'Each client': _clients_table(clients, summary),
  }
  lead = 'The command; rerun it to resume, without training anything twice:'
  return write_tables_report(run_dir, 'Advice', tables, shown, command_section(command, lead))


def advise_text(run_dir: str) -> str:
  """Returns the table of models, and sentences on what clients gain."""
  summary, _ = _load(run_dir)
  return '\n'.join([to_text(_models_table(summary)), '', *_sentences(summary)])


def _load(run_dir: str) -> tuple[dict[str, Any], pd.DataFrame]:
  with open(os.path.join(run_dir, 'summary.json'), encoding='utf-8') as file:
    summary = json.load(file)
  return summary, pd.read_parquet(os.path.join(run_dir, 'clients.parquet'))


def _metric(summary: dict[str, Any]) -> str:
  return f'local_test/{summary["metric"]}'


def _name(part: str) -> str:
  """Returns `LG-FedAvg, 0.5 local` for `lg_fedavg_0.5`."""
  plain = part.removesuffix('_plain')
  method, _, rest = plain.rpartition('_')
  if plain == 'fedavg_adapted':
    text = 'FedAvg, adapted'
  elif rest.replace('.', '').isdigit():
    text = f'{names.method_name(method)}, {rest} local'
  else:
    text = names.method_name(plain)
  return text if plain == part else f'{text}, plain'


def _models_table(summary: dict[str, Any]) -> Table:
  metric = _metric(summary)
  ending = '/advised_clients'
  parts = [n.removeprefix(_MODELS).removesuffix(ending) for n in summary if n.endswith(ending)]
  rows = []
  # Those that most clients are to use stand first.
  for part in sorted(parts, key=lambda each: -summary[f'{_MODELS}{each}{ending}']):
    start = f'{_MODELS}{part}'
    is_reference = summary[f'{start}/is_reference']
    score = summary[f'{start}/{metric}/mean_over_clients']
    rows.append(
      (
        _name(part),
        formats.MISSING if is_reference else formats.count(summary[f'{start}{ending}']),
        formats.value(metric, np.nan if score is None else score),
        formats.num_bytes(summary[f'{start}/bytes_per_client']),
        formats.significant(summary.get(f'{start}/epsilon', np.nan)),
      )
    )
  heads = ('model', 'advised to', formats.metric_label(metric), 'bytes per client', 'epsilon')
  notes = ['Validation data choose; scores are means over clients on test data.']
  if any(part.endswith('_plain') for part in parts):
    notes.append('Plain models have neither the aggregator nor attackers; nobody is to use them.')
  return Table(tuple(Column('', head) for head in heads), tuple(rows), tuple(notes))


def _sentences(summary: dict[str, Any]) -> list[str]:
  metric = _metric(summary)
  texts = []
  for name, what in (
    ('gain', 'So advised, clients gain'),
    (
      'gain_of_taking_part',
      f'In that total, taking part with {_name(summary["best_for_all"])} for all',
    ),
    ('gain_of_choosing', 'and choosing for each client'),
  ):
    mean = formats.difference(metric, summary[f'{name}/mean_over_clients'])
    unit = formats.difference_unit(metric)
    interval = ''
    if f'{name}/low' in summary:
      low, high = (formats.difference(metric, summary[f'{name}/{end}']) for end in ('low', 'high'))
      interval = f' (95 % interval {low} to {high})'
    over = ' over their own models' if name == 'gain' else ''
    verb = '' if name == 'gain' else ' gives'
    texts.append(f'{what}{verb} {mean} {unit}{over}{interval}.')
  texts[1] = f'{texts[1][:-1]},'
  better, worse, unknown = _counts(summary, _TAKING_PART)
  if total := better + worse + unknown:
    texts.insert(
      0,
      f'With {_name(summary["best_for_all"])} for all, {better:,} of {total:,} clients are better '
      f'off than with their own models by their test data, {worse:,} are worse off, and for '
      f'{unknown:,} these cannot tell.',
    )
  counts = _counts(summary, '')
  if any(counts):
    texts.append(
      f'Among those advised to use another model than their own, {counts[0]:,} are better off by '
      f'their test data, {counts[1]:,} worse, and for {counts[2]:,} these cannot tell.'
    )
  return texts


def _counts(summary: dict[str, Any], prefix: str) -> list[int]:
  """How many clients are better off, worse off, and cannot tell."""
  verdicts = ('better', 'worse', 'cannot tell')
  return [summary.get(f'{prefix}verdict/{verdict}', 0) for verdict in verdicts]


def _clients_table(clients: pd.DataFrame, summary: dict[str, Any]) -> Table:
  metric = _metric(summary)
  heads = ('client', 'model', 'own', 'advised', 'gain', 'verdict', 'test examples', 'bytes')
  rows = tuple(
    (
      str(row['client_id']),
      _name(row['advice']),
      formats.value(metric, row['own_test']),
      formats.value(metric, row['advised_test']),
      formats.difference(metric, row['gain']),
      row['verdict'] if isinstance(row['verdict'], str) else formats.MISSING,
      formats.count(row['num_test']),
      formats.num_bytes(row['bytes']),
    )
    for _, row in clients.sort_values('gain').iterrows()
  )
  return Table(tuple(Column('', head) for head in heads), rows)


def _figure(judged: pd.DataFrame, summary: dict[str, Any]) -> Illustration:
  floats = judged.astype({'low': float, 'high': float}).assign(difference=judged['gain'])
  figure = figures.verdict_intervals(floats, method='model advised', metric=_metric(summary))
  caption = _CAPTION.format(
    'the model advised', 'each client that is advised to use a federated model'
  )
  return Illustration('advice', figure, caption)


def _figure_of_taking_part(clients: pd.DataFrame, summary: dict[str, Any]) -> Illustration:
  columns = {f'{_TAKING_PART}{name}': name for name in ('low', 'high', 'verdict')}
  table = clients[[*columns, 'gain_of_taking_part']].rename(columns=columns)
  table = table.rename(columns={'gain_of_taking_part': 'difference'})
  known = table[table['verdict'].notna()].astype({'low': float, 'high': float})
  name = _name(summary['best_for_all'])
  figure = figures.verdict_intervals(known, method=name, metric=_metric(summary))
  return Illustration('taking_part', figure, _CAPTION.format(name, 'each client'))
