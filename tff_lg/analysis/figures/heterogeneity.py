"""How different clients are."""

import math

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from tff_lg.analysis import style

# From this ratio of the largest to the smallest distance on, the axis is logarithmic.
_LOG_RATIO = 10


@style.styled
def distance_by_share(distances: pd.DataFrame) -> Figure:
  """Draws the mean Frechet distance against the share of examples shuffled.

  Args:
    distances: a row for each client at each share, with the columns `p` and `distance`. A
      client without a distance is left out of the mean.

  Returns:
    The figure: a line of means, with their values, over a dot for each client. Where
    distances are of different orders of magnitude, their axis is logarithmic.
  """
  known = distances.dropna(subset='distance')
  means = known.groupby('p')['distance'].mean()
  figure = Figure(figsize=(9, 3.8))
  axes = figure.subplots()
  axes.scatter(
    known['p'], known['distance'], s=14, color=style.MUTED, alpha=0.6, linewidths=0, label='client'
  )
  axes.plot(
    means.index,
    means,
    marker='o',
    markersize=5,
    color=style.COLOURS['blue'].light,
    label='mean over clients',
  )
  for share, mean in means.items():
    axes.annotate(
      _short(mean), (share, mean), xytext=(5, 5), textcoords='offset points', color=style.INK
    )
  lowest, highest = known['distance'].min(), known['distance'].max()
  if lowest > 0 and highest >= _LOG_RATIO * lowest:
    axes.set_yscale('log')
    axes.yaxis.set_major_formatter(LogFormatter(labelOnlyBase=False))
    axes.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))
  else:
    axes.set_ylim(bottom=0)
  axes.margins(x=0.06)
  if len(known):
    axes.legend(loc='upper right')
  style.label_axes(
    axes,
    x='share of examples reassigned at random, p',
    y="Frechet distance of a client\nfrom the others' examples",
  )
  return figure


def _short(value: float) -> str:
  """Returns at least three significant digits: `1,784`, `91.8`, `0.0253`."""
  if value <= 0:
    return '0'
  digits = max(2 - math.floor(math.log10(value)), 0)
  return f'{value:,.{digits}f}'
