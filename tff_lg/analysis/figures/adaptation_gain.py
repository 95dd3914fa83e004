"""The gain of adaptation over the federated model, client by client."""

import math
from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from tff_lg import metric_names
from tff_lg.analysis import formats, style

_AREA = 24
# Neighbouring series are set apart by this part of the x axis: heaps of clients stay visible.
_STEP = 0.012


@style.styled
def adaptation_gain(
  accuracy: pd.Series,
  gain: pd.Series,
  best: pd.Series,
  *,
  x: str,
  series: Mapping[str, style.Series],
  metric: str = metric_names.LOCAL_ACCURACY,
) -> Figure:
  """Draws a mark for each client: gain of its best model over the federated one.

  Args:
    accuracy: what the clients are ordered by along x, shares in [0, 1] by client id.
    gain: accuracy of each client's best model minus that of the federated one.
    best: the name of each client's best model, one of `series`.
    x: what `accuracy` is, with its unit.
    series: how each model is drawn, in the order of the legend.
    metric: that the gains are of.

  Returns:
    The figure. Each client has the colour and the marker of its best model. The legend has the
    number of clients for which each model is best, and their mean gain. The models are set apart a
    little along x. A client that lacks one of the three is left out.

  Yu et al. 2020, Figures 2 and 4.
  """
  known = pd.DataFrame({'accuracy': accuracy, 'gain': gain, 'best': best}).dropna()
  figure = Figure(figsize=(9, 4.4))
  axes = figure.subplots()
  scale = formats.metric_scale(metric)
  step = _STEP * (known['accuracy'].max() - known['accuracy'].min())
  for i, (model, drawn) in enumerate(series.items()):
    chosen = known[known['best'] == model]
    mean = formats.difference(metric, chosen['gain'].mean() if len(chosen) else math.nan)
    axes.scatter(
      scale * (chosen['accuracy'] + step * (i - (len(series) - 1) / 2)),
      scale * chosen['gain'],
      s=_AREA,
      marker=drawn.marker,
      color=drawn.colour,
      alpha=0.6,
      linewidths=0,
      label=f'{drawn.label}:\nbest for {len(chosen):,}, mean gain {mean}',
    )
  axes.axhline(0, color=style.INK, linewidth=1, zorder=1)
  axes.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0))
  style.label_axes(
    axes, x=x, y=f'best model against the federated one ({formats.difference_unit(metric)})'
  )
  return figure
