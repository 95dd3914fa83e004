"""Random numbers of Keras's own layers, drawn from the key of the training step.

Dropout in recurrent layers and in attention, noise, and augmentation draw from a generator of their
layer. It counts its draws, and clients that run at the same time share the count, as
`StatelessDropout` says. Here, the n-th draw of a network that is traced follows from the step's key
and n.
"""

import contextlib
import contextvars
import functools
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from tff_lg.models import dropout

_KEYS: contextvars.ContextVar[Iterator[tf.Tensor] | None] = contextvars.ContextVar(
  '_KEYS', default=None
)


@contextlib.contextmanager
def draw_from(key: tf.Tensor | None) -> Iterator[None]:
  """Lets layers that are made and called draw from a key.

  Args:
    key: int64 [2]; None for what layers draw from otherwise.
  """
  # Dropout layers fold in their seeds, which are not negative.
  keys = None if key is None else (dropout.fold_in(key, -n) for n in itertools.count(1))
  token = _KEYS.set(keys)
  try:
    yield
  finally:
    _KEYS.reset(token)


class _KeyedGenerator:
  """A generator with the methods of `tf.random.Generator` that Keras calls."""

  def __init__(self, keys: Iterator[tf.Tensor]) -> None:
    self._keys = keys

  def make_seeds(self, count: int = 1) -> tf.Tensor:
    """Returns int64 [2, count]."""
    return tf.stack([next(self._keys) for _ in range(count)], axis=1)

  def uniform(self, shape: Any, **options: Any) -> tf.Tensor:
    """Returns a tensor of the shape."""
    return tf.random.stateless_uniform(shape, next(self._keys), **options)

  def normal(self, shape: Any, **options: Any) -> tf.Tensor:
    """Returns a tensor of the shape."""
    return tf.random.stateless_normal(shape, next(self._keys), **options)

  def truncated_normal(self, shape: Any, **options: Any) -> tf.Tensor:
    """Returns a tensor of the shape."""
    return tf.random.stateless_truncated_normal(shape, next(self._keys), **options)


def _keyed(first_use: Callable[[Any], None]) -> Callable[[Any], None]:
  """Returns what a generator of Keras does before each use: it takes keys where there are some."""

  @functools.wraps(first_use)
  def maybe_init(generator: Any) -> None:
    keys = _KEYS.get()
    if keys is None:
      first_use(generator)
      if not tf.compat.v1.executing_eagerly_outside_functions() and generator._seed is None:
        # TFF copies a model into a graph of its own, where nothing is drawn. Deterministic
        # operations refuse to be there without a seed.
        generator._seed = 0
      return
    generator._rng_type, generator._built = generator.RNG_STATEFUL, True
    generator._generator = _KeyedGenerator(keys)

  return maybe_init


# Some layers make others when they are called first, so that there is no other place to reach all.
_Generator = sys.modules[tf.keras.layers.Dropout.__module__].backend.RandomGenerator
_Generator._maybe_init = _keyed(_Generator._maybe_init)
