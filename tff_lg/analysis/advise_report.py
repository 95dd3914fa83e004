"""The page and the text of an advice."""

import functools
import json
import os
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from tff_lg import file_names, metric_names
from tff_lg.analysis import (
  client_curves,
  client_panels,
  figures,
  formats,
  markup,
  names,
  readers,
  report,
  sortable,
  style,
  tables,
)
from tff_lg.analysis.client_panels import ClientPanel
from tff_lg.analysis.sections import Illustration, Section, command_section
from tff_lg.analysis.tables import Column, Table, to_text

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
  first, *others = _sentences(summary)
  answer = markup.fill('paragraph', first, 'headline')
  answer += Markup().join(markup.fill('paragraph', text) for text in [' '.join(others)])
  panels = _panels(run_dir, clients, summary)
  lead = 'The command; rerun it to resume, without training anything twice:'
  sections = [
    Section('answer', 'Answer', answer, tuple(shown[:1])),
    Section('models', 'Which model for how many clients', tables.to_html(_models_table(summary))),
    Section('clients', 'Each client', _clients_table(clients, summary), tuple(shown[1:]), panels),
    command_section(command, lead),
  ]
  return report.write_page(run_dir, 'Advice', sections)


def advise_text(run_dir: str) -> str:
  """Returns the table of models, and sentences on what clients gain."""
  summary, _ = _load(run_dir)
  return '\n'.join([to_text(_models_table(summary)), '', *_sentences(summary)])


def _load(run_dir: str) -> tuple[dict[str, Any], pd.DataFrame]:
  with open(os.path.join(run_dir, file_names.SUMMARY), encoding='utf-8') as file:
    summary = json.load(file)
  return summary, pd.read_parquet(os.path.join(run_dir, file_names.CLIENTS))


def _metric(summary: dict[str, Any]) -> str:
  return metric_names.local_test(summary['metric'])


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
  start, ending = metric_names.OF_MODELS, '/advised_clients'
  parts = [n.removeprefix(start).removesuffix(ending) for n in summary if n.endswith(ending)]
  rows = []
  # Those that most clients are to use stand first.
  for part in sorted(
    parts, key=lambda each: -summary[metric_names.of_model(each, 'advised_clients')]
  ):
    about = functools.partial(metric_names.of_model, part)
    is_reference = summary[about('is_reference')]
    score = summary[about(metric_names.mean(metric))]
    rows.append(
      (
        _name(part),
        formats.MISSING if is_reference else formats.count(summary[about('advised_clients')]),
        formats.value(metric, np.nan if score is None else score),
        formats.num_bytes(summary[about('bytes_per_client')]),
        formats.significant(summary.get(about('epsilon'), np.nan)),
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
    mean = formats.difference_with_unit(metric, summary[metric_names.mean(name)])
    interval = ''
    ends = metric_names.interval(name)
    if ends[0] in summary:
      low, high = (formats.difference(metric, summary[end]) for end in ends)
      interval = f' (95 % interval {low} to {high})'
    over = ' over their own models' if name == 'gain' else ''
    verb = '' if name == 'gain' else ' gives'
    texts.append(f'{what}{verb} {mean}{over}{interval}.')
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
  if 'num_seeds' in summary:
    spread = formats.value(metric, summary[metric_names.std_over_seeds('gain')])
    agreement = formats.percent(summary[metric_names.AGREEMENT], digits=0)
    unit = ' points' if formats.metric_scale(metric) == 100 else ''
    texts.append(
      f'Scores are means over {summary["num_seeds"]} seeds, over which the gain has a standard '
      f'deviation of {spread}{unit}; single seeds give clients the same advice in {agreement} % of '
      'cases.'
    )
  return texts


def _counts(summary: dict[str, Any], prefix: str) -> list[int]:
  """Counts the clients that are better off, worse off, and those of which the data cannot tell."""
  verdicts = ('better', 'worse', 'cannot tell')
  return [summary.get(f'{prefix}{metric_names.with_verdict(verdict)}', 0) for verdict in verdicts]


def _clients_table(clients: pd.DataFrame, summary: dict[str, Any]) -> Markup:
  metric = _metric(summary)
  heads = ('client', 'model', 'own', 'advised', 'gain', 'verdict', 'test examples', 'bytes')
  rows = [
    (
      (str(row['client_id']), str(row['client_id'])),
      (_name(row[metric_names.ADVICE]), _name(row[metric_names.ADVICE])),
      (row['own_test'], formats.value(metric, row['own_test'])),
      (row['advised_test'], formats.value(metric, row['advised_test'])),
      (row['gain'], formats.difference(metric, row['gain'])),
      (_text(row['verdict']), _text(row['verdict'])),
      (row['num_test'], formats.count(row['num_test'])),
      (row['bytes'], formats.num_bytes(row['bytes'])),
    )
    for _, row in clients.sort_values('gain').iterrows()
  ]
  return sortable.sortable_table(heads, rows, 'clients and models', opens_panels=True)


def _text(verdict: Any) -> str:
  return verdict if isinstance(verdict, str) else formats.MISSING


def _panels(run_dir: str, clients: pd.DataFrame, summary: dict[str, Any]) -> dict[str, ClientPanel]:
  """Returns a panel per client: each model that was tried, by validation and by test data."""
  metric = _metric(summary)
  validation = metric_names.validation(summary['metric'])
  first = os.path.join(run_dir, summary.get('first_run', ''))
  path = os.path.join(first, file_names.PARTS, names.LOCAL_ONLY, file_names.LABEL_COUNTS)
  counts = readers.if_present(readers.read_label_counts, path)
  unit = formats.unit_of_column(metric)
  heads = ('model', f'validation{unit}', f'test{unit}', 'gain over own', '')
  sign = 1 if formats.is_more_better(metric) else -1
  parts = [name.removesuffix(f'/{metric}') for name in clients if name.endswith(f'/{metric}')]
  panels = {}
  # Those of one seed would mislead beside means over seeds.
  curves_of = {} if 'num_seeds' in summary else _load_curves(first, parts)
  for _, row in clients.sort_values('gain').iterrows():
    rows = []
    for part in parts:
      gain = sign * (row[f'{part}/{metric}'] - row['own_test'])
      scores = (formats.value(metric, row[f'{part}/{name}']) for name in (validation, metric))
      is_advised = 'advised' if part == row[metric_names.ADVICE] else ''
      is_own = part == names.LOCAL_ONLY
      gained = formats.MISSING if is_own else formats.difference(metric, gain)
      rows.append((_name(part), *scores, gained, is_advised))
    facts = [*client_panels.size_facts(row), ('advised model', _name(row[metric_names.ADVICE]))]
    for start, name, what in (
      ('', 'gain', 'gain of the advice'),
      (_TAKING_PART, 'gain_of_taking_part', f'gain of {_name(summary["best_for_all"])}'),
    ):
      text = formats.difference(metric, row[name])
      if isinstance(row[f'{start}verdict'], str):
        low, high = (formats.difference(metric, float(row[f'{start}{e}'])) for e in ('low', 'high'))
        text += f' ({low} to {high}): {row[f"{start}verdict"]}'
      facts.append((what, text))
    if 'seeds_that_agree' in row:
      spread = formats.value(metric, row['gain_std_over_seeds'])
      facts.append(('deviation of the gain over seeds', spread))
      facts.append(
        ('seeds with this advice', f'{row["seeds_that_agree"]} of {summary["num_seeds"]}')
      )
    facts.append(('bytes sent', formats.num_bytes(row['bytes'])))
    if row['epsilon'] == row['epsilon']:
      facts.append(('epsilon', formats.significant(row['epsilon'])))
    client = str(row['client_id'])
    classes = client_panels.count_classes(counts, client)
    command = row.get('export_command', '')
    curves = [
      client_curves.Curve(_name(part), *style.nth_series(i)[:2], scores)
      for i, (part, tables) in enumerate(curves_of.items())
      if not (scores := client_curves.scores_by_round(tables.get(client), validation)).empty
    ]
    own = row[f'{names.LOCAL_ONLY}/{validation}']
    if curves and own == own:
      look, level = style.nth_series(len(curves_of))[:2], pd.Series([own])
      curves.append(client_curves.Curve(_name(names.LOCAL_ONLY), *look, level, is_level=True))
    drawn = client_curves.draw(curves, validation)
    panels[client] = ClientPanel(facts, heads, rows, classes, command, drawn)
  return panels


def _load_curves(first: str, parts: list[str]) -> dict[str, dict[str, pd.DataFrame]]:
  """Returns the scores by round of each client, by the part of an advice that has them."""
  paths = {
    part: os.path.join(first, file_names.PARTS, part, file_names.CLIENT_CURVES) for part in parts
  }
  return {
    part: found
    for part, path in paths.items()
    if (found := readers.if_present(readers.read_client_curves, path))
  }


def _figure(judged: pd.DataFrame, summary: dict[str, Any]) -> Illustration:
  floats = judged.astype({'low': float, 'high': float}).assign(difference=judged['gain'])
  figure = figures.verdict_intervals(floats, method='model advised', metric=_metric(summary))
  caption = _CAPTION.format(
    'the model advised', 'each client that is advised to use a federated model'
  )
  marks = figures.client_marks(floats.set_index('client_id'), _metric(summary))
  return Illustration('advice', figure, caption, marks)


def _figure_of_taking_part(clients: pd.DataFrame, summary: dict[str, Any]) -> Illustration:
  columns = {f'{_TAKING_PART}{name}': name for name in ('low', 'high', 'verdict')}
  table = clients.set_index('client_id')
  table = table[[*columns, 'gain_of_taking_part']].rename(columns=columns)
  table = table.rename(columns={'gain_of_taking_part': 'difference'})
  known = table[table['verdict'].notna()].astype({'low': float, 'high': float})
  name = _name(summary['best_for_all'])
  figure = figures.verdict_intervals(known, method=name, metric=_metric(summary))
  marks = figures.client_marks(known, _metric(summary))
  return Illustration('taking_part', figure, _CAPTION.format(name, 'each client'), marks)
