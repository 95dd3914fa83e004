"""Activations of Keras 3 that legacy Keras lacks or computes otherwise, such as hard_silu."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.models import keras3_operation

_PACKAGE = 'tff_lg'
_TOLERANCE = 1e-5


@functools.cache
def to_legacy(name: str) -> str | Callable[[tf.Tensor], tf.Tensor]:
  """Returns an activation for a layer of legacy Keras.

  `hard_sigmoid`, for one, is of another slope in each.

  Args:
    name: of the activation in Keras 3.

  Returns:
    The name if both compute the same, or the function of Keras 3. The function is registered with
    legacy Keras, so that its layer's config has it by name.
  """
  original = keras3_operation.import_keras3().activations.get(name)
  try:
    legacy = tf.keras.activations.get(name)
  except ValueError:
    legacy = None
  if legacy is not None and _agree(original, legacy):
    return name

  def activation(x: tf.Tensor) -> tf.Tensor:
    return original(x)

  # Legacy Keras writes a function's own name into a config.
  activation.__name__ = f'{_PACKAGE}>{name}'
  # It is no code of the user's, with loops on tensors.
  function = tf.autograph.experimental.do_not_convert(activation)
  return tf.keras.saving.register_keras_serializable(_PACKAGE, name)(function)


def _agree(original: Callable[[Any], Any], legacy: Callable[[Any], Any]) -> bool:
  x = np.linspace(-5, 5, 40, dtype=np.float32).reshape(10, 4)
  return np.allclose(original(x), legacy(tf.constant(x)), rtol=_TOLERANCE, atol=_TOLERANCE)
