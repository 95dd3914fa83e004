"""Validation data by epoch of adaptation: whether the choice lies inside what was tried."""

import math
from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tff_lg.analysis import formats, style

_COLUMNS = 4


@style.styled
def validation_curves(
  curves: Mapping[str, pd.DataFrame], *, series: Mapping[str, style.Series], metric: str
) -> Figure:
  """Draws a panel per adaptation, with a line per setting.

  Args:
    curves: by adaptation, `metric` by epoch (rows) and setting (columns, as the legend has them).
    series: how each adaptation's best setting is drawn.
    metric: on validation data, such as `validation/accuracy`.

  Returns:
    The figure. The best setting has the colour of its adaptation, a mark at its best epoch, and its
    name above the panel. The others are thin and grey.
  """
  rows = math.ceil(len(curves) / _COLUMNS)
  columns = math.ceil(len(curves) / rows)
  figure = Figure(figsize=(9 if columns > 1 else 5, 3.2 * rows))
  panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
  scale = formats.metric_scale(metric)
  for panel, (name, table) in zip(panels, curves.items(), strict=False):
    ordered = table if formats.is_more_better(metric) else -table
    # Of equals the earliest epoch, then the first setting, as the choice goes.
    epoch, best = ordered.stack().idxmax()
    for setting in table.columns.drop(best):
      panel.plot(table.index, scale * table[setting], color=style.MUTED, linewidth=0.7, alpha=0.6)
    drawn, line = series[name], scale * table[best]
    panel.plot(table.index, line, color=drawn.colour, linestyle=drawn.dashes)
    panel.plot([epoch], [line[epoch]], color=drawn.colour, marker=drawn.marker, markersize=7)
    panel.set_title(f'{drawn.label}\n{best}')
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.label_axes(panel, x='epochs of adaptation', y='')
  for panel in panels[len(curves) :]:
    panel.set_axis_off()
  for first in panels[::columns]:
    first.set_ylabel(formats.metric_label(metric))
  return figure
