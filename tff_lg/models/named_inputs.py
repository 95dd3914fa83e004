"""Networks with several named inputs, which come joined as the columns of one array."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow as tf

from tff_lg.models import keras3

_JOINED = 'joined_inputs'


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class TakeInput(tf.keras.layers.Layer):
  """Takes the columns of one input from the joined ones."""

  def __init__(
    self, start: int, shape: tuple[int, ...], input_dtype: str = 'float32', **options: Any
  ) -> None:
    """Makes the layer.

    Args:
      start: the first column of the input.
      shape: of one example of the input.
      input_dtype: that the network takes, a number's or bool.
      **options: of `tf.keras.layers.Layer`.
    """
    super().__init__(**options)
    self.start, self.shape, self.input_dtype = start, tuple(shape), input_dtype

  def call(self, inputs: tf.Tensor) -> tf.Tensor:
    """Returns [batch, *shape] of float32 [batch, num_columns]."""
    columns = inputs[:, self.start : self.start + math.prod(self.shape)]
    return tf.cast(tf.reshape(columns, [-1, *self.shape]), self.input_dtype)

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer."""
    own = {'start': self.start, 'shape': self.shape, 'input_dtype': self.input_dtype}
    return {**super().get_config(), **own}


def join_inputs(keras_model: Any, inputs: Mapping[str, tuple[int, ...]]) -> tf.keras.Model:
  """Returns a network that takes several inputs as the columns of one array, float32 [batch, d].

  Args:
    keras_model: of any Keras. A functional model has these inputs by the names of its `Input`. A
      subclassed one takes a dict of them.
    inputs: the shape of each input of an example by its name, in the order of the columns, as
      `inputs` of the data.

  Returns:
    A functional model of legacy Keras with the layers and the weights of the given one.

  Raises:
    ValueError: the model has other inputs, or one of another shape, or `keras3.to_legacy` does not
      take it; one sentence.
  """
  keras_model = keras3.to_legacy(keras_model, inputs)
  for sentence in faults(keras_model, inputs):
    raise ValueError(f'model {keras_model.name} {sentence}')
  found = dict(zip(keras_model.input_names, keras_model.inputs, strict=True))
  sizes = [math.prod(shape) for shape in inputs.values()]
  joined = tf.keras.Input((sum(sizes),), name=_JOINED)
  parts, start = {}, 0
  for (name, shape), size in zip(inputs.items(), sizes, strict=True):
    parts[name] = TakeInput(start, shape, found[name].dtype.name, name=name)(joined)
    start += size
  # Calls layer by layer, so that the network has them and not one model within another.
  outputs = keras_model.call([parts[name] for name in found])
  return tf.keras.Model(joined, outputs, name=keras_model.name)


def separate_inputs(keras_model: tf.keras.Model) -> tf.keras.Model:
  """Returns the network with its named inputs, of one of `join_inputs`; others unchanged."""
  taken = [layer for layer in keras_model.layers if isinstance(layer, TakeInput)]
  if not taken:
    return keras_model
  inputs = {
    layer.name: tf.keras.Input(layer.shape, name=layer.name, dtype=layer.input_dtype)
    for layer in taken
  }
  body = tf.keras.Model([layer.output for layer in taken], keras_model.outputs[0])
  return tf.keras.Model(inputs, body.call(list(inputs.values())), name=keras_model.name)


def faults(keras_model: tf.keras.Model, inputs: Mapping[str, tuple[int, ...]]) -> Iterator[str]:
  """Yields the faults of a model of several inputs, each half a sentence, see `join_inputs`."""
  found = dict(zip(keras_model.input_names, keras_model.inputs, strict=True))
  if found.keys() != inputs.keys():
    expected = ', '.join(inputs) or 'one input'
    yield f'takes the inputs {", ".join(found)}, but an example has {expected}.'
    return
  for name, shape in inputs.items():
    taken = tuple(found[name].shape[1:])
    if not fits(taken, shape):
      yield f'takes the input {name} as {list(taken)}, but an example has {list(shape)}.'


def fits(taken: tuple[int | None, ...], shape: tuple[int, ...]) -> bool:
  """Returns whether a network that takes a shape, None for any size, takes this one."""
  return len(taken) == len(shape) and all(
    size in (None, wanted) for size, wanted in zip(taken, shape, strict=True)
  )
