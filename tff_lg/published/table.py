"""Published tables as entries: the runs that make one, and the numbers of the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs

from tff_lg import entries

if TYPE_CHECKING:
  from tff_lg.analysis import RunFolder

# Finished runs of one seed by the names of the runs -> a number of a table.
Read = Callable[[Mapping[str, 'RunFolder']], float]


@attrs.frozen(kw_only=True)
class Run:
  """A run of `pipelines.train`, once for each seed.

  Attributes:
    name: of the run and of its folders.
    flags: of `pipelines.train`. `{configs}` stands for the folder of flag files, `{seed}` for the
      table's seed, and `{data}` for what --data names, which is else --data_dir.
    seed_offset: that the run adds to the table's seed.
  """

  name: str
  flags: tuple[str, ...]
  seed_offset: int = 0


@attrs.frozen(kw_only=True)
class Figure:
  """A number of a table.

  Attributes:
    row: its row.
    column: its column.
    read: finds it in the run folders of a seed, in the unit of the table.
    published: the paper's number; None if the paper has none.
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
    paper: where it is published; empty for a table of ours.
    runs: that make it.
    figures: its numbers, row by row.
    seeds: by default.
    data: what `--data` names; empty for embedded data.
    cpu_minutes: of all runs of a seed, as measured; for the estimate before the start.
    unit: of the figures, as a sentence begins.
    note: what to know beside the numbers.
  """

  paper: str = ''
  runs: tuple[Run, ...]
  figures: tuple[Figure, ...]
  seeds: tuple[int, ...] = (0, 1, 2)
  data: str = ''
  cpu_minutes: float
  unit: str = 'Percent'
  note: str = ''


def arguments_of(run: Run, configs: str, data: str | None, seed: int) -> list[str]:
  """Returns the flags of a run on data, of a seed of the table.

  Args:
    run: of the table.
    configs: the folder of flag files.
    data: what --data names; None for embedded data.
    seed: of the table.
  """
  values = {'configs': configs, 'data': data or '', 'seed': str(seed)}
  given = list(run.flags)
  has_place = any('{data}' in flag for flag in given)
  for name, value in values.items():
    given = [flag.replace(f'{{{name}}}', value) for flag in given]
  of_data = [f'--data_dir={data}'] if data and not has_place else []
  return [*given, *of_data, f'--seed={seed + run.seed_offset}']


TABLES: entries.Registry[TableEntry] = entries.Registry('table')
register = TABLES.register


def describe_tables() -> str:
  """Returns a line for each table, with its time and its data."""
  lines = []
  for table in TABLES.values():
    about = f'{table.cpu_minutes:g} CPU minutes per seed, {len(table.seeds)} seeds'
    data = f'; --data is {table.data}' if table.data else ''
    lines.append(f'  {table.name}: {table.label} ({about}{data})')
  return '\n'.join(['Tables:', *lines])
