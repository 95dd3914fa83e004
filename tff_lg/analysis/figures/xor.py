"""XOR with two clients: what one gated unit computes, and what two hidden units do."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from tff_lg.analysis import style

Weights = Mapping[str, np.ndarray]

# Half the side of the square that is drawn, and cells along a side.
_LIMIT, _CELLS = 2.0, 240

_CLASS_COLOURS = tuple(style.COLOURS[name].light for name in ('blue', 'vermillion'))
# Lighter than the classes' own colours, so that examples stand out.
_SIGNED = LinearSegmentedColormap.from_list('signed', ['#8fc1e8', '#ffffff', '#f5b48a'])
_OPEN = LinearSegmentedColormap.from_list('open', ['#ffffff', '#86cdb6'])

# (x [n, 2], client indices [n]) -> probability of class 1, [n].
_Decide = Callable[[np.ndarray, np.ndarray], np.ndarray]


class GatedUnit(NamedTuple):
  """One gated unit and the output on top of it, with the shifts of each client.

  Attributes:
    kernel: [2, 2], columns w_f and w_g.
    bias: [2], b_f and b_g.
    shifts: [clients, 2], v_f and v_g of each client.
    output_kernel: [1, 2].
    output_bias: [2].
  """

  kernel: np.ndarray
  bias: np.ndarray
  shifts: np.ndarray
  output_kernel: np.ndarray
  output_bias: np.ndarray

  @classmethod
  def from_weights(cls, clients: Sequence[Weights]) -> 'GatedUnit':
    """Takes each client's weights by name, with `shared` or `local` shifts."""
    first = clients[0]
    if 'gated_1/conditioning' in first:
      shifts = first['gated_1/conditioning']
    else:
      shifts = np.array([np.concatenate([w['shift_1/filter'], w['shift_1/gate']]) for w in clients])
    names = ('gated_1/kernel', 'gated_1/bias', 'output/kernel', 'output/bias')
    kernel, bias, output_kernel, output_bias = (first[name] for name in names)
    return cls(kernel, bias, shifts, output_kernel, output_bias)

  def filter(self, x: np.ndarray, client: np.ndarray, *, conditioned: bool = True) -> np.ndarray:
    """Computes tanh(w_f x + b_f + v_f), [n], of x [n, 2] and client indices [n]."""
    return np.tanh(self._input(0, x, client, conditioned))

  def gate(self, x: np.ndarray, client: np.ndarray, *, conditioned: bool = True) -> np.ndarray:
    """Computes sigmoid(w_g x + b_g + v_g), [n], of x [n, 2] and client indices [n]."""
    return _sigmoid(self._input(1, x, client, conditioned))

  def probability(
    self,
    x: np.ndarray,
    client: np.ndarray,
    *,
    condition_filter: bool = True,
    condition_gate: bool = True,
  ) -> np.ndarray:
    """Returns the probability of class 1, [n], with the shifts of filter and gate or without."""
    h = self.filter(x, client, conditioned=condition_filter) * self.gate(
      x, client, conditioned=condition_gate
    )
    return _probability(h[:, np.newaxis], self.output_kernel, self.output_bias)

  def _input(self, side: int, x: np.ndarray, client: np.ndarray, conditioned: bool) -> np.ndarray:
    return x @ self.kernel[:, side] + self.bias[side] + conditioned * self.shifts[client, side]


def mlp_probability(weights: Weights, x: np.ndarray) -> np.ndarray:
  """Returns the probability of class 1, [n], by a ReLU network with one hidden layer."""
  hidden = np.maximum(x @ weights['hidden_1/kernel'] + weights['hidden_1/bias'], 0)
  return _probability(hidden, weights['output/kernel'], weights['output/bias'])


@style.styled
def xor_panels(
  train: Sequence[tuple[np.ndarray, np.ndarray]], mlp: Weights, cgau: Sequence[Weights]
) -> Figure:
  """Draws both models' decisions and what the gated unit's filter and gate do in them.

  Each panel shows the plane of the two features. The half with x2 > 0 is drawn as the first client
  sees it, the other half as the second does. Two panels keep the trained unit but only one of its
  shifts. The shift of the filter modulates the feature (modulation only); that of the gate controls
  whether it is expressed (expression only). The share in a title is of the training examples put in
  their class.

  Args:
    train: x [n, 2] and y [n] of each of the two clients.
    mlp: weights of the MLP by name, `layer/weight`.
    cgau: weights of the gated unit by name, for each client.

  Returns:
    The figure, two rows of four panels.

  Rieger et al. 2020, section 3.2 and appendix.
  """
  unit = GatedUnit.from_weights(cgau)
  decisions: dict[str, _Decide] = {
    'MLP, two hidden units': lambda x, client: mlp_probability(mlp, x),
    'CGAU, one unit': unit.probability,
    'CGAU, modulation only': functools.partial(unit.probability, condition_gate=False),
    'CGAU, expression only': functools.partial(unit.probability, condition_filter=False),
  }
  side = np.linspace(-_LIMIT, _LIMIT, _CELLS + 1)
  side = (side[:-1] + side[1:]) / 2  # Centres of cells, none on the border of the clients.
  x = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
  client = (x[:, 1] < 0).astype(int)

  figure = Figure(figsize=(10.8, 5.6))
  panels = figure.subplots(2, 4, sharex=True, sharey=True)
  for axes, (name, decide) in zip(panels[:, :2].flat, decisions.items(), strict=True):
    probability = decide(x, client)
    image = _draw_map(axes, probability, _SIGNED, (0, 1))
    _draw_boundary(axes, side, probability)
    axes.set_title(f'{name}: {_accuracy(decide, train):.1%}')
  _add_bar(figure, image, panels[:, :2], 'probability of class 1')
  for row, name, function, colours, limits in (
    (0, 'filter', unit.filter, _SIGNED, (-1, 1)),
    (1, 'gate', unit.gate, _OPEN, (0, 1)),
  ):
    for axes, conditioned in zip(panels[row, 2:], (False, True), strict=True):
      image = _draw_map(axes, function(x, client, conditioned=conditioned), colours, limits)
      axes.set_title(f'{name}, {"shifted by client" if conditioned else "no shift"}')
    _add_bar(figure, image, panels[row, 2:], name)

  for axes in panels.flat:
    _draw_examples(axes, train)
  for axes in panels[1]:
    axes.set_xlabel('x1')
  for axes in panels[:, 0]:
    axes.set_ylabel('x2')
  handles = panels[0, 0].get_legend_handles_labels()
  figure.legend(*handles, loc='outside lower center', ncols=len(handles[0]), markerscale=1.6)
  return figure


def _accuracy(decide: _Decide, train: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
  """Returns the share of the examples of both clients that are put in their class."""
  right = [(decide(x, np.full(len(x), client)) > 0.5) == y for client, (x, y) in enumerate(train)]
  return float(np.concatenate(right).mean())


def _draw_map(
  axes: Axes, values: np.ndarray, colours: LinearSegmentedColormap, limits: tuple[float, float]
) -> AxesImage:
  image = axes.imshow(
    values.reshape(_CELLS, _CELLS),
    origin='lower',
    extent=(-_LIMIT, _LIMIT, -_LIMIT, _LIMIT),
    cmap=colours,
    vmin=limits[0],
    vmax=limits[1],
  )
  axes.grid(False)
  axes.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1))
  axes.axhline(0, color=style.MUTED, linewidth=0.8)
  return image


def _add_bar(figure: Figure, image: AxesImage, panels: np.ndarray, label: str) -> None:
  bar = figure.colorbar(image, ax=list(panels.flat), pad=0.02, aspect=14 * panels.ndim)
  bar.set_label(label)
  bar.locator = MaxNLocator(4)
  bar.outline.set_visible(False)


def _draw_boundary(axes: Axes, side: np.ndarray, probability: np.ndarray) -> None:
  """Draws where both classes are as likely, for each client by itself."""
  values = probability.reshape(_CELLS, _CELLS)
  for rows in (slice(None, _CELLS // 2), slice(_CELLS // 2, None)):
    if values[rows].min() < 0.5 < values[rows].max():
      axes.contour(side, side[rows], values[rows], [0.5], colors=style.INK, linewidths=1.6)


def _draw_examples(axes: Axes, train: Sequence[tuple[np.ndarray, np.ndarray]]) -> None:
  x, y = (np.concatenate(parts) for parts in zip(*train, strict=True))
  for label, (colour, marker) in enumerate(zip(_CLASS_COLOURS, 'os', strict=True)):
    first, second = x[y == label].T
    axes.scatter(
      first,
      second,
      s=9,
      marker=marker,
      color=colour,
      edgecolors='white',
      linewidths=0.4,
      label=f'class {label}',
    )
  for height, name in ((1.84, 'client up'), (-1.84, 'client down')):
    axes.text(-1.92, height, name, ha='left', va='center', fontsize=7.5)


def _probability(hidden: np.ndarray, kernel: np.ndarray, bias: np.ndarray) -> np.ndarray:
  logits = hidden @ kernel + bias
  return _sigmoid(logits[:, 1] - logits[:, 0])


def _sigmoid(z: np.ndarray) -> np.ndarray:
  return 1 / (1 + np.exp(-z))
