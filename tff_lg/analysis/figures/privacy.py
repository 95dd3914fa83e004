"""The privacy that runs have spent."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tff_lg import metric_names
from tff_lg.analysis import formats, style
from tff_lg.analysis.run_folder import RunFolder


@style.styled
def epsilon_curve(run: RunFolder) -> Figure:
  """Draws epsilon by round.

  Args:
    run: a round whose epsilon is not known or not finite is left out.

  Returns:
    The figure: epsilon so far at the run's delta, from zero on.
  """
  curve = run.curve(metric_names.EPSILON)
  curve = curve[np.isfinite(curve)]
  figure = Figure(figsize=(9, 3.2))
  axes = figure.subplots()
  # A run of one round has no line to be seen.
  axes.plot(curve, color=style.colour(run.method), marker='o' if len(curve) == 1 else None)
  axes.set_ylim(bottom=0)
  axes.margins(x=0.01)
  axes.xaxis.set_major_locator(MaxNLocator(integer=True))
  delta = run.value(metric_names.DELTA)
  at = f'\nat δ = {formats.significant(delta)}' if np.isfinite(delta) else ''
  style.label_axes(axes, x='round', y=f'ε spent so far{at}')
  return figure


@style.styled
def accuracy_by_epsilon(runs: Mapping[str, RunFolder], metric: str) -> Figure:
  """Draws the accuracy of runs against the privacy that they have spent, round by round.

  Args:
    runs: by their labels. One without privacy is a horizontal line at its final accuracy. Rounds
      without accuracy, or without a finite epsilon, are left out.
    metric: column of clients.parquet, whose mean over clients is drawn.

  Returns:
    The figure: a mark for each evaluated round.
  """
  figure = Figure(figsize=(9, 4))
  axes = figure.subplots()
  scale, name = formats.metric_scale(metric), metric_names.mean(metric)
  for i, (label, run) in enumerate(runs.items()):
    colour, dashes, marker = style.nth_series(i)
    epsilon = run.curve(metric_names.EPSILON)
    if len(epsilon):
      both = pd.DataFrame({'x': epsilon[np.isfinite(epsilon)], 'y': scale * run.curve(name)})
      both = both.dropna()
      axes.plot(
        both['x'], both['y'], color=colour, linestyle=dashes, marker=marker, markersize=4,
        label=label,
      )  # fmt: skip
    elif np.isfinite(run.value(name)):
      axes.axhline(scale * run.value(name), color=colour, linestyle=dashes, label=label)
  axes.set_xlim(left=0)
  style.label_axes(axes, x='ε spent so far', y=formats.metric_label(metric_names.mean(metric)))
  if axes.get_legend_handles_labels()[0]:
    axes.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0))
  return figure
