"""Each client's own model against the federated one."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tff_lg import client_gains, metric_names
from tff_lg.analysis import formats, names, style
from tff_lg.analysis.paired import PairedComparison, compare_clients

# Areas in square points: of a client's mark where there is room, of the largest heap
# of clients, and the least that can be seen.
_AREA, _MAX_AREA, _MIN_AREA = 34, 500, 12


class _Side(NamedTuple):
  """How clients on one side of the diagonal are drawn and called."""

  marker: str
  colour: str
  label: str


@style.styled
def client_scatter(
  own: pd.Series, federated: pd.Series, *, method: str, metric: str = metric_names.LOCAL_ACCURACY
) -> Figure:
  """Draws a mark for each client: its locally trained model against this method.

  Clients at the same place, as small test sets give them, make one larger mark.

  Args:
    own: local test accuracy, or another metric, of each client's locally trained model.
    federated: the same of the method, for the same clients.
    method: the method, such as `lg_fedavg`.
    metric: which; accuracies are shares in [0, 1].

  Returns:
    The figure; a client that lacks one of the two accuracies is left out.
  """
  known = pd.DataFrame({'own': own, 'federated': federated}).dropna()
  gains = client_gains.client_gains(
    known['federated'], known['own'], more_is_better=formats.is_more_better(metric)
  )
  known = known.round(6).assign(side=np.sign(gains))
  places = known.groupby(['own', 'federated', 'side']).size().reset_index(name='num_clients')
  area = min(_AREA, _MAX_AREA / max(places['num_clients'].max(), 1)) * places['num_clients']
  side_of = places['side']

  figure = Figure(figsize=(9, 5.4))
  axes = figure.subplots()
  scale = formats.metric_scale(metric)
  low, high = _limits(places, scale)
  axes.plot([low, high], [low, high], color=style.MUTED, linewidth=1, zorder=1)
  sides = _sides(compare_clients(federated, own, metric), method)
  for side, chosen in zip(sides, (side_of > 0, side_of == 0, side_of < 0), strict=True):
    axes.scatter(
      scale * places['own'][chosen],
      scale * places['federated'][chosen],
      s=np.maximum(area[chosen], _MIN_AREA),
      marker=side.marker,
      color=side.colour,
      alpha=0.7,
      linewidths=0,
      zorder=2,
      clip_on=False,
    )
  axes.set(xlim=(low, high), ylim=(low, high), aspect='equal', anchor='W')
  label = names.method_name(method)
  style.label_axes(
    axes,
    x=f'locally trained model: {formats.metric_label(metric)}',
    y=f'{label}: {formats.metric_label(metric)}',
  )
  _add_legend(axes, sides, has_heaps=bool((places['num_clients'] > 1).any()))
  return figure


def _limits(places: pd.DataFrame, scale: float) -> tuple[float, float]:
  """Returns the same limits for both axes, in per cent, with room around the marks."""
  if not len(places):
    return 0, scale
  values = scale * places[['own', 'federated']].to_numpy()
  room = 0.06 * (values.max() - values.min())
  if scale != 100:
    room = room or 1
    return values.min() - room, values.max() + room
  room = max(room, 1)
  return values.min() - room, min(values.max() + room, 100 + room / 2)


def _sides(comparison: PairedComparison, method: str) -> tuple[_Side, _Side, _Side]:
  """Returns better, equal and worse than alone: above, on and below the diagonal."""

  def share(number: int) -> str:
    part = number / max(comparison.num_clients, 1)
    return f'{number:,} ({formats.percent(part, digits=0)} %)'

  better = f'better with {names.method_name(method)}: {share(comparison.num_better)}'
  alone = f'better alone: {share(comparison.num_worse)}'
  return (
    _Side('^', style.colour(method), better),
    _Side('o', style.MUTED, f'equal: {share(comparison.num_equal)}'),
    _Side('v', style.colour(names.LOCAL_ONLY), alone),
  )


def _add_legend(axes: Axes, sides: Sequence[_Side], *, has_heaps: bool) -> None:
  """Names the sides by marks of one size, whatever sizes the figure has."""
  marks = [
    Line2D([], [], linestyle='none', marker=side.marker, color=side.colour, label=side.label)
    for side in sides
  ]
  if has_heaps:
    label = 'larger: several clients'
    marks.append(
      Line2D([], [], linestyle='none', marker='o', markersize=10, color=style.GRID, label=label)
    )
  axes.legend(handles=marks, loc='upper left', bbox_to_anchor=(1.0, 1.0))
