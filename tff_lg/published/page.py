"""The part of a page that shows a published table beside ours."""

import functools
import itertools
import math
import os
import pathlib
import re
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from tff_lg import confidence, files, strict_json
from tff_lg.analysis import formats, tables
from tff_lg.published.chart import CHARTS
from tff_lg.published.outcome import Outcome, judge
from tff_lg.published.table import TABLES, Figure, TableEntry, by_paper

# The block of the page that lists the tables without stored results.
_MISSING = 'tables_not_run'
_PARTIAL = (
  'Brackets count the seeds that have the number, such as rounds to a goal; the mean is over these.'
)
_PAGE = 'RESULTS.md'
# More figures that are off are a list.
_MOST_IN_A_SENTENCE = 2
# What identifies the flags of the runs, in the file of an outcome.
_SETTINGS = 'settings'
_REMEDY = 'delete it, and record all seeds again'


def render(table: TableEntry, outcome: Outcome, is_compared: bool = True) -> str:
  """Returns the outcome as Markdown: title, command, table, and what is off.

  Args:
    table: its entry.
    outcome: of its runs.
    is_compared: whether the runs are as long as published, so that the numbers compare.
  """
  data = ' --data=<folder>' if table.data else ''
  paper = f' *Paper*: {table.paper}.' if table.paper else ''
  seeds = ''
  if outcome.seeds != table.seeds:
    seeds = f' --seeds={",".join(map(str, outcome.seeds))}'
  command = f'    python -m pipelines.reproduce {table.name}{data}{seeds} --run_dir=<folder>'
  return '\n\n'.join(
    (
      f'### {table.label}',
      command,
      f'{table.unit}; {_seeds(outcome.seeds)}.{paper}',
      tables.to_markdown(to_table(table, outcome, is_compared)),
      *filter(None, (table.note,)),
    )
  )


def to_table(table: TableEntry, outcome: Outcome, is_compared: bool = True) -> tables.Table:
  """Returns the outcome as a table: ours beside the paper's, with what is off below.

  Args:
    table: its entry.
    outcome: of its runs.
    is_compared: whether the runs are as long as published.
  """
  by_place = {
    (figure.row, figure.column): (figure, values)
    for figure, values in zip(table.figures, outcome.values, strict=True)
  }
  names = list(dict.fromkeys(figure.column for figure in table.figures))
  with_paper = {each.column for each in table.figures if each.published is not None}
  heads = [tables.Column('', '')]
  for name in names:
    heads.append(tables.Column('', name))
    if name in with_paper:
      heads.append(tables.Column('', '*paper*'))
  rows = []
  for row in dict.fromkeys(figure.row for figure in table.figures):
    cells = [row]
    for name in names:
      found = by_place.get((row, name))
      cells.append('' if found is None else _ours(*found))
      if name in with_paper:
        cells.append('' if found is None else _theirs(found[0]))
    rows.append(tuple(cells))
  are_missing = [np.isnan(values) for values in outcome.values]
  is_partial = any(missing.any() and not missing.all() for missing in are_missing)
  partial = (_PARTIAL,) if is_partial else ()
  quick = ('These are quick runs, which are not compared with the paper.',)
  notes = (
    (*_notes(by_place.values()), *_contrasts(table, by_place, names)) if is_compared else quick
  )
  return tables.Table(tuple(heads), tuple(rows), (*partial, *notes))


def replace_block(page: str, name: str, block: str) -> str:
  """Puts a block into a page, in place of the one of that name or at the end.

  Args:
    page: Markdown.
    name: of the block, which comments in the page mark.
    block: its new text.
  """
  begin, end = f'<!-- begin {name} -->', f'<!-- end {name} -->'
  marked = f'{begin}\n{block}\n{end}'
  if begin not in page:
    return f'{page.rstrip()}\n\n{marked}\n'
  return re.sub(f'{re.escape(begin)}.*?{re.escape(end)}', lambda _: marked, page, flags=re.DOTALL)


def record(docs: str, table: TableEntry, outcome: Outcome, settings: str) -> None:
  """Writes an outcome into the documentation, as a file and as a part of its page of results.

  Seeds that the file has and the outcome lacks are kept if their runs had the same settings. So
  the seeds of a long table can be run one after the other, in any folders.

  Args:
    docs: the folder of the documentation.
    table: the entry.
    outcome: of its runs.
    settings: what identifies the flags of the runs.

  Raises:
    ValueError: the file holds something else; one sentence.
    OSError: the page is missing, or a file cannot be written.
  """
  stored = load_recorded(docs, table, settings)
  if stored is not None:
    outcome = outcome.joined(stored)
  content = {**outcome.to_json(table), _SETTINGS: settings}
  files.write_atomically(_path_of(docs, table), strict_json.dumps(content))
  _write_page(docs, replace_block(_read_page(docs), table.name, render(table, outcome)))


def load_recorded(docs: str, table: TableEntry, settings: str) -> Outcome | None:
  """Returns what `record` has written for a table; None without a file of the same settings.

  Args:
    docs: the folder of the documentation.
    table: the entry.
    settings: what identifies the flags of the runs.

  Raises:
    ValueError: the file holds something else; one sentence.
    OSError: the page is missing.
  """
  _read_page(docs)
  path = _path_of(docs, table)
  if not os.path.exists(path):
    return None
  return strict_json.load(
    path,
    lambda found: Outcome.from_json(found, table) if found[_SETTINGS] == settings else None,
    _REMEDY,
  )


def load_all(docs: str, of: Iterable[TableEntry]) -> dict[str, Outcome]:
  """Returns the stored outcomes of tables by their names, whatever the flags of their runs.

  Args:
    docs: the folder of the documentation.
    of: entries of tables; those without a file are left out.

  Raises:
    ValueError: a file holds something else; one sentence.
  """
  return {
    table.name: strict_json.load(path, functools.partial(Outcome.from_json, table=table), _REMEDY)
    for table in of
    if os.path.exists(path := _path_of(docs, table))
  }


def rewrite(docs: str) -> None:
  """Writes all stored tables into the page, and the list of those that lack seeds.

  Args:
    docs: the folder of the documentation.

  Raises:
    ValueError: a file holds something else; one sentence.
    OSError: the page is missing, or cannot be written.
  """
  page = _read_page(docs)
  for name, outcome in load_all(docs, TABLES.values()).items():
    page = replace_block(page, name, render(TABLES[name], outcome))
  _write_page(docs, page)


def render_missing(stored: Mapping[str, Collection[int]]) -> str:
  """Returns the list of tables of which seeds have no stored results as Markdown.

  Args:
    stored: seeds with stored results by the names of tables.
  """
  rows = []
  for authors, of_paper in by_paper().items():
    for table in of_paper:
      if left := len(set(table.seeds).difference(stored.get(table.name, ()))):
        hours = f'{table.cpu_minutes * left / 60:.1f}'
        seeds = f'{left} of {len(table.seeds)}'
        rows.append((f'`{table.name}`: {table.label}', authors, seeds, hours))
  heads = ('table', 'paper', 'seeds left', 'CPU hours')
  columns = tuple(tables.Column('', head) for head in heads)
  text = (
    f'{len(rows)} tables have not been run with `python -m pipelines.reproduce`, or not with all '
    'seeds. Some of their numbers stand above, from other commands.'
  )
  shown = [tables.to_markdown(tables.Table(columns, tuple(rows)))] if rows else []
  return '\n\n'.join(('### Not run yet', text, *shown))


def stored_seeds(path: str) -> tuple[int, ...]:
  """Returns the seeds of an outcome's file; ValueError where it holds something else."""
  return strict_json.load(path, lambda content: tuple(content['seeds']), _REMEDY)


def _path_of(docs: str, table: TableEntry) -> str:
  return os.path.join(docs, 'results', f'{table.name}.json')


def _read_page(docs: str) -> str:
  with open(os.path.join(docs, _PAGE), encoding='utf-8') as file:
    return file.read()


def _write_page(docs: str, page: str) -> None:
  """Writes the page with its charts, and its list of tables of which seeds have no results."""
  from tff_lg.analysis import style  # Both import Matplotlib, which takes a second.
  from tff_lg.published import drawing

  for name, chart in CHARTS.items():
    if outcomes := load_all(docs, chart.tables):
      image = style.png_bytes(drawing.draw(chart, outcomes))
      files.write_atomically(os.path.join(docs, 'images', f'{name}.png'), image)
      page = replace_block(page, f'chart_{name}', drawing.render(chart, outcomes))
  paths = pathlib.Path(docs, 'results').glob('*.json')
  stored = {path.stem: stored_seeds(str(path)) for path in paths}
  page = replace_block(page, _MISSING, render_missing(stored))
  files.write_atomically(os.path.join(docs, _PAGE), page)


def _seeds(seeds: tuple[int, ...]) -> str:
  if len(seeds) == 1:
    return f'seed {seeds[0]}'
  *before, last = map(str, seeds)
  return f'seeds {", ".join(before)} and {last}, mean ± standard deviation over seeds'


def _ours(figure: Figure, values: np.ndarray) -> str:
  known = values[~np.isnan(values)]
  if not len(known):
    return formats.MISSING
  text = f'{np.mean(known):.{figure.digits}f}'
  if len(known) > 1:
    text += f' ± {np.std(known, ddof=1):.{figure.digits}f}'
  return text if len(known) == len(values) else f'{text} ({len(known)} of {len(values)})'


def _theirs(figure: Figure) -> str:
  if figure.published is None:
    return ''
  if math.isnan(figure.published):
    return '*not known*'
  spread = f' ± {figure.spread:.{figure.digits}f}' if figure.spread else ''
  return f'*{figure.published:.{figure.digits}f}{spread}*'


def _notes(found: Iterable[tuple[Figure, np.ndarray]]) -> tuple[str, ...]:
  """Says how many figures agree, and by how much the others are off."""
  off, number, num_seeds = [], 0, 0
  for figure, values in found:
    if (verdict := judge(figure, values)) is not None:
      number += 1
      num_seeds = len(values)
      if not verdict.agrees:
        difference = f'{verdict.difference:+.{figure.digits}f}'
        off.append(f'{figure.row}, {figure.column}: {difference}')
  if not number:
    return ()
  within = "the paper's spread and the 95 % interval over our seeds."
  if num_seeds == 1:
    within = "the paper's spread. One seed has no interval."
  text = f'{number - len(off)} of {number} published figures agree within {within}'
  if len(off) > _MOST_IN_A_SENTENCE:
    return (text, '\n'.join(['Off are:', '', *(f'- {each}' for each in off)]))
  verb = 'is' if len(off) == 1 else 'are'
  return (f'{text} Off {verb} {"; ".join(off)}.' if off else text,)


def _contrasts(
  table: TableEntry,
  by_place: Mapping[tuple[str, str], tuple[Figure, np.ndarray]],
  columns: Iterable[str],
) -> tuple[str, ...]:
  """Says how far rows of two or more seeds are apart, with intervals of the paired differences."""
  columns_by_difference: dict[tuple[str, str, str], list[str]] = {}
  for (row, other), column in itertools.product(table.contrasts, columns):
    if (row, column) not in by_place or (other, column) not in by_place:
      continue
    figure, values = by_place[row, column]
    difference = values - by_place[other, column][1]
    mean = float(np.mean(difference))
    if len(difference) > 1 and not math.isnan(mean):
      half = float(confidence.half_width(difference))
      low, mid, high = (f'{each:+.{figure.digits}f}' for each in (mean - half, mean, mean + half))
      key = row, other, f'{mid} ({low} to {high})'
      columns_by_difference.setdefault(key, []).append(column)
  # An accuracy and the gain of it over one baseline have the same difference.
  lines = [
    f'- {row}, minus {other}; {" and ".join(of_columns)}: {text}'
    for (row, other, text), of_columns in columns_by_difference.items()
  ]
  if not lines:
    return ()
  return ('\n'.join(['Differences, paired by seed, with 95 % intervals:', '', *lines]),)
