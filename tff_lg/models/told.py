"""Channels from layers to whoever traces a step of training, beside the outputs.

A functional model takes its weights as inputs, cannot assign to them, and returns its output alone.
"""

import contextlib
import contextvars
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

import tensorflow as tf

_Thing = TypeVar('_Thing')


class Told(Generic[_Thing]):
  """Things of one kind, for whoever collects them while networks are called in training."""

  def __init__(self, name: str) -> None:
    """Initialises the kind, of this name."""
    self._found: contextvars.ContextVar[list[_Thing] | None] = contextvars.ContextVar(
      name, default=None
    )

  @contextlib.contextmanager
  def collect(self) -> Iterator[list[_Thing]]:
    """Yields the list that is filled as things are told."""
    found: list[_Thing] = []
    token = self._found.set(found)
    try:
      yield found
    finally:
      self._found.reset(token)

  def so_far(self) -> Sequence[_Thing]:
    """Returns what has been told to whoever collects now; nothing if nobody does."""
    return tuple(self._found.get() or ())

  def tell(self, thing: _Thing) -> None:
    """Adds a thing to the list; does nothing if nobody collects."""
    found = self._found.get()
    if found is not None:
      found.append(thing)


# Of a weight that a step sets, the tensor that went into the network, and its next value. This is
# None where a layer is told that it does not train.
Statistic = tuple[tf.Tensor, tf.Tensor | None]
STATISTICS = Told[Statistic]('STATISTICS')
# Scalars that objectives add to the loss: of regularisers and of `add_loss`.
LOSSES = Told[tf.Tensor]('LOSSES')


def tell_statistic(weight: tf.Tensor, value: tf.Tensor | None) -> None:
  """Tells what a weight of a layer is after a batch; no gradient goes through it.

  Args:
    weight: as the layer has it.
    value: the next one; None if the layer was used and leaves the weight as it is.
  """
  STATISTICS.tell((weight, None if value is None else tf.stop_gradient(value)))


def next_statistics(found: Sequence[Statistic]) -> dict[int, tf.Tensor]:
  """Returns what was told last of each weight, by its id; the weight itself if nothing moves it."""
  following: dict[int, tf.Tensor] = {}
  for weight, value in found:
    if value is not None or id(weight) not in following:
      following[id(weight)] = weight if value is None else value
  return following


def latest_statistic(weight: tf.Tensor) -> tf.Tensor:
  """Returns what a weight is after the calls of its layer so far in this step, as in Keras."""
  return next_statistics(STATISTICS.so_far()).get(id(weight), weight)
