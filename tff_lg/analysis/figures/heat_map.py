"""A metric of a sweep over two axes of its grid, a panel for each value of further ones."""

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from tff_lg.analysis import formats, names, style

# As in the figure of labels: no value disappears on white paper or on a dark screen.
_VALUES = LinearSegmentedColormap.from_list('values', ['#a9cfee', '#4a95d0', '#0068ad', '#063a66'])
_DARK_INK, _LIGHT_INK = '#0b1a26', '#fefefe'
# So many letters fit under a column.
_MAX_LETTERS = 11


@style.styled
def sweep_heat_map(
  points: pd.DataFrame,
  axes: Mapping[str, Sequence[str]],
  *,
  metric: str,
  columns: str,
  rows: str,
  panels: Sequence[str] = (),
  title: str = '',
) -> Figure:
  """Draws the mean of a metric as colour and number, its standard deviation below.

  Args:
    points: one row per point of the grid: a column for each axis, `mean`, `std`, `n`.
    axes: values of each axis in their order.
    metric: name of the metric; an accuracy is drawn in per cent.
    columns: the axis along x.
    rows: the axis along y.
    panels: further axes; a panel for each combination of their values.
    title: of the figure; what the metric is by default.

  Returns:
    The figure, with one scale of colours for all panels; a point without trials is empty.
  """
  combinations = list(itertools.product(*(axes[name] for name in panels)))
  num_columns, num_rows = len(axes[columns]), len(axes[rows])
  figure = Figure(
    figsize=(
      max(2.2 + len(combinations) * max(0.95 * num_columns, 2), 5.5),
      max(1.9 + 0.62 * num_rows, 3.2),
    )
  )
  plots = figure.subplots(1, len(combinations), squeeze=False, sharey=True)[0]
  scale = formats.metric_scale(metric)
  limits = scale * points['mean'].min(), scale * points['mean'].max()
  for plot, values in zip(plots, combinations, strict=True):
    chosen = points
    for name, value in zip(panels, values, strict=True):
      chosen = chosen[chosen[name] == value]
    means, stds = (
      chosen.pivot(index=rows, columns=columns, values=name)
      .reindex(index=axes[rows], columns=axes[columns])
      .to_numpy(dtype=float)
      for name in ('mean', 'std')
    )
    image = _draw(plot, scale * means, limits)
    _write(plot, metric, means, stds, limits)
    labels = _labels(columns, axes)
    turned = {'rotation': 25, 'ha': 'right'} if max(map(len, labels)) > _MAX_LETTERS else {}
    plot.set_xticks(range(num_columns), labels, **turned)
    plot.set_yticks(range(num_rows), _labels(rows, axes))
    plot.set_title(
      ', '.join(
        f'{name} = {names.axis_value(name, value)}'
        for name, value in zip(panels, values, strict=True)
      )
    )
    style.label_axes(plot, x=columns, y=rows if plot is plots[0] else '')
  bar = figure.colorbar(image, ax=list(plots), pad=0.02, aspect=18)
  figure.suptitle(f'{title or formats.metric_label(metric)}, mean ± std over seeds', size=9)
  bar.outline.set_visible(False)
  return figure


def _labels(axis: str, axes: Mapping[str, Sequence[str]]) -> list[str]:
  return [names.axis_value(axis, value) for value in axes[axis]]


def _draw(plot: Axes, values: np.ndarray, limits: tuple[float, float]) -> AxesImage:
  image = plot.imshow(
    np.ma.masked_invalid(values),
    aspect='auto',
    interpolation='nearest',
    cmap=_VALUES,
    vmin=limits[0],
    vmax=limits[1],
  )
  plot.grid(False)
  plot.tick_params(length=0)
  return image


def _write(
  plot: Axes,
  metric: str,
  means: np.ndarray,
  stds: np.ndarray,
  limits: tuple[float, float],
) -> None:
  """Writes the numbers into the cells."""
  low, high = limits
  scale = formats.metric_scale(metric)
  for row, column in np.ndindex(means.shape):
    mean, std = float(means[row, column]), float(stds[row, column])
    is_dark = math.isfinite(mean) and scale * mean - low > 0.45 * (high - low) > 0
    plot.text(
      column,
      row,
      formats.metric_with_std(metric, mean, std).replace(' ±', '\n±'),
      ha='center',
      va='center',
      size=8,
      # Not from the palette: the cell keeps its colour on a dark screen.
      color=_LIGHT_INK if is_dark else _DARK_INK,
    )
