"""Charts as entries: numbers of one or more tables as lines, ours beside the paper's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import attrs

from tff_lg import entries
from tff_lg.published.table import TABLES, Figure, TableEntry


class Point(NamedTuple):
  """A number of a table in a chart.

  Attributes:
    tick: its place along x; ticks have equal distances.
    table: name of the table.
    row: of the table.
    column: of the table.
  """

  tick: str
  table: str
  row: str
  column: str

  def figure(self) -> Figure:
    """Returns the table's number; ValueError if it has none there."""
    return TABLES[self.table].figure(self.row, self.column)


@attrs.frozen(kw_only=True)
class ChartEntry(entries.Entry):
  """A chart; its label is its title.

  Attributes:
    x: what the ticks are.
    y: what the numbers are, with their unit.
    lines: points from left to right, by the name of the line in the legend.
    methods: whose colours the lines have, if they are methods.
    is_log: whether y is logarithmic.
  """

  x: str
  y: str
  lines: Mapping[str, tuple[Point, ...]]
  methods: tuple[str, ...] = ()
  is_log: bool = False

  @property
  def tables(self) -> tuple[TableEntry, ...]:
    """The tables whose numbers it has, each once."""
    points = [point for line in self.lines.values() for point in line]
    return tuple(TABLES[name] for name in dict.fromkeys(point.table for point in points))

  @property
  def has_paper(self) -> bool:
    """Whether the paper's number of any point is known."""
    theirs = [point.figure().published for line in self.lines.values() for point in line]
    return any(number is not None and not math.isnan(number) for number in theirs)


CHARTS: entries.Registry[ChartEntry] = entries.Registry('chart')
register_chart = CHARTS.register
