"""Subclassed models as graphs of their layers, each of which can be global or local."""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

_TOLERANCE = 1e-4


def to_graph(keras: Any, model: Any, input_shape: Sequence[int]) -> Any:
  """Returns a model that computes what a subclassed one does, with its weights.

  Args:
    keras: the module of the model's Keras: Keras 3, or legacy Keras.
    model: takes one float32 array of examples.
    input_shape: of an example.

  Returns:
    A functional model of the same layers, where `call` is a graph of layers and operations. The
    graph has to be the same in training. Otherwise, a sequential model in which all is one layer.

  Raises:
    ValueError: the model's call fails; one sentence.
  """
  try:
    whole = keras.Sequential([keras.Input(input_shape), model], name=f'{model.name}_as_layer')
  except Exception as error:  # Whatever a call of the user's raises.
    raise ValueError(
      f'model {model.name} cannot be called on examples of {list(input_shape)}: '
      f'{type(error).__name__}: {str(error).strip().splitlines()[0]}'
    ) from error
  # Weights and seeds of the model itself are none of its layers'.
  of_layers = {id(variable) for layer in model.layers for variable in layer.variables}
  if not of_layers.issuperset(map(id, model.variables)):
    return whole
  try:
    modes = (True, False, None)
    trained, evaluated, graph = (_trace(keras, model, input_shape, mode) for mode in modes)
  except Exception:  # Whatever a call of the user's raises that is given no array.
    return whole
  if not _structure(model, trained) == _structure(model, evaluated) == _structure(model, graph):
    return whole
  batch = np.random.default_rng(0).normal(size=(2, *input_shape)).astype(np.float32)
  (output, loss), (expected, expected_loss) = (_compute(each, batch) for each in (graph, model))
  # A loss that the model itself adds is none of its layers'.
  is_same = np.allclose(output, expected, rtol=_TOLERANCE, atol=_TOLERANCE)
  return graph if is_same and np.isclose(loss, expected_loss, rtol=_TOLERANCE) else whole


def built_shape(model: Any) -> tuple[int, ...]:
  """Returns the shape of an example, with which a subclassed model was built.

  Raises:
    ValueError: it was not, or with several inputs; one sentence.
  """
  shapes = list((getattr(model, '_build_shapes_dict', None) or {}).values())  # Of Keras 3.
  if (of_legacy := getattr(model, '_build_input_shape', None)) is not None:
    shapes = [tuple(of_legacy)]
  if len(shapes) != 1 or not all(isinstance(size, int) for size in shapes[0][1:]):
    raise ValueError(
      f'model {model.name} is subclassed and was not built with one input: call it on a batch '
      'first.'
    )
  return tuple(shapes[0][1:])


def _trace(keras: Any, model: Any, input_shape: Sequence[int], training: bool | None) -> Any:
  """Returns the functional model of a call; layers hear of training later where it is None."""
  inputs = keras.Input(input_shape)
  takes_training = 'training' in inspect.signature(model.call).parameters
  options = {'training': training} if takes_training else {}
  return keras.Model(inputs, model.call(inputs, **options), name=model.name)


def _structure(model: Any, graph: Any) -> list[Any]:
  """Returns a model's layers in a graph, and the kinds of its other operations, in their order."""
  layers = set(map(id, model.layers))
  return [
    id(operation) if id(operation) in layers else type(operation).__name__
    for operation in getattr(graph, 'operations', graph.layers)
  ]


def _compute(model: Any, batch: np.ndarray) -> tuple[np.ndarray, float]:
  """Returns the output for a batch, and the sum of what layers add to the loss."""
  output = np.asarray(model(batch, training=False))
  return output, float(sum(map(float, model.losses)))
