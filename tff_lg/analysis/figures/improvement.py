"""Gains of clients over the locally trained model, by how good that model is."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from tff_lg import metric_names
from tff_lg.analysis import formats, style
from tff_lg.analysis.paired import compare_clients

# Widths of a bin in points; the first with which no more than so many bins are needed.
_WIDTHS = (1, 2, 5, 10, 20)
_MAX_BINS = 10
# Part of a bin that its bars fill together.
_FILLED = 0.8
_SURFACE, _HATCH = style.COLOURS['surface'].light, '////'


@style.styled
def improvement_bars(
  own: pd.Series,
  runs: Mapping[str, pd.Series],
  *,
  metric: str = metric_names.LOCAL_ACCURACY,
  colours: Sequence[str] | None = None,
) -> Figure:
  """Draws the mean change against the locally trained model in bins of its accuracy.

  Args:
    own: accuracy, or another metric, of each client's locally trained model.
    runs: the same of each run by its label, for the same clients.
    metric: which accuracy.
    colours: one per run; by default those of the palette's series, which has five.

  Returns:
    The figure: one bar per run in each bin that has clients, hatched where it is below zero. Each
    bar has the standard deviation over the bin's clients; their number is on top. A bin holds its
    lower end, the last one its upper end too. A client that lacks an accuracy is left out.

  Yu et al. 2020, Figure 1.
  """
  colours = colours or [style.nth_series(i)[0] for i in range(len(runs))]
  known = pd.DataFrame({'': own, **runs}).dropna()
  scale = formats.metric_scale(metric)
  alone = (scale * known['']).round(6)
  sign = 1 if formats.is_more_better(metric) else -1
  change = sign * scale * known.drop(columns='').sub(known[''], axis=0)
  edges = _edges(alone) if scale == 100 else _edges_of_numbers(alone)
  places = np.clip(np.searchsorted(edges, alone, side='right') - 1, 0, len(edges) - 2)
  bins = change.groupby(places)
  numbers = bins.size()

  figure = Figure(figsize=(9, 4.4))
  axes = figure.subplots()
  width = _FILLED * (edges[1] - edges[0]) / max(len(runs), 1)
  centres = (edges[:-1] + edges[1:])[numbers.index] / 2
  for i, (label, colour) in enumerate(zip(runs, colours, strict=True)):
    x = centres + (i - (len(runs) - 1) / 2) * width
    # The change of a single client has no spread.
    std = bins[label].std(ddof=0).where(numbers > 1)
    _draw_bars(axes, x, bins[label].mean(), std, width=0.92 * width, colour=colour)
  axes.axhline(0, color=style.INK, linewidth=1)
  axes.set_xticks(edges)
  axes.set_xlim(edges[0], edges[-1])
  axes.grid(False, axis='x')
  _write_numbers(axes, centres, numbers)
  style.label_axes(
    axes,
    x=f'locally trained model: {formats.metric_label(metric)}',
    y='change against the locally trained model,\n'
    f'mean ± std over clients ({formats.difference_unit(metric)})',
  )
  _add_legend(axes, known, colours, metric)
  return figure


def _edges(alone: pd.Series) -> np.ndarray:
  """Returns the ends of the bins in per cent, at multiples of their width, none beyond 100."""
  low, high = (alone.min(), alone.max()) if len(alone) else (0, 100)
  width = next((w for w in _WIDTHS if (high - low) / w <= _MAX_BINS), _WIDTHS[-1])
  first = min(math.floor(low / width), 100 // width - 1)
  last = max(math.ceil(high / width), first + 1)
  return width * np.arange(first, last + 1)


def _edges_of_numbers(alone: pd.Series) -> np.ndarray:
  """Returns the bins' ends for a metric that is not a share, multiples of a round width."""
  low, high = (alone.min(), alone.max()) if len(alone) else (0.0, 1.0)
  # A value at the upper end is in the last bin, and equal values have one of some width.
  return np.array(MaxNLocator(_MAX_BINS).tick_values(low, high if high > low else low + 1))


def _draw_bars(
  axes: Axes, x: np.ndarray, means: pd.Series, std: pd.Series, *, width: float, colour: str
) -> None:
  bars = axes.bar(x, means, width, color=colour, edgecolor=colour, linewidth=1)
  for bar, mean in zip(bars, means, strict=True):
    if mean < 0:
      bar.set(facecolor=_SURFACE, hatch=_HATCH)
  axes.errorbar(
    x, means, yerr=std, fmt='none', ecolor=style.INK, elinewidth=1.2, capsize=3, capthick=1.2
  )


def _write_numbers(axes: Axes, centres: np.ndarray, numbers: pd.Series) -> None:
  """Writes each bin's number of clients above the axes, where no bar can reach."""
  above = axes.get_xaxis_transform()
  for centre, number in zip(centres, numbers, strict=True):
    axes.text(centre, 1.01, f'{number:,}', transform=above, ha='center', va='bottom')
  axes.text(
    -0.01, 1.01, 'clients', transform=axes.transAxes, ha='right', va='bottom', color=style.MUTED
  )


def _add_legend(axes: Axes, known: pd.DataFrame, colours: Sequence[str], metric: str) -> None:
  """Names the runs, with the share of clients that each of them leaves worse off."""
  handles = []
  for label, colour in zip(known.columns[1:], colours, strict=True):
    comparison = compare_clients(known[label], known[''], metric)
    worse = formats.percent(comparison.share_worse, digits=0)
    handles.append(Patch(facecolor=colour, label=f'{label}:\n{worse} % of clients worse off'))
  label = 'mean of the bin below zero'
  handles.append(Patch(label=label, facecolor=_SURFACE, edgecolor=style.MUTED, hatch=_HATCH))
  axes.legend(handles=handles, loc='upper left', bbox_to_anchor=(1.0, 1.0))
