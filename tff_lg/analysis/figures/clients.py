"""Each client's own model against the federated one."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
import pandas as pd

from tff_lg.analysis import formats
from tff_lg.analysis import names
from tff_lg.analysis import style
from tff_lg.analysis.paired import PairedComparison
from tff_lg.analysis.paired import compare_clients

# Areas in square points: of a client's mark where there is room, of the largest heap
# of clients, and the least that can be seen.
_AREA, _MAX_AREA, _MIN_AREA = 34, 500, 6


@style.styled
def client_scatter(own: pd.Series, federated: pd.Series, *, method: str, label: str) -> Figure:
  """Draws a mark for each client: its own local-only model against this method.

  Clients at the same place, as small test sets give them, make one larger mark.

  Args:
    own: local test accuracy of each client's local-only model, shares in [0, 1].
    federated: the same of the method, for the same clients.
    method: name of the method, for its colour.
    label: what to call the method.

  Returns:
    The figure; a client that lacks one of the two accuracies is left out.
  """
  comparison = compare_clients(federated, own)
  known = pd.DataFrame({'own': own, 'federated': federated}).dropna()
  places = known.groupby(['own', 'federated']).size().reset_index(name='num_clients')
  area = min(_AREA, _MAX_AREA / max(places['num_clients'].max(), 1)) * places['num_clients']
  gain = places['federated'] - places['own']

  figure = Figure(figsize=(6, 6))
  axes = figure.subplots()
  low, high = _limits(places)
  axes.plot([low, high], [low, high], color=style.MUTED, linewidth=1, zorder=1)
  sides = (
    (gain > 0, style.colour(method), '^'),
    (gain == 0, style.MUTED, 'o'),
    (gain < 0, style.colour(names.LOCAL_ONLY), 'v'),
  )
  for chosen, colour, marker in sides:
    axes.scatter(
      100 * places['own'][chosen],
      100 * places['federated'][chosen],
      s=np.maximum(area[chosen], _MIN_AREA),
      marker=marker,
      color=colour,
      alpha=0.55,
      linewidths=0,
      zorder=2,
      clip_on=False,
    )
  axes.set(xlim=(low, high), ylim=(low, high), aspect='equal')
  style.label_axes(
    axes,
    x='own local-only model: local test accuracy (%)',
    y=f'{label}: local test accuracy (%)',
  )
  if (places['num_clients'] > 1).any():
    axes.text(
      0.99,
      0.07,
      'large marks: several clients',
      transform=axes.transAxes,
      ha='right',
      va='bottom',
      color=style.MUTED,
    )
  _write_shares(axes, comparison, label, style.colour(method))
  return figure


def _limits(places: pd.DataFrame) -> tuple[float, float]:
  """The same limits for both axes, in per cent, with room around the marks."""
  if not len(places):
    return 0, 100
  values = 100 * places[['own', 'federated']].to_numpy()
  room = max(0.06 * (values.max() - values.min()), 1)
  return values.min() - room, min(values.max() + room, 100 + room / 2)


def _write_shares(axes: Axes, comparison: PairedComparison, label: str, colour: str) -> None:
  """Writes on each side of the diagonal how many clients lie there."""
  if not comparison.num_clients:
    return

  def share(number: int) -> str:
    return f'{number:,} ({formats.percent(number / comparison.num_clients, digits=0)} %)'

  text = {'weight': 'normal', 'size': 9}
  better = f'better with {label}: {share(comparison.num_better)}'
  axes.set_title(better, loc='left', color=colour, **text)
  axes.set_title(f'equal: {share(comparison.num_equal)}', loc='right', color=style.MUTED, **text)
  axes.text(
    0.99,
    0.02,
    f'better alone: {share(comparison.num_worse)}',
    transform=axes.transAxes,
    ha='right',
    va='bottom',
    color=style.colour(names.LOCAL_ONLY),
  )
