"""Where the examples of each client and of each class lie."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tff_lg.analysis import style

# Groups differ in colour, and those of one colour in shape.
_COLOURS = [style.COLOURS[n].light for n in ('blue', 'vermillion', 'green', 'purple', 'olive')]
_MARKERS = ('o', '^', 's', 'D', 'v', 'P')
_MAX_NAMED = len(_COLOURS) * len(_MARKERS)
_LEGEND_ROWS = 15

# More points hide each other, and slow the page down.
_MAX_POINTS = 10_000


@style.styled
def clients_map(
  coordinates: np.ndarray,
  client: np.ndarray,
  y: np.ndarray,
  class_names: Sequence[str],
  centroids: np.ndarray | None = None,
) -> Figure:
  """Draws each example in two dimensions, by client (left) and by class (right).

  With more than 10,000 examples, every k-th is drawn, and the axes say so. Beyond 30 groups
  colours and shapes repeat, and the legend is left out.

  Args:
    coordinates: [n, 2], such as the first two principal components.
    client: integers [n], the client of each example.
    y: integers [n], the class of each.
    class_names: names of the classes, which `y` counts from 0.
    centroids: [num_classes, num_clients, 2], drawn on the left as crosses; NaN for none.

  Returns:
    The figure: `axes[0]` by client, `axes[1]` by class, with the same limits.
  """
  step = -(-len(coordinates) // _MAX_POINTS) or 1
  figure = Figure(figsize=(9, 4.2))
  by_client, by_class = figure.subplots(1, 2, sharex=True, sharey=True)
  client_names = {k: str(k) for k in np.unique(client)}
  present = {k: class_names[k] for k in np.unique(y)}
  _draw_groups(by_client, coordinates[::step], client[::step], client_names)
  _draw_groups(by_class, coordinates[::step], y[::step], present)
  if centroids is not None:
    first, second = centroids.reshape(-1, 2).T
    by_client.scatter(first, second, s=22, marker='x', color=style.INK, linewidths=1, zorder=3)
  _add_legend(by_client, client_names, 'client', has_centroids=centroids is not None)
  _add_legend(by_class, present, 'class')
  every = f' (1 example in {step:,} drawn)' if step > 1 else ''
  style.label_axes(by_client, x=f'first principal component{every}', y='second principal component')
  style.label_axes(by_class, x='first principal component', y='')
  by_client.set_title('by client', loc='left')
  by_class.set_title('by class', loc='left')
  return figure


def _draw_groups(
  axes: Axes, coordinates: np.ndarray, groups: np.ndarray, names: dict[int, str]
) -> None:
  area = np.clip(6000 / max(len(coordinates), 1), 3, 16)
  for place, group in enumerate(names):
    first, second = coordinates[groups == group].T
    axes.scatter(
      first,
      second,
      s=area,
      alpha=0.75,
      linewidths=0,
      rasterized=True,  # Thousands of marks would make a heavy page.
      **_mark(place),
    )


def _add_legend(
  axes: Axes, names: dict[int, str], title: str, *, has_centroids: bool = False
) -> None:
  """Names the groups by marks of one size, whatever size the figure has."""
  if len(names) > _MAX_NAMED:
    handles, title = [], f'{len(names):,} {"classes" if title == "class" else "clients"}'
  else:
    handles = [
      Line2D([], [], linestyle='none', markersize=5, label=name, **_mark(place))
      for place, name in enumerate(names.values())
    ]
  if has_centroids:
    label = 'centroid'
    handles.append(
      Line2D([], [], linestyle='none', marker='x', markersize=5, color=style.INK, label=label)
    )
  axes.legend(
    handles=handles,
    title=title,
    ncols=-(-len(handles) // _LEGEND_ROWS) or 1,
    loc='upper left',
    bbox_to_anchor=(1.0, 1.0),
    handletextpad=0.2,
    columnspacing=0.8,
  )


def _mark(place: int) -> dict[str, Any]:
  """Returns the colour and shape of the group at a place in the legend."""
  shape = place // len(_COLOURS) % len(_MARKERS)
  return {'color': _COLOURS[place % len(_COLOURS)], 'marker': _MARKERS[shape]}
