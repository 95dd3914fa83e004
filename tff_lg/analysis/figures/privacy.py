"""The privacy that a run has spent."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tff_lg.analysis import formats, names, style
from tff_lg.analysis.run_folder import RunFolder


@style.styled
def epsilon_curve(run: RunFolder) -> Figure:
  """Draws epsilon by round.

  Args:
    run: a round whose epsilon is not known or not finite is left out.

  Returns:
    The figure: epsilon so far at the run's delta, from zero on.
  """
  curve = run.curve(names.EPSILON)
  curve = curve[np.isfinite(curve)]
  figure = Figure(figsize=(9, 3.2))
  axes = figure.subplots()
  # A run of one round has no line to be seen.
  axes.plot(curve, color=style.colour(run.method), marker='o' if len(curve) == 1 else None)
  axes.set_ylim(bottom=0)
  axes.margins(x=0.01)
  axes.xaxis.set_major_locator(MaxNLocator(integer=True))
  delta = run.value(names.DELTA)
  at = f'\nat δ = {formats.significant(delta)}' if np.isfinite(delta) else ''
  style.label_axes(axes, x='round', y=f'ε spent so far{at}')
  return figure
