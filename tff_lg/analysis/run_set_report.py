"""The page, the text and the tables of a set of runs with different seeds or folds."""

import math
import os
from typing import Any

import pandas as pd

from tff_lg import csv_text, file_names, files, metric_names, strict_json, verdicts
from tff_lg.analysis import figures, formats, names
from tff_lg.analysis.run_set import RunSet
from tff_lg.analysis.sections import Illustration, command_section
from tff_lg.analysis.tables import Column, Table, to_text
from tff_lg.analysis.tables_report import write_tables_report

_CAPTION = (
  'Difference of local test scores per client with its 95 % interval on test examples, each of '
  'which counts once with its mean over seeds; verdicts are corrected over clients.'
)
_VARIANCE = (
  'Square roots of variance components, in {}, by the method of moments for random effects:',
  'what all clients of a seed have in common, what a seed changes for a single client,',
  'true differences between clients, and which test examples a client has.',
)
_LEVEL = 0.05


def write_run_set(run_dir: str, command: str) -> tuple[str, str]:
  """Writes what a set of runs says: results.csv, clients.parquet and .csv, a summary, a page.

  Args:
    run_dir: the folder of the set.
    command: what was run, for the page.

  Returns:
    Path of the page, and its tables and sentences for the terminal.

  Raises:
    RunFolderError: a file is missing or damaged, or no seed is complete; one sentence.
    OSError: a file cannot be written.
  """
  runs = RunSet.load(run_dir)
  _write(run_dir, file_names.RESULTS, runs.numbers.to_csv())
  clients = runs.clients() if runs.has_same_clients else pd.DataFrame()
  judged = {
    name: table for name in runs.first.baselines if (table := _judge(runs, name)) is not None
  }
  for name, table in judged.items():
    clients = clients.join(table.add_prefix(metric_names.verdict_over(name)))
  if not clients.empty:
    flat = clients.rename_axis('client_id').reset_index()
    _write(run_dir, file_names.CLIENTS, flat.to_parquet(index=False))
    escaped = flat.assign(client_id=flat['client_id'].map(csv_text.escape))
    _write(run_dir, file_names.CLIENTS_TEXT, escaped.to_csv(index=False, lineterminator='\n'))
  of_methods = {method: _components(runs, method) for method in runs.methods}
  components = {method: found for method, found in of_methods.items() if found is not None}
  tables = {f'Mean ± standard deviation over {_replicates(runs)}': _methods_table(runs)}
  if components:
    tables['Where the spread of scores comes from'] = _variance_table(runs, components)
  shown = []
  own = judged.get(names.LOCAL_ONLY)
  if own is not None:
    figure = figures.verdict_intervals(
      own[own['difference'].notna()], method=runs.first.method, metric=runs.first.local_test
    )
    shown = [Illustration('verdicts', figure, _CAPTION)]
    tables['Each client'] = _clients_table(runs, clients)
  lead = 'The command; rerun it to resume, without training anything twice:'
  sentences = _sentences(runs, own)
  title = f'{_count(runs)} runs of {names.method_name(runs.first.method)}'
  page = write_tables_report(run_dir, title, tables, shown, command_section(command, lead))
  _write(run_dir, file_names.SUMMARY, strict_json.dumps(_summary(runs, judged, components)))
  texts = [to_text(table) for name, table in tables.items() if name != 'Each client']
  return page, '\n'.join([*texts, '', *sentences])


def _write(run_dir: str, name: str, content: str | bytes) -> None:
  files.write_atomically(os.path.join(run_dir, name), content)


def _count(runs: RunSet) -> int:
  return len(runs.runs) * runs.num_folds


def _replicates(runs: RunSet) -> str:
  if len(runs.runs) == 1:
    return f'{runs.num_folds} folds'
  folds = f', each the mean of {runs.num_folds} folds' if runs.num_folds > 1 else ''
  return f'{len(runs.runs)} seeds{folds}'


def _judge(runs: RunSet, baseline: str) -> pd.DataFrame | None:
  """Returns verdicts on the method against a baseline by client; None without scores by example."""
  ours, other = runs.scores(runs.first.method), runs.scores(baseline)
  if ours is None or other is None:
    return None
  known = [client for client in ours if client in other]
  if not known:
    return None
  metric = runs.first.metric
  table = verdicts.judge_repeated(
    [ours[client] for client in known],
    [other[client] for client in known],
    float(runs.first.hparams.get('false_discovery_rate') or _LEVEL),
    is_accuracy=metric.counts_right,
    more_is_better=metric.more_is_better,
  ).set_index(pd.Index(known))
  columns = ('difference', 'low', 'high', 'std_over_seeds', 'adjusted_p_value')
  return table[[*columns, 'smallest_difference', 'verdict']]


def _components(runs: RunSet, method: str) -> verdicts.Components | None:
  scores = runs.scores(method)
  return None if scores is None else verdicts.split_variance(list(scores.values()))


def _entries(runs: RunSet) -> dict[str, str]:
  """Returns names of the numbers in the table of methods, by what their columns are called."""
  entries = {'local test': metric_names.mean(runs.first.local_test)}
  for ensemble, label in names.ENSEMBLES.items():
    name = metric_names.new_test(runs.first.metric.name, ensemble)
    if any(f'{runs.prefix(method)}{name}' in runs.numbers for method in runs.methods):
      entries[f'new test, {label}'] = name
  return entries


def _methods_table(runs: RunSet) -> Table:
  entries = _entries(runs)
  unit = formats.unit(runs.first.local_test).strip()
  rows = []
  for method in runs.methods:
    cells = []
    for name in entries.values():
      values = runs.replicates(f'{runs.prefix(method)}{name}')
      cells.append(formats.value_with_std(name, values.mean(), values.std()))
    rows.append((names.method_name(method), *cells))
  heads = [
    Column('', 'method'),
    *(Column('', f'{label} ({unit})' if unit else label) for label in entries),
  ]
  notes = [
    f'Mean ± standard deviation (n − 1) over {_replicates(runs)}; local test is the mean over '
    'clients.'
  ]
  if runs.num_missing:
    notes.append(f'{runs.num_missing} runs are not complete; their seeds are left out.')
  return Table(tuple(heads), tuple(rows), tuple(notes))


def _variance_table(runs: RunSet, components: dict[str, verdicts.Components]) -> Table:
  heads = ('method', 'seeds', 'seeds by client', 'clients', 'test examples')
  metric = runs.first.local_test
  rows = tuple(
    (names.method_name(method), *(formats.value(metric, math.sqrt(v)) for v in found))
    for method, found in components.items()
  )
  unit = 'points' if formats.metric_scale(metric) == 100 else 'units of the metric'
  notes = (_VARIANCE[0].format(unit), *_VARIANCE[1:])
  return Table(tuple(Column('', head) for head in heads), rows, notes)


def _sentences(runs: RunSet, own: pd.DataFrame | None) -> list[str]:
  if not runs.has_same_examples:
    return ['Seeds have other test examples each, so there are no verdicts over all of them.']
  if own is None:
    return []
  own = own[own['difference'].notna()]
  numbers = own['verdict'].value_counts()
  better, worse, unknown = (int(numbers.get(verdict, 0)) for verdict in verdicts.Verdict)
  folds = ' in all folds' if runs.num_folds > 1 else ''
  of_seeds = f', each with its mean over {len(runs.runs)} seeds' if len(runs.runs) > 1 else ''
  sentence = (
    f'By their test examples{folds}{of_seeds}, {better:,} of {len(own):,} clients should take '
    f'part, {worse:,} should not; for {unknown:,} these cannot tell.'
  )
  return [sentence]


def _clients_table(runs: RunSet, clients: pd.DataFrame) -> Table:
  metric, start = runs.first.local_test, metric_names.verdict_over(names.LOCAL_ONLY)
  heads = (
    'client',
    'verdict',
    f'difference ({formats.difference_unit(metric)})',
    '95 % interval',
    'std over seeds',
    'takes part',
    'alone',
    'test examples',
  )
  rows = tuple(
    (
      str(client),
      str(row[f'{start}verdict']),
      formats.difference(metric, row[f'{start}difference']),
      ' to '.join(formats.difference(metric, row[f'{start}{end}']) for end in ('low', 'high')),
      formats.value(metric, row[f'{start}std_over_seeds']),
      formats.value(metric, row[metric]),
      formats.value(metric, row[f'{names.LOCAL_ONLY}/{metric}']),
      formats.count(row['num_test']),
    )
    for client, row in clients.sort_values(f'{start}difference').iterrows()
    if row[f'{start}difference'] == row[f'{start}difference']
  )
  return Table(tuple(Column('', head) for head in heads), rows)


def _summary(
  runs: RunSet,
  judged: dict[str, pd.DataFrame],
  components: dict[str, verdicts.Components],
) -> dict[str, Any]:
  summary: dict[str, Any] = {
    'method': runs.first.method,
    'num_seeds': len(runs.runs),
    'num_folds': runs.num_folds,
    'has_same_examples': runs.has_same_examples,
  }
  for name in runs.numbers.drop(columns=['seed', 'fold'], errors='ignore'):
    values = runs.replicates(name)
    summary[f'{name}/mean'], summary[f'{name}/std'] = float(values.mean()), float(values.std())
  for method, found in components.items():
    summary |= {f'{runs.prefix(method)}variance/{k}': v for k, v in found._asdict().items()}
  for name, table in judged.items():
    known = table.loc[table['difference'].notna(), 'verdict']
    for verdict in verdicts.Verdict:
      number = f'num_{verdict.value.replace(" ", "_")}'
      entry = metric_names.verdict_over(name, number)
      summary[entry] = int((known == verdict.value).sum())
  return summary
