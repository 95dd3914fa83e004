"""Channels from layers to whoever traces a step of training, beside the outputs.

A functional model takes its weights as inputs, cannot assign to them, and returns its output alone.
"""

import contextlib
import contextvars
from collections.abc import Iterator
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

  def tell(self, thing: _Thing) -> None:
    """Adds a thing to the list; does nothing if nobody collects."""
    found = self._found.get()
    if found is not None:
      found.append(thing)


# Of a weight that a step sets, the tensor that went into the network, and its next value.
Statistic = tuple[tf.Tensor, tf.Tensor]
STATISTICS = Told[Statistic]('STATISTICS')
# Scalars that objectives add to the loss: of regularisers and of `add_loss`.
LOSSES = Told[tf.Tensor]('LOSSES')


def tell_statistic(weight: tf.Tensor, value: tf.Tensor) -> None:
  """Tells what a weight of a layer is after a batch; no gradient goes through it."""
  STATISTICS.tell((weight, tf.stop_gradient(value)))
