"""Charts of recorded tables: the figure, and the part of a page that shows it."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import figure as figures
from matplotlib import ticker
from matplotlib.axes import Axes

from tff_lg import entries
from tff_lg.analysis import style
from tff_lg.published.chart import ChartEntry, Point
from tff_lg.published.outcome import Outcome
from tff_lg.published.table import TABLES, Figure


@style.styled
def draw(chart: ChartEntry, outcomes: Mapping[str, Outcome]) -> figures.Figure:
  """Draws our means with their standard deviations over seeds, and the paper's numbers.

  Args:
    chart: its entry.
    outcomes: of its tables that have been run, by their names.

  Returns:
    The figure. Points of other tables have the paper's number alone.
  """
  figure = figures.Figure(figsize=(7, 3.4))
  plot = figure.subplots()
  ticks = list(dict.fromkeys(point.tick for line in chart.lines.values() for point in line))
  for i, (label, points) in enumerate(chart.lines.items()):
    colour, dashes, marker = style.nth_series(i)
    if chart.methods:
      method = chart.methods[i]
      colour, dashes = style.colour(method), style.line_style(method)
    places = [ticks.index(point.tick) for point in points]
    theirs = [point.figure() for point in points]
    _draw_published(plot, places, theirs, colour, marker)
    means, deviations = np.array([_ours(point, outcomes) for point in points]).T
    plot.errorbar(
      places,
      means,
      yerr=deviations,
      color=colour,
      linestyle=dashes,
      marker=marker,
      markersize=5,
      capsize=3,
      elinewidth=1.2,
      label=label,
    )
  if chart.has_paper:
    _draw_published(plot, [], [], style.MUTED, 'o', 'paper')
  plot.set_xticks(range(len(ticks)), ticks)
  if chart.is_log:
    plot.set_yscale('log')
    plot.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    plot.yaxis.set_major_formatter('{x:g}')
    plot.minorticks_off()
  if len(chart.lines) > 1 or chart.has_paper:
    plot.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0))
  style.label_axes(plot, x=chart.x, y=chart.y)
  return figure


def render(chart: ChartEntry, outcomes: Mapping[str, Outcome]) -> str:
  """Returns the chart as Markdown: the image, and what it shows.

  Args:
    chart: its entry.
    outcomes: of its tables that have been run, by their names.
  """
  names: dict[bool, list[str]] = {True: [], False: []}
  for table in chart.tables:
    names[table.name in outcomes].append(f'`{table.name}`')
  text = (
    f'*{chart.label}*, by {entries.listed(names[True])}. Filled marks are ours, mean ± standard '
    'deviation over seeds.'
  )
  if chart.has_paper:
    text += " Open marks are the paper's."
  if names[False]:
    text += f' Not run yet: {entries.listed(names[False])}.'
  return f'![{chart.label}](images/{chart.name}.png)\n\n{text}'


def _ours(point: Point, outcomes: Mapping[str, Outcome]) -> tuple[float, float]:
  """Returns the mean and the deviation over seeds, NaN where there are no such numbers."""
  if point.table not in outcomes:
    return math.nan, math.nan
  number = TABLES[point.table].figures.index(point.figure())
  values = outcomes[point.table].values[number]
  return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def _draw_published(
  plot: Axes,
  places: Sequence[int],
  theirs: Sequence[Figure],
  colour: str,
  marker: str,
  label: str = '',
) -> None:
  """Draws open marks where the paper's numbers are known."""
  plot.errorbar(
    places,
    np.array([figure.published for figure in theirs], float),
    color=colour,
    linestyle=':',
    linewidth=1,
    marker=marker,
    markersize=6,
    markerfacecolor='white',
    label=label,
  )
