"""The leaderboard: a row for each method with what its runs are for clients, as page and CSV."""

import dataclasses
import functools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from tff_lg import client_gains, csv_text, file_names, files, metric_names
from tff_lg.analysis import formats, markup, report, sortable, tables, two_way
from tff_lg.analysis.leaderboard_runs import RunScores
from tff_lg.analysis.paired import worst_decile_mean
from tff_lg.analysis.sections import Section, command_section

_LEAD = 'The command, which trains nothing twice:'
_NOTES = (
  'Scores are means over clients on their own test data, then over runs; ± is the standard '
  'deviation over clients, the mean of that of each run.',
  'Worst decile: mean of the tenth of clients, rounded up, with the worst scores.',
  two_way.INTERVAL,
  'Minus the first row: the difference on the same clients and repeats, which is known better than '
  'either score. Worse: the share of clients with a worse score than there.',
  'Default: the row with the best mean main metric on validation data, the one to use before any '
  'test data are seen. Adapted models that each client chose on these data are not candidates.',
)
_OTHERS = (
  "Others' data: the model of each client on the pooled test examples of all other clients; mean "
  'and standard deviation as above.'
)


@dataclasses.dataclass(frozen=True, eq=False)
class LeaderboardRow:
  """A method and its runs.

  Attributes:
    name: in the CSV file.
    label: what people call it.
    runs: at least one, a repeat each.
    about: its options, such as `client_learning_rate=0.05`.
    published: mean and standard deviation over clients that a paper has.
  """

  name: str
  label: str
  runs: Sequence[RunScores]
  about: str = ''
  published: tuple[float, float] | None = None


@dataclasses.dataclass(frozen=True)
class Shown:
  """How scores are shown.

  Attributes:
    label: what they are called.
    more_is_better: whether a greater score is better.
    text: of a score.
    difference: of two scores, signed.
    source: whose published numbers rows have; without any no column of them is shown.
  """

  label: str
  more_is_better: bool
  text: Callable[[float], str]
  difference: Callable[[float], str]
  source: str = ''


def of_metric(metric: str) -> Shown:
  """Returns how a metric's values are shown as they are."""
  column = metric_names.local_test(metric)
  return Shown(
    formats.metric_label(column),
    formats.is_more_better(column),
    lambda value: formats.value(column, value),
    lambda value: formats.difference(column, value),
  )


def score_rows(rows: Sequence[LeaderboardRow], *, more_is_better: bool) -> pd.DataFrame:
  """Computes the numbers of rows.

  Args:
    rows: of the leaderboard.
    more_is_better: whether a greater score is better.

  Returns:
    One row each: `row`, `method`, `is_default`, `mean`, `low`, `high`, `std_over_clients`,
    `worst_decile`, `held_out_mean`, `others_mean`, `others_std_over_clients`, `rounds`, `bytes`,
    `flops_per_client_and_round`, `client_memory_bytes`, `num_runs`, `num_clients`,
    `published_mean`, `published_std`, `options`. For each goal, `rounds_to/GOAL` and
    `bytes_to/GOAL`. If repeats pair with those of the first row, `difference_mean`,
    `difference_low` and `difference_high` from it, and `share_worse`. This is the share of
    clients with a worse score than there.
  """
  validation = [float(np.mean([run.main_validation.mean() for run in row.runs])) for row in rows]
  known = [value for value in validation if math.isfinite(value)]
  default = validation.index(max(known)) if known else None
  return pd.DataFrame(
    [
      {
        **_numbers(row, is_default=number == default, more_is_better=more_is_better),
        **_difference(row, rows[0], more_is_better=more_is_better),
      }
      for number, row in enumerate(rows)
    ]
  )


def _difference(
  row: LeaderboardRow, first: LeaderboardRow, *, more_is_better: bool
) -> dict[str, float]:
  """Returns the mean difference from the first row, repeat by repeat and client by client."""
  interval, share = two_way.Interval(math.nan, math.nan, math.nan), math.nan
  if row is not first and len(row.runs) == len(first.runs):
    pairs = list(zip(row.runs, first.runs, strict=True))
    interval = two_way.mean_interval([run.test - other.test for run, other in pairs])
    gains = [
      client_gains.client_gains(run.test, other.test, more_is_better=more_is_better)
      for run, other in pairs
    ]
    share = _mean([client_gains.share_worse(gain) for gain in gains])
  differences = {f'difference_{name}': value for name, value in interval._asdict().items()}
  return {**differences, 'share_worse': share}


def _numbers(
  row: LeaderboardRow, *, is_default: bool, more_is_better: bool
) -> dict[str, float | str | bool]:
  sign = 1 if more_is_better else -1
  tests = [run.test for run in row.runs]
  interval = two_way.mean_interval(tests)
  goals = list(dict.fromkeys(goal for run in row.runs for goal in run.to_goals))
  published = row.published or (math.nan, math.nan)
  return {
    'row': row.name,
    'method': row.label,
    'is_default': is_default,
    **interval._asdict(),
    metric_names.STD: _mean([test.std(ddof=0) for test in tests]),
    'worst_decile': _mean(
      [sign * worst_decile_mean(sign * test.dropna().to_numpy()) for test in tests]
    ),
    'held_out_mean': _mean([run.held_out.mean() for run in row.runs]),
    'others_mean': _mean([run.others.mean() for run in row.runs]),
    'others_std_over_clients': _mean([run.others.std(ddof=0) for run in row.runs]),
    'rounds': _mean([run.rounds for run in row.runs]),
    'bytes': _mean([run.num_bytes for run in row.runs]),
    'flops_per_client_and_round': _mean([run.flops for run in row.runs]),
    'client_memory_bytes': _mean([run.memory_bytes for run in row.runs]),
    **{f'{metric_names.ROUNDS_TO}/{goal:g}': _to_goal(row.runs, goal, 0) for goal in goals},
    **{f'{metric_names.BYTES_TO}/{goal:g}': _to_goal(row.runs, goal, 1) for goal in goals},
    'num_runs': len(row.runs),
    'num_clients': max(len(test) for test in tests),
    'published_mean': published[0],
    'published_std': published[1],
    'options': row.about,
  }


def _mean(values: Sequence[float]) -> float:
  return float(np.mean(values)) if len(values) else math.nan


def _to_goal(runs: Sequence[RunScores], goal: float, which: int) -> float:
  """Returns the mean over runs of rounds or bytes to a goal; NaN unless all have reached it."""
  return _mean([run.to_goals.get(goal, (math.nan, math.nan))[which] for run in runs])


def to_table(scores: pd.DataFrame, shown: Shown) -> tables.Table:
  """Makes the table for a terminal, or for Markdown.

  Args:
    scores: of `score_rows`.
    shown: how.
  """
  columns = _columns(scores, shown)
  heads = tuple(tables.Column('', head) for head in columns)
  rows = tuple(tuple(cell.text for cell in row) for row in _cells(scores, columns))
  notes = (*_NOTES, _OTHERS) if scores['others_mean'].notna().any() else _NOTES
  return tables.Table(heads, rows, notes)


def write_leaderboard(
  run_dir: str, title: str, rows: Sequence[LeaderboardRow], shown: Shown, command: str
) -> tuple[tables.Table, tuple[str, str]]:
  """Writes `leaderboard.html` and `leaderboard.csv`.

  Args:
    run_dir: the folder.
    title: of the page.
    rows: at least one.
    shown: how scores are shown.
    command: what was run, for the page.

  Returns:
    The table, and the paths of both files.

  Raises:
    OSError: one cannot be written.
  """
  scores = score_rows(rows, more_is_better=shown.more_is_better)
  texts = scores.assign(
    **{name: scores[name].map(csv_text.escape) for name in ('row', 'method', 'options')}
  )
  csv = files.write_atomically(
    os.path.join(run_dir, file_names.LEADERBOARD), texts.to_csv(index=False, lineterminator='\n')
  )
  columns, table = _columns(scores, shown), to_table(scores, shown)
  html = sortable.sortable_table(list(columns), _cells(scores, columns), 'methods')
  html += Markup().join(markup.fill('paragraph', note, 'note') for note in table.notes)
  sections = [Section('methods', 'Methods', html), command_section(command, _LEAD)]
  page = report.write_page(
    run_dir, title, sections, output=os.path.join(run_dir, file_names.LEADERBOARD_PAGE)
  )
  return table, (csv, page)


# Of a row of scores the cell of a column.
_Show = Callable[[Mapping[str, Any]], sortable.Cell]


def _columns(scores: pd.DataFrame, shown: Shown) -> dict[str, _Show]:
  """Returns the columns by their headings; those that no row has a number for are left out."""

  def number(name: str, text: Callable[[float], str]) -> _Show:
    return lambda row: sortable.Cell(row[name], text(row[name]))

  def pair(first: str, second: str, between: str) -> _Show:
    def show(row: Mapping[str, Any]) -> sortable.Cell:
      missing = not math.isfinite(row[first] + row[second])
      text = between.join((shown.text(row[first]), shown.text(row[second])))
      return sortable.Cell(row[first], formats.MISSING if missing else text)

    return show

  def default(row: Mapping[str, Any]) -> sortable.Cell:
    return sortable.Cell(int(row['is_default']), '✓' if row['is_default'] else '')

  def difference(row: Mapping[str, Any]) -> sortable.Cell:
    low, high = (shown.difference(row[f'difference_{end}']) for end in ('low', 'high'))
    missing = not math.isfinite(row['difference_mean'])
    text = f'{shown.difference(row["difference_mean"])} ({low} to {high})'
    return sortable.Cell(row['difference_mean'], formats.MISSING if missing else text)

  columns: dict[str, tuple[str, _Show]] = {
    'method': ('method', lambda row: sortable.Cell(row['method'], row['method'])),
    'default': ('is_default', default),
    f'{shown.label}, mean ± std': ('mean', pair('mean', metric_names.STD, ' ± ')),
    '95 % interval': ('low', pair('low', 'high', ' to ')),
    f'minus {scores["method"].iloc[0]}, 95 % interval': ('difference_mean', difference),
    f'worse than {scores["method"].iloc[0]} (% of clients)': (
      'share_worse',
      number('share_worse', formats.percent),
    ),
    'worst decile': ('worst_decile', number('worst_decile', shown.text)),
    'held-out clients': ('held_out_mean', number('held_out_mean', shown.text)),
    "others' data, mean ± std": (
      'others_mean',
      pair('others_mean', 'others_std_over_clients', ' ± '),
    ),
    'rounds': ('rounds', number('rounds', formats.count)),
    'bytes': ('bytes', number('bytes', formats.num_bytes)),
    'FLOPs per client and round': (
      'flops_per_client_and_round',
      number('flops_per_client_and_round', formats.flops),
    ),
    'memory of a client': ('client_memory_bytes', number('client_memory_bytes', formats.num_bytes)),
  }
  for name in scores:
    what, _, goal = name.partition('_to/')
    if goal:
      text = formats.num_bytes if what == 'bytes' else functools.partial(formats.fixed, digits=1)
      columns[f'{what} to {goal}'] = (name, number(name, text))
  columns |= {
    'runs': ('num_runs', number('num_runs', formats.count)),
    f'{shown.source}, mean ± std': (
      'published_mean',
      pair('published_mean', 'published_std', ' ± '),
    ),
    'options': ('options', lambda row: sortable.Cell(row['options'], row['options'])),
  }
  return {
    head: show
    for head, (name, show) in columns.items()
    if scores[name].notna().any()
    and (scores[name] != '').any()
    and (name != 'published_mean' or shown.source)
  }


def _cells(scores: pd.DataFrame, columns: Mapping[str, _Show]) -> list[list[sortable.Cell]]:
  rows = scores.to_dict(orient='records')
  return [[show(row) for show in columns.values()] for row in rows]
