"""Linear devices: the error of mixtures of local and global model, formula and simulation."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from tff_lg import metric_names
from tff_lg.analysis import style

_PANELS_A_ROW = 2
# Every how many rows a measured error has a mark, so that curves are smooth and marks few.
_MARK_EVERY = 5
# How the lines at alpha* are named and drawn: where they meet, all are to be seen.
_ALPHAS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
  'formula': ('alpha* of the formula', {'color': '#f2c4a5', 'linewidth': 5}),
  'measured': (
    'alpha* measured',
    {'color': style.COLOURS['blue'].light, 'linewidth': 1.6},
  ),
  'estimated': (
    'alpha* estimated from training data',
    {'color': style.COLOURS['olive'].light, 'linewidth': 1.6, 'linestyle': (0, (4, 4))},
  ),
}


@style.styled
def mixture_errors(
  curves: Sequence[pd.DataFrame], summaries: Sequence[Mapping[str, float]], caption: str
) -> Figure:
  """Draws the measured error over alpha against the formula.

  Args:
    curves: for each setting, rows by alpha with the columns rho, alpha, measured, low, high,
      formula and paper_formula, errors above 0.
    summaries: for each setting, alpha* as `alpha/formula`, `alpha/measured` and
      `alpha/estimated`.
    caption: what is plotted, in whole sentences, to stand below.

  Returns:
    The figure: a panel a setting, with error on a logarithmic axis of its own.

  Liang et al. 2020, the experiment on synthetic data.
  """
  num_rows = -(-len(curves) // _PANELS_A_ROW)
  figure = Figure(figsize=(9.6, 1.3 + 3 * num_rows))
  panels = figure.subplots(num_rows, _PANELS_A_ROW, squeeze=False).ravel()
  for axes, curve, summary in zip(panels, curves, summaries, strict=False):
    _draw_setting(axes, curve, summary)
  for axes in panels[len(curves) :]:
    axes.remove()
  handles = panels[0].get_legend_handles_labels()
  figure.legend(*handles, loc='outside upper center', ncols=3)
  figure.supxlabel(caption, fontsize=7.5, color=style.MUTED)
  return figure


def _draw_setting(axes: Axes, curve: pd.DataFrame, summary: Mapping[str, float]) -> None:
  for name, (label, drawn) in _ALPHAS.items():
    axes.axvline(summary[metric_names.alpha(name)], label=label, **drawn)
  axes.plot(
    curve['alpha'],
    curve['paper_formula'],
    color=style.MUTED,
    linestyle=(0, (2, 2)),
    linewidth=1.2,
    label="formula with the paper's R = rho²",
  )
  axes.plot(curve['alpha'], curve['formula'], color=style.INK, label='formula, R = d rho² / 3')
  axes.errorbar(
    curve['alpha'],
    curve['measured'],
    yerr=[curve['measured'] - curve['low'], curve['high'] - curve['measured']],
    fmt='o',
    markersize=3,
    errorevery=_MARK_EVERY,
    markevery=_MARK_EVERY,
    color=style.COLOURS['blue'].light,
    ecolor=style.COLOURS['blue'].light,
    elinewidth=1.2,
    capsize=3,
    label='measured, 95 % interval',
  )
  axes.set_yscale('log')
  axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
  axes.yaxis.set_major_formatter(StrMethodFormatter('{x:g}'))
  axes.yaxis.set_minor_formatter(NullFormatter())
  axes.set_xlim(-0.02, 1.02)
  values = ', '.join(f'{name} {summary[metric_names.alpha(name)]:.3f}' for name in _ALPHAS)
  axes.set_title(f'rho = {curve["rho"].iloc[0]:g}\nalpha*: {values}', loc='left')
  style.label_axes(axes, x='alpha, weight of the local model', y='excess error')
