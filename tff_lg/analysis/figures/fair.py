"""Accuracy against leakage: what it costs to keep attributes out of a representation."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tff_lg.analysis import names, style
from tff_lg.analysis.fairness import measures, results_table

_ACCURACY = results_table.COLUMNS['acc']
# Of each leakage its title and its metric.
_LEAKAGES = {
  'AUC of the adversary in training': results_table.COLUMNS['adv AUC'],
  'AUC of boosting, fitted afterwards': results_table.COLUMNS['boosting'],
}


@style.styled
def accuracy_against_leakage(results: pd.DataFrame) -> Figure:
  """Draws accuracy over leakage, one line per method through its lambdas.

  Args:
    results: one row per run, as `fairness.over_seeds` takes them; means over seeds are drawn,
      of methods with a representation.

  Returns:
    The figure: one row of panels per partition. The left panel shows leakage to the adversary, the
    right panel leakage to a probe. Dotted lines mark a random guess, and the more frequent class.

  Liang et al. 2020, section on fair representations.
  """
  summary = results_table.over_seeds(results).xs('mean', axis=1, level=1).reset_index()
  partitions = list(dict.fromkeys(summary['partition']))
  figure = Figure(figsize=(9.6, 0.8 + 3.2 * len(partitions)))
  rows = figure.subplots(len(partitions), len(_LEAKAGES), squeeze=False, sharex='all', sharey='row')
  for partition, panels in zip(partitions, rows, strict=True):
    of_partition = summary[summary['partition'] == partition]
    for (leakage, metric), axes in zip(_LEAKAGES.items(), panels, strict=True):
      _draw(axes, of_partition, metric)
      axes.set_title(f'{results_table.PARTITION_NAMES[partition]}: {leakage}', loc='left')
      style.label_axes(axes, x='leakage: AUC, mean of attributes (%)', y='accuracy (%)')
  figure.legend(*rows[0, 0].get_legend_handles_labels(), loc='outside upper center', ncols=3)
  figure.supxlabel(
    "Numbers at the marks: lambda, the adversary's strength. On each device's own test rows.",
    fontsize=7.5,
    color=style.MUTED,
  )
  return figure


def _draw(axes: Axes, summary: pd.DataFrame, metric: str) -> None:
  axes.axvline(50, color=style.MUTED, linestyle=':', linewidth=1.2)
  majority = 100 * summary[measures.MAJORITY].iloc[0]
  axes.axhline(majority, color=style.MUTED, linestyle=':', linewidth=1.2)
  drawn = summary[summary[list(_LEAKAGES.values())].notna().any(axis=1)]
  for i, (method, of_method) in enumerate(drawn.groupby('method', sort=False)):
    x, y = 100 * of_method[metric], 100 * of_method[_ACCURACY]
    axes.plot(
      x,
      y,
      color=style.colour(method),
      linestyle=style.line_style(method),
      marker=style.nth_series(i)[2],
      markersize=5,
      label=names.method_name(method),
    )
    for strength, at_x, at_y in zip(of_method['lambda'], x, y, strict=True):
      axes.annotate(
        f'{strength:g}', (at_x, at_y), xytext=(4, 4), textcoords='offset points', fontsize=7.5
      )
