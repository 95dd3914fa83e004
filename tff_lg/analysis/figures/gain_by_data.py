"""Gains, or scores, of clients by the number and the variety of their examples."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from tff_lg import metric_names
from tff_lg.analysis import formats, style

# Bins have equal numbers of clients, no less than so many; more different values than so
# many are put into bins.
_MAX_BINS, _MIN_CLIENTS = 10, 15
# Numbers that span more than this factor are drawn on a logarithmic axis.
_LOG_FACTOR = 20
# Beyond this factor there is room only for the ends of decades under the axis.
_WIDE_FACTOR = 300


@style.styled
def gain_by_data(
  gains: pd.DataFrame,
  size: pd.Series,
  complexity: pd.Series,
  *,
  y: str,
  series: Mapping[str, style.Series],
  metric: str = metric_names.LOCAL_ACCURACY,
  are_gains: bool = True,
) -> Figure:
  """Draws gains against the size (left) and the complexity (right) of the clients' data.

  Args:
    gains: differences, of accuracies as shares, clients (rows, by id) by models.
    size: training examples of each client, positive.
    complexity: how many classes, or known words, are among the client's data.
    y: what the gains are, with their unit.
    series: how each model is drawn.
    metric: that the gains are of.
    are_gains: whether `gains` are differences, with a line at zero, or scores themselves.

  Returns:
    The figure. It has one line per model through its means in bins with equal numbers of clients.
    If there are no more than ten values, each value is a bin. Faint dots show each client with the
    last of the models. A client that lacks a value is left out.

  Yu et al. 2020, Figures 3, 6 and 7.
  """
  figure = Figure(figsize=(9, 4.4))
  left, right = figure.subplots(1, 2, sharey=True)
  for axes, values in ((left, size), (right, complexity)):
    _draw(axes, formats.metric_scale(metric) * gains, values, series)
    if are_gains:
      axes.axhline(0, color=style.INK, linewidth=1, zorder=1.5)
    if values.max() > _LOG_FACTOR * values.min() > 0:
      _set_log_axis(axes, values)
  style.label_axes(left, x='training examples of the client', y=y)
  style.label_axes(right, x='classes (or known words) in its data', y='')
  right.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0))
  return figure


def _draw(
  axes: Axes, gains: pd.DataFrame, values: pd.Series, series: Mapping[str, style.Series]
) -> None:
  known = gains.assign(**{'': values}).dropna()
  bins = known.groupby(_bins(known['']), observed=True).mean().sort_values('')
  *_, (last, dots) = series.items()
  axes.scatter(known[''], known[last], s=9, color=dots.colour, alpha=0.3, linewidths=0)
  for model, drawn in series.items():
    axes.plot(
      bins[''],
      bins[model],
      color=drawn.colour,
      linestyle=drawn.dashes,
      marker=drawn.marker,
      markersize=5,
      label=drawn.label,
    )


def _set_log_axis(axes: Axes, values: pd.Series) -> None:
  """Makes the x axis logarithmic, with plain numbers at the ends of decades or closer."""
  axes.set_xscale('log')
  is_wide = values.max() > _WIDE_FACTOR * values.min()
  axes.xaxis.set_major_locator(LogLocator(subs=(1,) if is_wide else (1, 2, 5)))
  axes.xaxis.set_major_formatter('{x:,.0f}')
  axes.xaxis.set_minor_formatter(NullFormatter())


def _bins(values: pd.Series) -> pd.Series | np.ndarray:
  """Returns what groups clients: their value, or the number of their bin."""
  if values.nunique() <= _MAX_BINS:
    return values.to_numpy()
  num_bins = max(min(_MAX_BINS, len(values) // _MIN_CLIENTS), 1)
  return pd.qcut(values, num_bins, labels=False, duplicates='drop').to_numpy()
