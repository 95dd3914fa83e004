"""Which client has which classes, and how many examples."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tff_lg.analysis import formats, style

# Up to so many clients have a column of their own, clients and classes room for their
# names, and cells for their numbers.
_MAX_COLUMNS = 1000
_MAX_NAMED_CLIENTS = 40
_MAX_WRITTEN_CELLS = 200
_MAX_NAMED_CLASSES = 30

# One hue from mid to deep: no share is so light, or so dark, that it disappears on
# white paper or on a dark screen.
_SHARES = LinearSegmentedColormap.from_list('shares', ['#a9cfee', '#4a95d0', '#0068ad', '#063a66'])


@style.styled
def label_distribution(label_counts: pd.DataFrame) -> Figure:
  """Draws each class's share of each client's examples, and above it the client's size.

  Clients are ordered by their most frequent class. So the kind of partition shows at a glance:
  blocks for shards, bands of one colour for IID. Beyond 1000 clients a column is the mean of
  several neighbours in that order.

  Args:
    label_counts: counts of examples, clients (rows) by classes (columns).

  Returns:
    The figure: `axes[0]` sizes, `axes[1]` shares as one image; classes that a
    client lacks are empty.
  """
  counts = _by_main_class(label_counts)
  num_clients, num_classes = counts.shape
  sizes = counts.sum(axis=1).to_numpy()
  shares = counts.to_numpy() / np.maximum(sizes, 1)[:, np.newaxis]
  edges = np.linspace(0, num_clients, min(num_clients, _MAX_COLUMNS) + 1).astype(int)

  figure = Figure(figsize=(9, 2.2 + 0.26 * min(num_classes, _MAX_NAMED_CLASSES)))
  top, main = figure.subplots(2, 1, sharex=True, height_ratios=(1, 3.2))
  _draw_sizes(top, _means(sizes, edges), edges)

  image = main.imshow(
    np.ma.masked_equal(100 * _means(shares, edges).T, 0),
    aspect='auto',
    interpolation='nearest',  # Any other smears a class into its neighbours.
    extent=(-0.5, num_clients - 0.5, num_classes - 0.5, -0.5),
    cmap=_SHARES,
    vmin=0,
    vmax=100,
  )
  main.grid(False)
  if num_clients * num_classes <= _MAX_WRITTEN_CELLS:
    _write_shares(main, shares)
  if num_classes <= _MAX_NAMED_CLASSES:
    main.set_yticks(range(num_classes), list(map(formats.shortened, map(str, counts.columns))))
  main.tick_params(length=0)
  if num_clients <= _MAX_NAMED_CLIENTS:
    main.set_xticks(
      range(num_clients), list(map(formats.shortened, map(str, counts.index))), rotation=90
    )
  else:
    main.xaxis.set_major_locator(MaxNLocator(integer=True))
  clients = 'client' if num_clients <= _MAX_NAMED_CLIENTS else f'{num_clients:,} clients'
  style.label_axes(main, x=f'{clients}, ordered by most frequent class', y='class')
  bar = figure.colorbar(image, ax=main, pad=0.01, aspect=18)
  bar.set_label("share of the client's examples (%)")
  bar.outline.set_visible(False)
  return figure


def _by_main_class(label_counts: pd.DataFrame) -> pd.DataFrame:
  """Orders clients by their most frequent class, then by its share, largest first."""
  counts = label_counts.to_numpy()
  if not counts.size:
    return label_counts
  share = counts.max(axis=1) / np.maximum(counts.sum(axis=1), 1)
  return label_counts.iloc[np.lexsort((-share, counts.argmax(axis=1)))]


def _means(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
  """Returns means of rows between edges."""
  if len(edges) < 2:
    return values
  rows = np.diff(edges).reshape(-1, *(1,) * (values.ndim - 1))
  return np.add.reduceat(values, edges[:-1], axis=0) / rows


def _draw_sizes(axes: Axes, sizes: np.ndarray, edges: np.ndarray) -> None:
  # One outline instead of a bar each: it stays light with many clients.
  axes.stairs(sizes, edges - 0.5, fill=True, color=style.MUTED, linewidth=0)
  axes.grid(axis='x', visible=False)
  axes.tick_params(axis='x', length=0, labelbottom=False)
  axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
  style.label_axes(axes, x='', y='training\nexamples')


def _write_shares(axes: Axes, shares: np.ndarray) -> None:
  for client, label in zip(*np.nonzero(shares), strict=True):
    share = shares[client, label]
    axes.text(
      client,
      label,
      f'{100 * share:.0f}',
      ha='center',
      va='center',
      size=8,
      # Not from the palette: the cell keeps its colour on a dark screen.
      color='#0b1a26' if share < 0.4 else '#fefefe',
    )
