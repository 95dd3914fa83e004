"""Where a mean gain comes from: how much of it which share of the clients brings."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from tff_lg import metric_names
from tff_lg.analysis import formats, style


@style.styled
def cumulative_gain(
  gains: Mapping[str, pd.DataFrame],
  *,
  series: Mapping[str, style.Series],
  metric: str = metric_names.LOCAL_ACCURACY,
) -> Figure:
  """Draws the cumulative gain of the clients, those that gain most first.

  With gains g sorted from the highest, a line is sum_{i <= k} g_i / n over k / n. It rises over the
  clients that gain, falls over those that lose, and ends in the mean gain.

  Args:
    gains: by what the gains are called, a panel each: differences of shares, clients
      (rows, by id) by models. NaN is left out.
    series: how each model is drawn; a model that a panel lacks is left out.
    metric: that the gains are of.

  Returns:
    The figure: a panel for each of the gains, with one line per model and a mark at its end.

  Yu et al. 2020, Figure 5.
  """
  scale = formats.metric_scale(metric)
  figure = Figure(figsize=(9, 4.4))
  panels = figure.subplots(1, len(gains), squeeze=False)[0]
  for axes, (name, table) in zip(panels, gains.items(), strict=True):
    for model, drawn in series.items():
      if model not in table:
        continue
      highest_first = np.sort(table[model].dropna().to_numpy())[::-1]
      n = len(highest_first)
      axes.plot(
        100 * np.arange(n + 1) / max(n, 1),
        scale * np.concatenate([[0], np.cumsum(highest_first)]) / max(n, 1),
        color=drawn.colour,
        linestyle=drawn.dashes,
        marker=drawn.marker,
        markevery=[n],
        label=drawn.label,
        clip_on=False,
      )
    axes.axhline(0, color=style.INK, linewidth=1, zorder=1)
    axes.set_xlim(0, 100)
    axes.set_title(name, loc='left')
    style.label_axes(axes, x='clients, those that gain most first (%)', y='')
  panels[0].set_ylabel(
    f'cumulative gain over number of clients ({formats.difference_unit(metric)})'
  )
  # A model that only one panel has is named, too.
  lines = {line.get_label(): line for axes in panels for line in axes.get_lines()}
  labels = [drawn.label for drawn in series.values() if drawn.label in lines]
  panels[-1].legend(
    [lines[label] for label in labels], labels, loc='upper left', bbox_to_anchor=(1.02, 1.0)
  )
  return figure
