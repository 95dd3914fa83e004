"""A metric of a sweep along one axis of its grid, with error bars over seeds."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tff_lg.analysis import formats, names, style
from tff_lg.analysis.sweep_folder import as_numbers

# Neighbouring series are set apart by this part of the x axis: equal results stay visible.
_STEP = 0.008
# Numbers that span more than this factor are drawn on a logarithmic axis.
_LOG_FACTOR = 50
# So many letters of labels fit under the x axis.
_MAX_LETTERS = 90


@style.styled
def sweep_error_bars(
  points: pd.DataFrame,
  axes: Mapping[str, Sequence[str]],
  *,
  metric: str,
  x_axis: str,
  series: Sequence[str],
) -> Figure:
  """Draws the mean of a metric with its standard deviation over seeds.

  Args:
    points: one row per point of the grid: a column for each axis, `mean`, `std`, `n`.
    axes: values of each axis in their order.
    metric: name of the metric; an accuracy is drawn in per cent.
    x_axis: the axis along x; joined by lines if its values are numbers.
    series: the other axes; a line for each combination of their values.

  Returns:
    The figure; a point without trials is left out, one of a single seed has no bar.
  """
  figure = Figure(figsize=(9, 4.2))
  plot = figure.subplots()
  places, joined = _set_up_x(plot, x_axis, axes[x_axis])
  combinations = list(itertools.product(*(axes[name] for name in series)))
  scale = formats.metric_scale(metric)
  for i, values in enumerate(combinations):
    chosen = points.set_index(x_axis)
    for name, value in zip(series, values, strict=True):
      chosen = chosen[chosen[name] == value]
    chosen = chosen.loc[[value for value in places if value in chosen.index]]
    if not len(chosen):
      continue
    colour, dashes, marker = _series_style(i, series, values)
    plot.errorbar(
      _set_apart(plot, places, list(chosen.index), i - (len(combinations) - 1) / 2),
      scale * chosen['mean'].to_numpy(),
      yerr=scale * chosen['std'].fillna(0).to_numpy(),
      color=colour,
      linestyle=dashes if joined else 'none',
      marker=marker,
      markersize=5,
      capsize=3,
      elinewidth=1.2,
      label=', '.join(map(names.axis_value, series, values)),
    )
  if series:
    plot.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0), title=', '.join(series))
  style.label_axes(plot, x=x_axis, y=f'{formats.metric_label(metric)},\nmean ± std over seeds')
  return figure


def _set_up_x(plot: Axes, name: str, values: Sequence[str]) -> tuple[dict[str, float], bool]:
  """Returns where each value is along x, in rising order, and whether lines may join them."""
  numbers = as_numbers(values)
  if numbers is None:
    labels = [names.axis_value(name, value) for value in values]
    is_crowded = len(labels) * max(map(len, labels)) > _MAX_LETTERS
    turned: dict[str, Any] = {'rotation': 25, 'ha': 'right'} if is_crowded else {}
    plot.set_xticks(range(len(labels)), labels, **turned)
    plot.set_xlim(-0.5, len(values) - 0.5)
    return {value: float(i) for i, value in enumerate(values)}, False
  if min(numbers) > 0 and max(numbers) / min(numbers) > _LOG_FACTOR:
    plot.set_xscale('log')
  if len(numbers) <= 12:
    ordered = sorted(zip(numbers, values, strict=True))
    plot.set_xticks([number for number, _ in ordered], [value for _, value in ordered])
    plot.minorticks_off()
  return dict(sorted(zip(values, numbers, strict=True), key=lambda item: item[1])), True


def _set_apart(
  plot: Axes, places: Mapping[str, float], values: Sequence[str], steps: float
) -> np.ndarray:
  """Returns places of some values, moved by so many steps."""
  if plot.get_xscale() == 'log':
    span = np.log(max(places.values()) / min(places.values()))
    return np.array([places[value] for value in values]) * np.exp(steps * _STEP * span)
  span = (max(places.values()) - min(places.values())) or 1
  # Nothing joins the marks of categories: there is room for more.
  step = _STEP * span if as_numbers(values) is not None else 6 * _STEP
  return np.array([places[value] for value in values]) + steps * step


def _series_style(
  i: int, series: Sequence[str], values: Sequence[str]
) -> tuple[str, str | tuple, str]:
  """Returns the colour, dashes and marker; a method has its own."""
  colour, dashes, marker = style.nth_series(i)
  if tuple(series) == ('method',):
    return style.colour(values[0]), style.line_style(values[0]), marker
  return colour, dashes, marker
