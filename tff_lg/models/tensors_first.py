"""Operations of legacy functional models that have a number in the first place, such as 1 - x.

In a graph, as TFF's, Keras sees a layer's inputs in the first place of a call alone.
"""

import uuid
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.models import cloning, frozen, subclassed


def put(keras_model: tf.keras.Model) -> tf.keras.Model:
  """Returns a model whose layers are called with tensors in the first place.

  Args:
    keras_model: a sequential or functional model; it is returned where all of its layers are.
  """
  if not any(map(_has_other_first, keras_model._flatten_layers(include_self=False))):
    return keras_model
  return frozen.clone_with_weights(keras_model, _copy)


def _copy(layer: tf.keras.layers.Layer) -> tf.keras.layers.Layer:
  if subclassed.is_graph(layer):
    return cloning.clone(layer, _copy)
  if _has_other_first(layer):
    key, of = uuid.uuid4().hex, _Call(layer.function)
    _CALLS[key] = of
    return TensorsFirst(key, name=layer.name)
  return cloning.copy_layer(layer)


def _has_other_first(layer: tf.keras.layers.Layer) -> bool:
  if not hasattr(layer, 'function'):
    return False
  first = [tf.nest.flatten(node.call_args[:1]) for node in layer._inbound_nodes]
  return not all(values and all(map(_is_output, values)) for values in first)


def _is_output(value: Any) -> bool:
  """Returns whether a value is what a layer has given as a model is made."""
  return hasattr(value, '_keras_history')


def _as_tensor(value: Any) -> Any:
  return tf.convert_to_tensor(value) if isinstance(value, np.ndarray | float | int) else value


class _Call:
  """A function, and what fills in its arguments; None before the first call."""

  def __init__(self, function: Callable[..., Any]) -> None:
    self.function = function
    self.fill: Callable[[Any], Any] | None = None


# By the key that is in the config of layers; the model that has them keeps them.
_CALLS: weakref.WeakValueDictionary[str, _Call] = weakref.WeakValueDictionary()


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class TensorsFirst(tf.keras.layers.Layer):
  """Calls a function with what its first call has, and with other tensors."""

  def __init__(self, key: str, **options: Any) -> None:
    """Makes the layer of a call that this process has under a key."""
    super().__init__(**options)
    self.key, self._of = key, _CALLS[key]

  def __call__(self, *args: Any, **keywords: Any) -> Any:
    """Calls the layer, the first time with whatever arguments, later with tensors."""
    if self._of.fill is not None:
      return super().__call__(*args, **keywords)
    flat = tf.nest.flatten((args, keywords))
    places = [place for place, each in enumerate(flat) if _is_output(each)]

    def fill(tensors: Any) -> Any:
      filled = list(flat)
      for place, tensor in zip(places, tensors, strict=True):
        filled[place] = tensor
      return tf.nest.pack_sequence_as((args, keywords), filled)

    self._of.fill = fill
    return super().__call__([flat[place] for place in places])

  def call(self, tensors: Any) -> Any:
    """Returns what the function gives."""
    assert self._of.fill is not None
    (first, *others), keywords = self._of.fill(tf.nest.flatten(tensors))
    # As Keras does with inputs: operators take no numbers first.
    return self._of.function(tf.nest.map_structure(_as_tensor, first), *others, **keywords)

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer, in this process."""
    return {**super().get_config(), 'key': self.key}
