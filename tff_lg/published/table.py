"""Published tables as entries: the runs that make one, and the numbers of the paper."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from tff_lg import entries

if TYPE_CHECKING:
  from tff_lg.analysis import RunFolder

# Finished runs of one seed by the names of the runs -> a number of a table. A run of another
# pipeline than `pipelines.train` has `path`, `summary` and `value` alone.
Read = Callable[[Mapping[str, 'RunFolder']], float]

# What --data names in tables of several modules.
MNIST_FILES = 'the folder with the four idx files of MNIST'
CIFAR10_FILES = 'the folder with the python batches of CIFAR-10'
SHAKESPEARE_ROLES = "the folder with Shakespeare's roles, in LEAF's format or lines by user"

# A published number that the paper has, but our copy of it does not show.
NOT_KNOWN = math.nan

_SOURCE = re.compile(r'\{run:(\w+)\}')


@attrs.frozen(kw_only=True)
class Run:
  """A run of a pipeline, once for each seed.

  Attributes:
    name: of the run and of its folders.
    flags: of the pipeline. `{configs}` stands for the folder of flag files, `{seed}` for the
      table's seed. `{run:NAME}` is the folder of another run of that seed, which comes first.
      `{data}` is what --data names; without it, a run that starts from no other has --data_dir.
    pipeline: that runs it, such as `adapt`, by its name.
    seed_offset: that the run adds to the table's seed.
  """

  name: str
  flags: tuple[str, ...]
  pipeline: str = 'train'
  seed_offset: int = 0

  @property
  def sources(self) -> tuple[str, ...]:
    """The names of the runs from which it starts, each once."""
    return tuple(dict.fromkeys(_SOURCE.findall(' '.join(self.flags))))


@attrs.frozen(kw_only=True)
class Figure:
  """A number of a table.

  Attributes:
    row: its row.
    column: its column.
    read: finds it in the run folders of a seed, in the unit of the table.
    published: the paper's number; None if the paper has none, `NOT_KNOWN` if we do not know it.
    spread: the paper's standard deviation, or how far a single published number may be off.
    digits: after the decimal point.
  """

  row: str
  column: str
  read: Read
  published: float | None = None
  spread: float = 0.0
  digits: int = 2


@attrs.frozen(kw_only=True)
class TableEntry(entries.Entry):
  """A published table; its label is its title.

  Attributes:
    paper: where it is published: authors and year, a comma, the place; empty for a table of ours.
    runs: that make it, those that others start from first.
    figures: its numbers, row by row.
    seeds: by default.
    data: what `--data` names; empty for embedded data.
    cpu_minutes: of all runs of a seed, as measured or by the time of a round; for the estimate
      before the start.
    unit: of the figures, as a sentence begins.
    note: what to know beside the numbers.
    contrasts: pairs of rows. The page has the difference of each pair with its interval, in every
      column that both have.
  """

  paper: str = ''
  runs: tuple[Run, ...]
  figures: tuple[Figure, ...]
  seeds: tuple[int, ...] = (0, 1, 2)
  data: str = ''
  cpu_minutes: float
  unit: str = 'Percent'
  note: str = ''
  contrasts: tuple[tuple[str, str], ...] = ()

  @property
  def authors(self) -> str:
    """The paper's authors and year; empty for a table of ours."""
    return self.paper.partition(',')[0]

  def figure(self, row: str, column: str) -> Figure:
    """Returns a number of the table; ValueError if it has none there."""
    for each in self.figures:
      if (each.row, each.column) == (row, column):
        return each
    raise ValueError(f'Table {self.name} has no {column!r} of {row!r}, expected one of its rows.')

  @property
  def total_minutes(self) -> float:
    """CPU minutes of all seeds."""
    return self.cpu_minutes * len(self.seeds)


def arguments_of(
  run: Run, configs: str, data: str | None, seed: int, folders: Mapping[str, str] | None = None
) -> list[str]:
  """Returns the flags of a run on data, of a seed of the table.

  Args:
    run: of the table.
    configs: the folder of flag files.
    data: what --data names; None for embedded data.
    seed: of the table.
    folders: of the runs of that seed, by their names; for `sources`.
  """
  values = {'configs': configs, 'data': data or '', 'seed': str(seed)}
  values |= {f'run:{name}': (folders or {})[name] for name in run.sources}
  given = list(run.flags)
  has_place = run.sources or any('{data}' in flag for flag in given)
  for name, value in values.items():
    given = [flag.replace(f'{{{name}}}', value) for flag in given]
  of_data = [f'--data_dir={data}'] if data and not has_place else []
  return [*given, *of_data, f'--seed={seed + run.seed_offset}']


def steps(runs: Sequence[Run]) -> tuple[tuple[Run, ...], ...]:
  """Orders runs so that each comes after those from which it starts.

  Args:
    runs: of a table.

  Returns:
    Runs of one pipeline each, none of which starts from one of the same step or of a later one.

  Raises:
    ValueError: a run starts from one that is not listed before it; one sentence.
  """
  depths: dict[str, int] = {}
  by_step: dict[tuple[int, str], list[Run]] = {}
  for run in runs:
    if unknown := [name for name in run.sources if name not in depths]:
      raise ValueError(f'{run.name} starts from {unknown[0]}, expected a run listed before it.')
    depths[run.name] = 1 + max((depths[name] for name in run.sources), default=0)
    by_step.setdefault((depths[run.name], run.pipeline), []).append(run)
  return tuple(tuple(by_step[key]) for key in sorted(by_step))


TABLES: entries.Registry[TableEntry] = entries.Registry('table')
register = TABLES.register


def by_paper() -> dict[str, tuple[TableEntry, ...]]:
  """Returns the tables by authors and year, '' for ours, which come first; of each, small first."""
  ordered = sorted(TABLES.values(), key=lambda table: (table.authors, table.total_minutes))
  groups = itertools.groupby(ordered, lambda table: table.authors)
  return {authors: tuple(tables) for authors, tables in groups}


def describe_tables() -> str:
  """Returns a line for each table, with its time and its data."""
  lines = []
  for authors, tables in by_paper().items():
    lines.append(f'{authors or "Tables of ours"}:')
    for table in tables:
      about = f'{table.cpu_minutes:g} CPU minutes per seed, {len(table.seeds)} seeds'
      data = f'; --data is {table.data}' if table.data else ''
      lines.append(f'  {table.name}: {table.label} ({about}{data})')
  return '\n'.join(lines)
