"""Tables of methods, for the terminal and for the page."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd
from markupsafe import Markup

from tff_lg import metric_names
from tff_lg.analysis import (
  client_advice,
  client_verdicts,
  formats,
  goals,
  held_out,
  markup,
  names,
  opponent,
  paired,
)
from tff_lg.analysis.run_folder import RunFolder


class Column(NamedTuple):
  """Head of a column.

  Attributes:
    group: what neighbouring columns have in common, written once above them; or ''.
    name: of the column itself.
  """

  group: str
  name: str


class Table(NamedTuple):
  """A table of text cells.

  Attributes:
    columns: their heads; the first names the row.
    rows: one cell a column each.
    notes: sentences to go below.
  """

  columns: tuple[Column, ...]
  rows: tuple[tuple[str, ...], ...]
  notes: tuple[str, ...] = ()


def methods_table(run: RunFolder) -> Table:
  """Returns the comparison of methods: a row for each baseline, then this run.

  Args:
    run: the run.

  Returns:
    Local test mean ± std over clients, others' test, new test by each ensemble, rounds, and
    parameters and bytes communicated. A column that no method has is left out.
  """
  runs = (*run.baselines.values(), run)
  new_tests = {name: metric_names.new_test(run.metric.name, name) for name in names.ENSEMBLES}
  ensembles = [
    name for name, new_test in new_tests.items() if any(new_test in r.summary for r in runs)
  ]
  others = [
    name
    for name in (metric_names.others_test(run.metric.name),)
    if any(metric_names.mean(name) in r.summary for r in runs)
  ]
  combined = f'{_test_group(run, "new test")}, clients combined by'
  columns = (
    Column('', 'method'),
    Column(_test_group(run, 'local test'), 'mean ± std'),
    *(Column(_test_group(run, "others' test"), 'mean ± std') for _ in others),
    *(Column(combined, names.ENSEMBLES[name]) for name in ensembles),
    Column('', 'rounds'),
    Column('communicated', 'parameters'),
    Column('communicated', 'bytes'),
  )
  rows = tuple(
    (
      names.method_name(row.method),
      row.local_test_with_std(),
      *map(row.mean_with_std, others),
      *(formats.value(new_tests[name], row.value(new_tests[name])) for name in ensembles),
      _rounds(row),
      formats.count(row.value(metric_names.PARAMETERS_TOTAL)),
      formats.num_bytes(row.value(metric_names.BYTES_TOTAL)),
    )
    for row in runs
  )
  notes = ['Local test: each client on its own test data, std over clients.']
  if others:
    notes.append("Others' test: each client's model on the pooled test data of all other clients.")
  if ensembles:
    notes.append("New test: all clients' models together on the whole test set.")
    if any(metric_names.num_own_models('network') in row.summary for row in runs):
      notes.append("New test of Local only: all clients' own networks.")
  if isinstance(note := run.summary.get(metric_names.PROTOCOL_NOTE), str):
    notes.append(note)
  return Table(columns, rows, tuple(notes))


def paired_table(run: RunFolder) -> Table | None:
  """Returns this run against each of its baselines, on the same clients.

  Args:
    run: the run.

  Returns:
    The mean difference in points of local test accuracy with its 95 % interval. The numbers of
    clients that do better, equally well and worse. None without a baseline.
  """
  method = names.method_name(run.method)
  return differences_table(
    run.local_test,
    {
      minus(method, names.method_name(baseline), run.local_test): (
        run.client_accuracy(),
        run.client_accuracy(baseline),
      )
      for baseline in _compared_baselines(run)
    },
  )


def minus(first: str, other: str, metric: str) -> str:
  """Returns two models as they are subtracted, so that more than 0 is good for the first."""
  return f'{first} − {other}' if formats.is_more_better(metric) else f'{other} − {first}'


def differences_table(
  metric: str, pairs: Mapping[str, tuple[pd.Series, pd.Series]]
) -> Table | None:
  """Returns differences of accuracies on the same clients.

  Args:
    metric: which accuracy, or other metric.
    pairs: by what their difference is called, two accuracies by client id.

  Returns:
    One row per pair: the mean by which the first is better, with its 95 % interval. The numbers of
    clients that do better, equally well and worse. None without a pair.
  """
  if not pairs:
    return None
  label = formats.metric_label(metric).removesuffix(' (%)')
  accuracy = f'{label} ({formats.difference_unit(metric)})'
  columns = (
    Column('', 'difference'),
    Column(accuracy, 'mean'),
    Column(accuracy, '95 % interval'),
    Column('clients', 'better'),
    Column('clients', 'equal'),
    Column('clients', 'worse'),
  )
  rows = tuple(_paired_row(metric, label, *pair) for label, pair in pairs.items())
  return Table(columns, rows, (paired.INTERVAL,))


def comparison_text(run_dir: str) -> str:
  """Returns both tables of a finished run folder, for the terminal.

  Args:
    run_dir: the run folder.

  Returns:
    The comparison of methods and, with a baseline, the differences per client. Then sentences, such
    as which clients should take part, and when the goals of the run were reached.

  Raises:
    RunFolderError: a file of the run folder is missing or damaged.
  """
  run = RunFolder.load(run_dir)
  parts = [to_text(table) for table in (methods_table(run), paired_table(run)) if table]
  sentences = (
    *client_verdicts.verdict_sentences(run),
    *client_advice.advice_sentences(run),
    *opponent.opponent_sentences(run),
    *held_out.held_out_sentences(run),
    *goals.goal_sentences(run),
  )
  return '\n\n'.join([*parts, *filter(None, ['\n'.join(sentences)])])


def interval(comparison: paired.PairedComparison, metric: str = metric_names.LOCAL_ACCURACY) -> str:
  """Returns the 95 % interval of a mean difference, of accuracies in points: `−0.12 to +1.34`."""
  low, high = (formats.difference(metric, end) for end in (comparison.low, comparison.high))
  return formats.MISSING if formats.MISSING in (low, high) else f'{low} to {high}'


def to_text(table: Table) -> str:
  """Returns the table for a terminal, its first column to the left, the others to the right."""
  heads = [column.name for column in table.columns]
  widths = [max(map(len, cells)) for cells in zip(heads, *table.rows, strict=True)]
  groups = _groups(table)
  for group, first, last in groups:
    # A group's name may be wider than its columns: the last one gives room.
    missing = len(group) - sum(widths[first : last + 1]) - 2 * (last - first)
    widths[last] += max(missing, 0)
  group_line = '  '.join(
    group.rjust(sum(widths[first : last + 1]) + 2 * (last - first)) for group, first, last in groups
  )

  def line(cells: tuple[str, ...] | list[str]) -> str:
    return '  '.join(
      cell.rjust(width) if i else cell.ljust(width)
      for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()

  rule = '  '.join('-' * width for width in widths)
  lines = [group_line.rstrip(), line(heads), rule, *(line(row) for row in table.rows), *table.notes]
  return '\n'.join(lines)


def to_markdown(table: Table) -> str:
  """Returns the table in Markdown, its first column to the left, the others to the right."""

  def line(cells: Iterable[str]) -> str:
    # A pipe would end the cell.
    return '| ' + ' | '.join(cell.replace('|', '\\|') for cell in cells) + ' |'

  heads = (f'{column.group} {column.name}'.strip() for column in table.columns)
  rule = '|' + '|'.join('---' if i == 0 else '---:' for i in range(len(table.columns))) + '|'
  lines = [line(heads), rule, *map(line, table.rows)]
  return '\n'.join([*lines, *(f'\n{note}' for note in table.notes)])


def to_html(table: Table) -> Markup:
  """Returns the table as HTML, for the page's style sheet."""
  groups = [(group, last - first + 1) for group, first, last in _groups(table)]
  heads = [column.name for column in table.columns]
  return markup.fill('table', groups, heads, table.rows, table.notes)


def _compared_baselines(run: RunFolder) -> list[str]:
  """Returns baselines that clients.parquet has, those with a folder of their own first."""
  suffix = f'/{run.local_test}'
  in_clients = [name.removesuffix(suffix) for name in run.clients if name.endswith(suffix)]
  known = [name for name in run.baselines if name in in_clients]
  return known + [name for name in in_clients if name not in known]


def _test_group(run: RunFolder, data: str) -> str:
  """Returns the head of columns of the main metric: `local test (%)`, `local test MAE`."""
  is_share = formats.metric_scale(run.local_test) == 100
  data += run.optimism
  return f'{data} (%)' if is_share else f'{data} {run.metric.label}'


def _paired_row(metric: str, label: str, mine: pd.Series, other: pd.Series) -> tuple[str, ...]:
  comparison = paired.compare_clients(mine, other, metric)
  return (
    label,
    formats.difference(metric, comparison.mean_difference),
    interval(comparison, metric),
    f'{comparison.num_better:,}',
    f'{comparison.num_equal:,}',
    f'{comparison.num_worse:,}',
  )


def _rounds(run: RunFolder) -> str:
  """Returns rounds of the warm start and of the method: `400 + 100`."""
  if run.summary.get(metric_names.OWN_BUDGET) == 'best':
    return formats.MISSING
  rounds = {name: run.value(name) for name in run.summary if name.startswith(metric_names.ROUNDS)}
  # The warm start comes first, whatever the order in the file.
  ordered = sorted(rounds, key=lambda name: name != metric_names.rounds('fedavg'))
  written = [formats.count(rounds[name]) for name in ordered if rounds[name] > 0]
  return ' + '.join(written) or ('0' if rounds else formats.MISSING)


def _groups(table: Table) -> list[tuple[str, int, int]]:
  """Returns (group, first column, last column) of neighbours with the same group."""
  groups: list[tuple[str, int, int]] = []
  for i, column in enumerate(table.columns):
    if column.group and groups and groups[-1][0] == column.group:
      groups[-1] = (column.group, groups[-1][1], i)
    else:
      groups.append((column.group, i, i))
  return groups
