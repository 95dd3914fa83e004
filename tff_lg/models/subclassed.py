"""Subclassed models as graphs of their layers, each of which can be global or local."""

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

import numpy as np
import tensorflow as tf

from tff_lg import errors
from tff_lg.models import trial

# Of an example, or of each of its inputs by name.
InputShape = Sequence[int] | Mapping[str, Sequence[int]]


def is_kind(model: Any, kind: str) -> bool:
  """Returns whether a model is of a class of Keras; Keras 3 may not be imported here."""
  return any(
    base.__name__ == kind and base.__module__.startswith(('keras.', 'tf_keras.'))
    for base in type(model).__mro__
  )


def is_graph(layer: Any) -> bool:
  """Returns whether a layer is a model whose layers Keras knows: sequential or functional."""
  return is_kind(layer, 'Sequential') or is_kind(layer, 'Functional')


def has_subclassed(keras: Any, model: Any) -> bool:
  """Returns whether a model is subclassed, or is a graph of one input with such a layer."""
  if _is_subclassed(keras, model):
    return True
  if not getattr(model, 'built', False) or len(model.inputs) != 1:
    return False
  return any(_is_subclassed(keras, layer) for layer in model.layers)


def to_graph(keras: Any, model: Any, input_shape: InputShape) -> Any:
  """Returns a model that computes the same with the same weights, a graph of layers.

  Subclassed models among the layers are not layers of the graph, but theirs are.

  Args:
    keras: the module of the model's Keras: Keras 3, or legacy Keras.
    model: takes one float32 array of examples, or a dict of several.
    input_shape: of an example; of several inputs by name.

  Returns:
    A functional model of the same layers, where each `call` is a graph of layers and operations.
    The graph has to be the same in training. Otherwise, the model, or one in which it is one layer.

  Raises:
    ValueError: the model's call fails; one sentence.
  """
  whole = _as_layer(keras, model, input_shape) if _is_subclassed(keras, model) else model
  layers = list(_layers(keras, model))
  # Weights and seeds of a subclassed model itself are none of its layers'.
  of_layers = {id(variable) for layer in layers for variable in layer.variables}
  if not of_layers.issuperset(map(id, model.variables)):
    return whole
  try:
    graphs = [_trace(keras, model, input_shape, mode) for mode in (True, False, None)]
  except Exception:  # Whatever a call of the user's raises that is given no array.
    return whole
  graph = graphs[-1]
  if not _hears_of_training(keras, [_calls(layers, each) for each in graphs]):
    return whole
  batch = _map(lambda shape, place: trial.draw(shape, seed=place), input_shape)
  outputs = (_compute(each, batch) for each in (graph, model))
  return graph if all(trial.agree(*pair) for pair in zip(*outputs, strict=True)) else whole


def find_shape(model: Any, input_shape: InputShape | None) -> InputShape:
  """Returns the shape that a model takes.

  Args:
    model: of any Keras.
    input_shape: of an example, if it is known. Several inputs by name count where the model was not
      built with one.

  Raises:
    ValueError: it is not known, and the model was not built with one input; one sentence.
  """
  if input_shape is not None and not isinstance(input_shape, Mapping):
    return input_shape
  if getattr(model, 'inputs', None):  # A graph.
    return tuple(model.inputs[0].shape[1:])
  shapes = list((getattr(model, '_build_shapes_dict', None) or {}).values())  # Of Keras 3.
  if (of_legacy := getattr(model, '_build_input_shape', None)) is not None:
    shapes = [of_legacy]
  if len(shapes) == 1 and not isinstance(shapes[0], Mapping):
    shape = tuple(shapes[0])[1:]
    if all(isinstance(size, int) for size in shape):
      return shape
  if input_shape is None:
    raise ValueError(
      f'model {model.name} is subclassed and was not built with one input: call it on a batch '
      'first.'
    )
  return input_shape


def _map(function: Callable[[Sequence[int], int], Any], shape: InputShape) -> Any:
  """Returns what a function makes of a shape and its place; of several, a dict by name."""
  if not isinstance(shape, Mapping):
    return function(shape, 0)
  return {name: function(each, place) for place, (name, each) in enumerate(shape.items())}


def _inputs(keras: Any, shape: InputShape) -> Any:
  if not isinstance(shape, Mapping):
    return keras.Input(shape)
  return {name: keras.Input(each, name=name) for name, each in shape.items()}


def _is_subclassed(keras: Any, layer: Any) -> bool:
  """Returns whether a layer is a subclassed model, or has to be treated as one."""
  if isinstance(layer, keras.Model):
    return not is_graph(layer)
  is_legacy = isinstance(layer, tf.keras.layers.Layer)
  return is_legacy and _is_own(layer) and hides_parts(layer)


def _is_own(layer: Any) -> bool:
  return type(layer).__module__.partition('.')[0] not in ('keras', 'tf_keras', 'tff_lg')


def hides_parts(layer: tf.keras.layers.Layer) -> bool:
  """Returns whether a layer of legacy Keras has within what only a layer of a graph can be.

  These are batch normalisation, and frozen layers that a layer of a user's own makes.
  """
  if has_batch_norm_within(layer):
    return True
  parts = layer._flatten_layers(include_self=False)
  return _is_own(layer) and layer.trainable and not all(part.trainable for part in parts)


def has_batch_norm_within(layer: Any) -> bool:
  """Returns whether a layer of any Keras has batch normalisation among the layers in it."""
  parts = layer._flatten_layers(include_self=False)
  return any(is_kind(part, 'BatchNormalization') for part in parts)


def _parts(layer: Any) -> Iterator[Any]:
  """Yields the layers in a model or layer, without those in them."""
  return layer._flatten_layers(include_self=False, recursive=False)


def _layers(keras: Any, model: Any) -> Iterator[Any]:
  """Yields the layers of a model, and those of subclassed models among them."""
  for layer in _parts(model):
    yield from _layers(keras, layer) if _is_subclassed(keras, layer) else (layer,)


def _as_layer(keras: Any, model: Any, input_shape: InputShape) -> Any:
  """Returns a model in which a model is the only layer; both are built."""
  name = f'{model.name}_as_layer'
  try:
    if not isinstance(input_shape, Mapping):
      return keras.Sequential([keras.Input(input_shape), model], name=name)
    inputs = _inputs(keras, input_shape)
    return keras.Model(inputs, model(inputs), name=name)
  except Exception as error:  # Whatever a call of the user's raises.
    shape = dict(input_shape) if isinstance(input_shape, Mapping) else list(input_shape)
    raise ValueError(
      f'model {model.name} cannot be called on examples of {shape}: {errors.describe(error)}'
    ) from error


def _trace(keras: Any, model: Any, input_shape: InputShape, training: bool | None) -> Any:
  """Returns the functional model of a call; layers hear of training later where it is None."""
  found = []

  def call(inputs: Any) -> None:
    with contextlib.ExitStack() as stack:
      for kind in set(_subclasses(keras, model)):
        stack.enter_context(mock.patch.object(kind, 'add_loss', _refuse_loss))
        stack.enter_context(mock.patch.object(kind, '__call__', _call_part(training)))
      found.append(model.call(inputs, **_options(model, training)))

  inputs = _inputs(keras, input_shape)
  if _is_keras3(keras):
    _call_in_layer(keras, call, inputs, training)
  else:
    call(inputs)
  return keras.Model(inputs, found[0], name=model.name)


def _is_keras3(keras: Any) -> bool:
  return hasattr(keras, 'ops')


def _call_in_layer(
  keras: Any, call: Callable[[Any], None], inputs: Any, training: bool | None
) -> None:
  """Calls a function within a layer of Keras 3, from which layers hear whether it is training."""

  class Caller(keras.layers.Layer):
    def call(self, inputs: Any, training: bool | None = None) -> Any:
      del training
      return inputs

    def compute_output_spec(self, inputs: Any, training: bool | None = None) -> Any:
      del training
      call(inputs)
      return keras.KerasTensor((None,))

  Caller()(inputs, training=training)


def _subclasses(keras: Any, model: Any) -> Iterator[type]:
  """Yields the classes of subclassed models: a model, those among its layers, and among theirs."""
  if _is_subclassed(keras, model):
    yield type(model)
  for layer in _parts(model):
    if _is_subclassed(keras, layer):
      yield from _subclasses(keras, layer)


def _refuse_loss(model: Any, *args: Any, **keywords: Any) -> None:
  """Refuses what a subclassed model itself adds to the loss, which is none of its layers'."""
  del args, keywords
  raise ValueError(f'model {model.name} adds to the loss.')


def _call_part(training: bool | None) -> Callable[..., Any]:
  """Returns a `__call__` of models that gives what their `call` does, and no node of a graph."""

  def call(model: Any, *args: Any, training: bool | None = training, **keywords: Any) -> Any:
    return model.call(*args, **keywords, **_options(model, training))

  return call


def _options(model: Any, training: bool | None) -> dict[str, Any]:
  takes_training = 'training' in inspect.signature(model.call).parameters
  return {'training': training} if takes_training else {}


def _hears_of_training(keras: Any, calls: Sequence[Sequence[tuple[Any, bool | None]]]) -> bool:
  """Returns whether calls are the same in training, in evaluation and in a graph for both.

  Calls that differ in what they are told are left to whoever calls the graph. Others have to be
  told nothing in Keras 3, whose graphs tell all layers the same.
  """
  if len(set(map(len, calls))) > 1:
    return False
  for same in zip(*calls, strict=True):
    if len({operation for operation, _ in same}) > 1:
      return False
    in_training, in_evaluation, in_graph = (said for _, said in same)
    left = in_training != in_evaluation
    if _is_keras3(keras):
      if not left and in_training is not None:
        return False
    elif in_graph != (None if left else in_training):
      return False
  return True


def _calls(layers: Sequence[Any], graph: Any) -> list[tuple[Any, bool | None]]:
  """Returns each call of a graph: what it is a call of, with which constants, and `training`."""
  known = set(map(id, layers))
  found = []
  for _, nodes in sorted(graph._nodes_by_depth.items()):
    for node in nodes:
      operation = node.layer if hasattr(node, 'layer') else node.operation
      args, keywords = (
        (node.call_args, dict(node.call_kwargs))
        if hasattr(node, 'call_kwargs')
        else (node.arguments.args, dict(node.arguments.kwargs))
      )
      told = keywords.pop('training', None)
      flat = tf.nest.flatten((args, keywords))
      constants = [repr(each) for each in flat if not hasattr(each, '_keras_history')]
      name = id(operation) if id(operation) in known else type(operation).__name__
      found.append(((name, *constants), told))
  return found


def _compute(model: Any, batch: Any) -> tuple[np.ndarray, float]:
  """Returns the output for a batch, and the sum of what layers add to the loss."""
  output = np.asarray(model(batch, training=False))
  return output, float(sum(map(float, model.losses)))
