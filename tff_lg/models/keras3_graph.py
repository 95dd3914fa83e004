"""Subclassed models of Keras 3 as graphs of their layers, each of which can be global or local."""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from tff_lg.models import keras3_operation

_TOLERANCE = 1e-4


def of_subclass(model: Any, input_shape: Sequence[int]) -> Any:
  """Returns a Keras 3 model that computes what a subclassed one does, with its weights.

  Args:
    model: takes one float32 array of examples.
    input_shape: of an example.

  Returns:
    A functional model of the same layers, where `call` is a graph of layers and operations. The
    graph has to be the same in training. Otherwise, a sequential model in which all is one layer.
  """
  keras = keras3_operation.import_keras3()
  whole = keras.Sequential([keras.Input(input_shape), model], name=f'{model.name}_as_layer')
  try:
    trained, evaluated, graph = (_trace(model, input_shape, mode) for mode in (True, False, None))
  except Exception:  # Whatever a call of the user's raises, such as of functions of TensorFlow.
    return whole
  if _structure(trained) != _structure(evaluated) or _structure(trained) != _structure(graph):
    return whole
  # Weights, seeds and losses of the model itself are none of its layers'.
  of_layers = {id(variable) for layer in model.layers for variable in layer.variables}
  if not of_layers.issuperset(map(id, model.variables)):
    return whole
  batch = np.random.default_rng(0).normal(size=(2, *input_shape)).astype(np.float32)
  with keras.StatelessScope(collect_losses=True) as scope:
    model(batch, training=True)
  if any(layer is model for layer, _ in scope.losses):
    return whole
  is_same = np.allclose(graph(batch), model(batch), rtol=_TOLERANCE, atol=_TOLERANCE)
  return graph if is_same else whole


def built_shape(model: Any) -> tuple[int, ...]:
  """Returns the shape of an example, with which a subclassed model of Keras 3 was built.

  Raises:
    ValueError: it was not, or with several inputs; one sentence.
  """
  shapes = list((getattr(model, '_build_shapes_dict', None) or {}).values())
  if len(shapes) != 1 or not all(isinstance(size, int) for size in shapes[0][1:]):
    raise ValueError(
      f'model {model.name} is a subclass of Keras 3 that was not built with one input: call it on '
      'a batch first.'
    )
  return tuple(shapes[0][1:])


def _trace(model: Any, input_shape: Sequence[int], training: bool | None) -> Any:
  """Returns the functional model of a call; layers hear of training later where it is None."""
  keras = keras3_operation.import_keras3()
  inputs = keras.Input(input_shape)
  takes_training = 'training' in inspect.signature(model.call).parameters
  options = {'training': training} if takes_training else {}
  return keras.Model(inputs, model.call(inputs, **options), name=model.name)


def _structure(graph: Any) -> list[Any]:
  """Returns the layers of a graph, and the kinds of its other operations, in their order."""
  layer_kind = keras3_operation.import_keras3().layers.Layer
  return [
    id(operation)
    if isinstance(operation, layer_kind) and operation.variables
    else type(operation).__name__
    for operation in graph.operations
  ]
