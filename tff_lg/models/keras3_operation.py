"""Operations of Keras 3 between layers, such as x + y or keras.ops.relu(x), as legacy layers."""

import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf

# How Keras 3 names a tensor in what a node of a model is called with: layer, call and output.
History = tuple[str, int, int]


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class Keras3Operation(tf.keras.layers.Layer):
  """Calls an operation of Keras 3, which has no weights."""

  def __init__(self, operation: str, node: str, **options: Any) -> None:
    """Makes the layer.

    Args:
      operation: JSON, as the config of a model of Keras 3 has it.
      node: JSON, with what the operation is called.
      **options: of `tf.keras.layers.Layer`.
    """
    super().__init__(**options)
    self.operation, self.node = operation, node
    function, called_with = load(json.loads(operation)).call, json.loads(node)

    def compute(inputs: list[tf.Tensor]) -> Any:
      args, keywords = fill_node(called_with, tf.nest.flatten(inputs))
      return function(*args, **keywords)

    # It is no code of the user's, with loops on tensors.
    self._compute = tf.autograph.experimental.do_not_convert(compute)

  def call(self, inputs: list[tf.Tensor]) -> Any:
    """Returns what the operation gives for tensors, in the order of `histories` of its node."""
    return self._compute(inputs)

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer."""
    return {**super().get_config(), 'operation': self.operation, 'node': self.node}


def histories(value: Any) -> list[History]:
  """Returns the tensors that a call's serialised arguments name, each once, in their order."""
  if _is_tensor(value):
    return [tuple(value['config']['keras_history'])]
  values = value.values() if isinstance(value, dict) else value
  if not isinstance(value, dict | list | tuple):
    return []
  return list(dict.fromkeys(history for item in values for history in histories(item)))


def fill_node(node: Any, inputs: Sequence[tf.Tensor]) -> tuple[list[Any], dict[str, Any]]:
  """Returns the arguments of a call, by place and by name; `inputs` are as of `histories`."""
  tensors = dict(zip(histories(node), inputs, strict=True))
  return fill(node['args'], tensors), fill(node['kwargs'], tensors)


def fill(value: Any, tensors: Mapping[History, tf.Tensor]) -> Any:
  """Returns a call's arguments with tensors in the place of what names them."""
  if _is_tensor(value):
    return tensors[tuple(value['config']['keras_history'])]
  if isinstance(value, dict):
    if 'class_name' in value:
      return load(value)
    return {name: fill(item, tensors) for name, item in value.items()}
  if isinstance(value, list | tuple):
    return type(value)(fill(item, tensors) for item in value)
  return value


def import_keras3() -> Any:
  """Returns the package of Keras 3, which TensorFlow 2.16 or later brings."""
  return importlib.import_module('keras')


def load(value: Mapping[str, Any]) -> Any:
  """Returns what Keras 3 has serialised."""
  return import_keras3().saving.deserialize_keras_object(value)


def _is_tensor(value: Any) -> bool:
  return isinstance(value, dict) and value.get('class_name') == '__keras_tensor__'
