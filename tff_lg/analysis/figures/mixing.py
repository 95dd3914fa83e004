"""Loss of mixtures of two models over their mixing weight."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from tff_lg.analysis import style


@style.styled
def loss_over_mixing_weight(
  thetas: np.ndarray, losses: Mapping[str, np.ndarray], alone: Mapping[str, tuple[float, float]]
) -> Figure:
  """Draws a panel for each start of the two models.

  Args:
    thetas: mixing weights, [n].
    losses: by start, of the mixtures, [n].
    alone: by start, of each of the two models; the better one is a horizontal line.

  Returns:
    The figure.
  """
  figure = Figure(figsize=(9, 3.6))
  panels = figure.subplots(1, len(losses), squeeze=False)[0]
  for plot, (start, of_start) in zip(panels, losses.items(), strict=True):
    colour, *_ = style.nth_series(0)
    plot.plot(thetas, of_start, color=colour, label='mixture')
    plot.axhline(min(alone[start]), color='0.5', linestyle=':', label='the better model alone')
    plot.set_title(f'{start} initial weights')
    style.label_axes(plot, x='mixing weight', y='loss over all training examples')
  panels[0].legend(loc='upper center')
  return figure
