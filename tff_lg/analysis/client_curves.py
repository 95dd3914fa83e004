"""One client's scores by round: a line per method, and a level for one without rounds."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib import ticker

from tff_lg import metric_names
from tff_lg.analysis import formats, markup, names, style
from tff_lg.analysis.run_folder import RunFolder

# The drawing, in its own units: its size, and the box of its lines.
_WIDTH, _HEIGHT = 460, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 446, 26, 180
# Points of a line, so that the page stays small.
_MOST_POINTS = 60


class Curve(NamedTuple):
  """Scores of one client by one method.

  Attributes:
    label: of the line.
    colour: `#rrggbb` of the palette.
    dashes: of the line, as Matplotlib has them.
    scores: float64 by round.
    is_level: whether the one score belongs to no round, and is drawn over all of them.
  """

  label: str
  colour: str
  dashes: style.LineStyle
  scores: pd.Series
  is_level: bool = False


class _Line(NamedTuple):
  label: str
  points: str
  colour: str
  dashes: str


def find_curves(run: RunFolder, client: str) -> tuple[list[Curve], str]:
  """Returns one client's scores in the evaluations of a run and its baselines.

  A baseline without rounds, as local only, has the score of its chosen model.

  Args:
    run: the run.
    client: its id.

  Returns:
    The curves, none for a run without scores by round, and their metric's column.
  """
  metric = run.local_test
  if not run.chosen_on_test_data:
    metric = metric_names.validation(run.metric.name)
  curves = []
  for method, of_method in {run.method: run, **run.baselines}.items():
    scores = scores_by_round(of_method.client_curves.get(client), metric)
    level = run.clients.loc[client].get(f'{method}/{metric}', np.nan)
    is_level = scores.empty and not np.isnan(level)
    if is_level:
      scores = pd.Series([level])
    if not scores.empty:
      look = style.colour(method), style.line_style(method)
      curves.append(Curve(names.method_name(method), *look, scores, is_level))
  return curves, metric


def scores_by_round(table: pd.DataFrame | None, metric: str) -> pd.Series:
  """Returns a column of a client's table by round, without NaN; empty without the table."""
  if table is None or metric not in table:
    return pd.Series(dtype='float64')
  return table[metric].astype('float64').dropna()


def draw(curves: Sequence[Curve], metric: str) -> str:
  """Draws curves for the panel of a client.

  Args:
    curves: the lines.
    metric: the column that their scores are of.

  Returns:
    A figure as HTML that takes its colours from the page; empty if no curve has rounds.
  """
  by_round = [curve.scores for curve in curves if not curve.is_level]
  if not by_round:
    return ''
  scale = formats.metric_scale(metric)
  scores = np.concatenate([curve.scores for curve in curves]) * scale
  rounds = np.concatenate([scores_of.index for scores_of in by_round])
  x_ticks = ticker.MaxNLocator(6, integer=True).tick_values(rounds.min(), rounds.max())
  y_ticks = ticker.MaxNLocator(4).tick_values(scores.min(), scores.max())
  x_low, x_high = rounds.min(), max(rounds.max(), rounds.min() + 1)
  y_low, y_high = y_ticks[0], y_ticks[-1]

  def x_of(round_num: float) -> float:
    return _LEFT + (round_num - x_low) / (x_high - x_low) * (_RIGHT - _LEFT)

  def y_of(score: float) -> float:
    return _BOTTOM - (score - y_low) / (y_high - y_low) * (_BOTTOM - _TOP)

  lines = []
  for curve in curves:
    shown = _thinned(curve.scores)
    places = [(x_of(number), y_of(score * scale)) for number, score in shown.items()]
    if curve.is_level:
      places = [(x, places[0][1]) for x in (_LEFT, _RIGHT)]
    points = ' '.join(f'{x:.1f},{y:.1f}' for x, y in places)
    lengths = () if isinstance(curve.dashes, str) else curve.dashes[1]
    dashes = ' '.join(f'{2 * length:g}' for length in lengths)
    lines.append(_Line(curve.label, points, curve.colour, dashes))
  label = formats.metric_label(metric)
  ends = (f'{c.label} {formats.value(metric, c.scores.iloc[-1])}' for c in curves)
  return style.with_variables(
    markup.fill(
      'client_curves',
      lines,
      [(f'{x_of(x):.1f}', f'{x:.0f}') for x in x_ticks if x_low <= x <= x_high],
      [(f'{y_of(y):.1f}', f'{y:g}') for y in y_ticks],
      'round',
      label,
      f'{label} by round; at the end: {", ".join(ends)}',
      width=_WIDTH,
      height=_HEIGHT,
      left=_LEFT,
      bottom=_BOTTOM,
    )
  )


def _thinned(scores: pd.Series) -> pd.Series:
  """Returns at most so many points at even distances, with the first and the last."""
  if len(scores) <= _MOST_POINTS:
    return scores
  return scores.iloc[np.linspace(0, len(scores) - 1, _MOST_POINTS).astype(int)]
