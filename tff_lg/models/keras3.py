"""Models of Keras 3 as models of legacy Keras, which TFF is made for."""

import contextlib
import functools
import inspect
import json
import warnings
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg import errors
from tff_lg.models import cloning, frozen, keras3_layer, keras3_operation, subclassed, trial

# What every layer takes.
_COMMON = ('name', 'trainable', 'dtype')
# What a layer of legacy Keras without the option does.
_FORMAT = ('data_format', 'channels_last')
# Options that legacy Keras calls otherwise, by the class of the layer.
_RENAMED = {('LeakyReLU', 'negative_slope'): 'alpha'}
# A batch on which a model and its copy have to agree.
# Returns what `keras3_layer.find_assigned` does, of the whole model.
_Assigned = Callable[[], Collection[int]]


def is_keras3(thing: Any) -> bool:
  """Returns whether a model, a layer or a metric is of Keras 3 and not of legacy Keras."""
  legacy = (tf.keras.Model, tf.keras.layers.Layer, tf.keras.metrics.Metric)
  modules = {base.__module__.partition('.')[0] for base in type(thing).__mro__}
  return not isinstance(thing, legacy) and 'keras' in modules


def to_legacy(model: Any, input_shape: subclassed.InputShape | None = None) -> tf.keras.Model:
  """Returns a model in legacy Keras, a graph of layers with the weights of a model of any Keras.

  Args:
    model: built. A graph of layers in legacy Keras is returned as it is. Layers of Keras 3 without
      a counterpart, such as a user's own, become `Keras3Layer`. Subclassed models become parts of a
      graph by `subclassed.to_graph`.
    input_shape: of an example, for a subclassed model; that which it was built with by default.
      Several inputs have theirs by name.

  Raises:
    ValueError: the model is not built, has constraints or weights that are not float32, or computes
      something else than the copy. Or it is subclassed and was not built. One sentence.
  """
  return with_legacy(model, input_shape)[1]


def with_legacy(
  model: Any, input_shape: subclassed.InputShape | None = None
) -> tuple[Any, tf.keras.Model]:
  """Returns what `to_legacy` does, after a model of the same Keras as the one given.

  This has the variables of the one given, in the order of those of the other.
  """
  keras = keras3_operation.import_keras3() if is_keras3(model) else tf.keras
  if isinstance(model, tf.keras.Model):
    cloning.restore_classes(model)
  if subclassed.has_subclassed(keras, model):
    model = subclassed.to_graph(keras, model, subclassed.find_shape(model, input_shape))
    if keras is tf.keras and not subclassed.has_subclassed(keras, model):
      _refuse(model, cloning.faults(model))
      # Names of weights begin with those of layers in the copy, else with the subclassed model's.
      return model, frozen.clone_with_weights(model)
  if keras is tf.keras:
    return model, model
  _refuse(model, cloning.constraints(model))
  with warnings.catch_warnings():
    # Functions are called as they are; what Keras makes of their code is not used.
    warnings.filterwarnings('ignore', message='The object being serialized includes a `lambda`')
    copy = _copy_model(model, functools.cache(lambda: _find_assigned(model)))
  weights = model.get_weights()
  if [w.shape for w in weights] != [w.shape for w in copy.get_weights()]:
    raise ValueError(f'model {model.name}: its weights and those of its legacy copy differ.')
  frozen.set_weights(copy, weights)
  _check_agreement(model, copy)
  return model, copy


def _refuse(model: Any, faults: Iterable[str]) -> None:
  for fault in faults:
    raise ValueError(f'model {model.name} {fault}')


def _copy_model(model: Any, assigned: _Assigned) -> tf.keras.Model:
  """Returns a copy without the weights of a model, or of a model within another."""
  if not model.built:
    raise ValueError(f'model {model.name} is not built: give it an Input.')
  is_sequential = subclassed.is_kind(model, 'Sequential')
  return (_copy_sequential if is_sequential else _copy_functional)(model, assigned)


def _copy_sequential(model: Any, assigned: _Assigned) -> tf.keras.Model:
  layers = [_input(tensor) for tensor in model.inputs]
  for layer in model.layers:
    layers.append(_copy_layer(layer, assigned)(layers[-1]))
  return tf.keras.Model(layers[0], layers[-1], name=model.name)


def _copy_functional(model: Any, assigned: _Assigned) -> tf.keras.Model:
  """Calls copies of the layers as the graph of the original does."""
  try:
    config = model.get_config()
  except NotImplementedError as error:  # Of an own layer with arguments that are no numbers.
    reason = errors.first_line(error)
    raise ValueError(f'model {model.name} has a layer without get_config: {reason}') from error
  copies = {
    layer.name: _copy_layer(layer, assigned)
    for layer in model.layers
    if type(layer).__name__ != 'InputLayer'
  }
  configs = {layer['name']: layer for layer in config['layers']}
  # By layer, number of the call, and number of the output.
  tensors = {
    (name, 0, 0): _input(tensor, name)
    for tensor in model.inputs
    for name in [tensor._keras_history.operation.name]
  }
  calls = [
    (layer['name'], number, node)
    for layer in config['layers']
    for number, node in enumerate(layer['inbound_nodes'])
  ]
  while calls:
    waiting = []
    for name, number, node in calls:
      needed = keras3_operation.histories(node)
      if not all(history in tensors for history in needed):
        waiting.append((name, number, node))
        continue
      given = [tensors[history] for history in needed]
      # The model's own call overrules it, in Keras 3.
      node['kwargs'].pop('training', None)
      if name not in copies:
        operation, called_with = json.dumps(configs[name]), json.dumps(node)
        call = keras3_operation.Keras3Operation(operation, called_with, name=name)
        outputs = tf.nest.flatten(call(given))
      elif isinstance(copies[name], keras3_layer.Keras3Layer):
        outputs = tf.nest.flatten(copies[name](given, node=json.dumps(node)))
      else:
        keywords = keras3_operation.fill(node['kwargs'], tensors)
        keywords = {name: value for name, value in keywords.items() if value is not None}
        arguments = keras3_operation.fill(node['args'], tensors)
        outputs = tf.nest.flatten(copies[name](*arguments, **keywords))
      tensors |= {(name, number, index): output for index, output in enumerate(outputs)}
    if len(waiting) == len(calls):
      raise ValueError(f'model {model.name}: its graph has a cycle or a missing input.')
    calls = waiting
  inputs = [tensors[tensor._keras_history.operation.name, 0, 0] for tensor in model.inputs]
  # By their numbers in this model; layers may have been called in others, too.
  outputs = [tensors[key] for key in _keys(config['output_layers'])]
  return tf.keras.Model(
    inputs[0] if len(inputs) == 1 else inputs,
    outputs[0] if len(outputs) == 1 else outputs,
    name=model.name,
  )


def _input(tensor: Any, name: str | None = None) -> tf.Tensor:
  return tf.keras.Input(tuple(tensor.shape[1:]), dtype=tensor.dtype, name=name)


def _keys(places: Any) -> list[tuple[str, int, int]]:
  """Returns the tensors of a config's nested lists, as `_copy_functional` names them."""
  if isinstance(places, dict):
    places = list(places.values())
  if places and isinstance(places[0], str):
    return [tuple(places)]
  return [key for place in places for key in _keys(place)]


def _copy_layer(layer: Any, assigned: _Assigned) -> tf.keras.layers.Layer:
  """Returns the counterpart of a layer in legacy Keras, or a layer that calls it."""
  if subclassed.is_graph(layer):
    return _copy_model(layer, assigned)
  kind = type(layer).__name__
  is_own = type(layer).__module__.partition('.')[0] != 'keras'
  # The config of a Lambda has no function that legacy Keras could call.
  legacy = None if is_own or kind == 'Lambda' else getattr(tf.keras.layers, kind, None)
  if subclassed.has_batch_norm_within(layer):  # Legacy Keras would keep its statistics as a state.
    legacy = None
  if legacy is not None:
    with contextlib.suppress(TypeError, ValueError):  # It lacks an option.
      config = _legacy_options(layer.name, type(layer), legacy, layer.get_config())
      # The config of a wrapper has another layer.
      return legacy.from_config(config) if 'layer' in config else legacy(**config)
  return keras3_layer.wrap(layer, assigned())


def _find_assigned(model: Any) -> set[int]:
  return keras3_layer.find_assigned(model, _trial_inputs(model)[0])


def _legacy_options(name: str, kind: Any, legacy: Any, config: dict[str, Any]) -> dict[str, Any]:
  """Returns a layer's config without entries of Keras 3; refuses what legacy Keras cannot do."""
  known = {*_COMMON, *inspect.signature(legacy.__init__).parameters}
  # Options that are off, or as they are by default, ask for nothing.
  parameters = inspect.signature(kind.__init__).parameters
  defaults = {option: parameter.default for option, parameter in parameters.items()}
  options = {}
  for given, value in config.items():
    option = _RENAMED.get((legacy.__name__, given), given)
    # Initialisers have done their work; they are where options differ most.
    if option.endswith('_initializer'):
      continue
    if option.endswith('activation') and isinstance(value, str) and not _has_activation(value):
      raise ValueError(f'layer {name}: legacy Keras has no activation {value} that is the same.')
    if option in known:
      options[option] = _plain(name, value)
    elif (option, value) != _FORMAT and value not in (None, False, defaults.get(option)):
      raise ValueError(
        f'layer {name} of Keras 3 has {option}={value}, which a {legacy.__name__} of legacy Keras '
        'does not have.'
      )
  return options


@functools.cache
def _has_activation(name: str) -> bool:
  """Returns whether legacy Keras computes the activation of a name as Keras 3 does."""
  try:
    legacy = tf.keras.activations.get(name)
  except ValueError:
    return False
  x = np.linspace(-5, 5, 40, dtype=np.float32).reshape(10, 4)
  original = keras3_operation.import_keras3().activations.get(name)
  return trial.agree(original(x), legacy(tf.constant(x)))


def _plain(name: str, value: Any) -> Any:
  """Returns a config's value without types as objects, and with legacy options of inner layers."""
  if isinstance(value, dict):
    if value.get('class_name') == 'DTypePolicy':
      return value['config']['name']
    if value.get('module') == 'keras.regularizers':
      return {'class_name': value['class_name'], 'config': value['config']}
    if value.get('module') == 'keras.layers':
      both = (keras3_operation.import_keras3(), tf.keras)
      kind, legacy = (getattr(keras.layers, value['class_name']) for keras in both)
      config = _legacy_options(name, kind, legacy, value['config'])
      return {'class_name': value['class_name'], 'config': config}
    return {key: _plain(name, item) for key, item in value.items() if key != 'build_config'}
  if isinstance(value, (list, tuple)):
    return type(value)(_plain(name, item) for item in value)
  return value


def _trial_inputs(model: Any) -> tuple[Any, Any]:
  """Returns a batch as a model takes it, and as its copy does."""
  batch = [
    trial.draw(tensor.shape[1:], tensor.dtype, seed) for seed, tensor in enumerate(model.inputs)
  ]
  inputs = inputs_of_copy = batch[0] if len(batch) == 1 else batch
  if len(batch) > 1:  # The original may take them as a dict.
    values = {id(tensor): each for tensor, each in zip(model.inputs, batch, strict=True)}
    inputs = tf.nest.map_structure(lambda tensor: values[id(tensor)], model.input)
  return inputs, inputs_of_copy


def _check_agreement(model: Any, copy: tf.keras.Model) -> None:
  inputs, inputs_of_copy = _trial_inputs(model)
  for found, expected in zip(
    tf.nest.flatten(copy(inputs_of_copy, training=False)),
    tf.nest.flatten(model(inputs, training=False)),
    strict=True,
  ):
    if not trial.agree(found, expected):
      raise ValueError(
        f'model {model.name} of Keras 3 and its copy in legacy Keras give different outputs: '
        'expected a model of layers that compute the same in both, or one of tf.keras.'
      )
