"""Models of Keras 3 as models of legacy Keras, which TFF is made for."""

import inspect
import json
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.models import frozen, keras3_activation, keras3_operation

# What every layer takes.
_COMMON = ('name', 'trainable', 'dtype')
# What a layer of legacy Keras without the option does.
_FORMAT = ('data_format', 'channels_last')
# Options that legacy Keras calls otherwise, by the class of the layer.
_RENAMED = {('LeakyReLU', 'negative_slope'): 'alpha'}
# A batch on which a model and its copy have to agree.
_NUM_EXAMPLES = 2
_TOLERANCE = 1e-4


def is_keras3(thing: Any) -> bool:
  """Returns whether a model, a layer or a metric is of Keras 3 and not of legacy Keras."""
  legacy = (tf.keras.Model, tf.keras.layers.Layer, tf.keras.metrics.Metric)
  modules = {base.__module__.partition('.')[0] for base in type(thing).__mro__}
  return not isinstance(thing, legacy) and 'keras' in modules


def to_legacy(model: Any) -> tf.keras.Model:
  """Returns a copy of a Keras 3 model in legacy Keras, with the same weights.

  Args:
    model: a sequential or functional Keras 3 model, built. Its layers are Keras's own.

  Raises:
    ValueError: the model is subclassed, or the copy computes something else. Or a layer has no
      counterpart, or an option that its counterpart lacks. The message names the layer.
  """
  copy = _copy_model(model)
  weights = model.get_weights()
  if [w.shape for w in weights] != [w.shape for w in copy.get_weights()]:
    raise ValueError(f'model {model.name}: its weights and those of its legacy copy differ.')
  frozen.set_weights(copy, weights)
  _check_agreement(model, copy)
  return copy


def _copy_model(model: Any) -> tf.keras.Model:
  """Returns a copy without the weights of a model, or of a model within another."""
  if not model.built or not hasattr(model, 'inputs'):
    raise ValueError(f'model {model.name} is not built: give it an Input.')
  if _is_kind(model, 'Sequential'):
    return _copy_sequential(model)
  if _is_kind(model, 'Functional'):
    return _copy_functional(model)
  raise ValueError(
    f'model {model.name} is a subclass of Keras 3: expected a sequential or functional model, or '
    'one of tf.keras.'
  )


def _is_kind(model: Any, kind: str) -> bool:
  """Returns whether a model is of a class of Keras 3, which may not be imported here."""
  bases = type(model).__mro__
  return any(base.__name__ == kind and base.__module__.startswith('keras.') for base in bases)


def _copy_sequential(model: Any) -> tf.keras.Model:
  layers = [_input(tensor) for tensor in model.inputs]
  for layer in model.layers:
    layers.append(_copy_layer(layer)(layers[-1]))
  return tf.keras.Model(layers[0], layers[-1], name=model.name)


def _copy_functional(model: Any) -> tf.keras.Model:
  """Calls copies of the layers as the graph of the original does."""
  config = model.get_config()
  copies = {
    layer.name: _copy_layer(layer) for layer in model.layers if type(layer).__name__ != 'InputLayer'
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
      if name not in copies:
        operation, called_with = json.dumps(configs[name]), json.dumps(node)
        call = keras3_operation.Keras3Operation(operation, called_with, name=name)
        outputs = tf.nest.flatten(call([tensors[history] for history in needed]))
      else:
        keywords = keras3_operation.fill(node['kwargs'], tensors)
        keywords = {name: value for name, value in keywords.items() if value is not None}
        if keywords.get('training') is True:  # A default; the model's own call overrules it.
          del keywords['training']
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


def _copy_layer(layer: Any) -> tf.keras.layers.Layer:
  """Returns the layer of the same name of legacy Keras, with the same options."""
  if _is_kind(layer, 'Model'):
    return _copy_model(layer)
  kind = type(layer).__name__
  is_own = type(layer).__module__.partition('.')[0] != 'keras'
  legacy = None if is_own else getattr(tf.keras.layers, kind, None)
  if legacy is None:
    raise ValueError(
      f'layer {layer.name} of Keras 3 is a {kind}, which legacy Keras does not have: expected a '
      'layer that both have, or a model of tf.keras.'
    )
  config = _legacy_options(layer.name, type(layer), legacy, layer.get_config())
  try:
    return legacy.from_config(config) if 'layer' in config else legacy(**config)  # Of a wrapper.
  except (TypeError, ValueError) as error:
    reason = str(error).splitlines()[0]
    raise ValueError(
      f'layer {layer.name} of Keras 3 has no legacy counterpart: {reason}'
    ) from error


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
    if option in known and option.endswith('activation') and isinstance(value, str):
      options[option] = keras3_activation.to_legacy(value)
    elif option in known:
      options[option] = _plain(name, value)
    elif (option, value) != _FORMAT and value not in (None, False, defaults.get(option)):
      raise ValueError(
        f'layer {name} of Keras 3 has {option}={value}, which a {legacy.__name__} of legacy Keras '
        'does not have.'
      )
  return options


def _plain(name: str, value: Any) -> Any:
  """Returns a config's value without types as objects, and with legacy options of inner layers."""
  if isinstance(value, dict):
    if value.get('class_name') == 'DTypePolicy':
      return value['config']['name']
    if value.get('module') == 'keras.layers':
      both = (keras3_operation.import_keras3(), tf.keras)
      kind, legacy = (getattr(keras.layers, value['class_name']) for keras in both)
      config = _legacy_options(name, kind, legacy, value['config'])
      return {'class_name': value['class_name'], 'config': config}
    return {key: _plain(name, item) for key, item in value.items() if key != 'build_config'}
  if isinstance(value, (list, tuple)):
    return type(value)(_plain(name, item) for item in value)
  return value


def _check_agreement(model: Any, copy: tf.keras.Model) -> None:
  rng = np.random.default_rng(0)
  batch = [
    rng.normal(size=(_NUM_EXAMPLES, *(size or 3 for size in tensor.shape[1:]))).astype(tensor.dtype)
    for tensor in model.inputs
  ]
  batch = [abs(each) if each.dtype.kind in 'iu' else each for each in batch]
  inputs = inputs_of_copy = batch[0] if len(batch) == 1 else batch
  if len(batch) > 1:  # The original may take them as a dict.
    values = {id(tensor): each for tensor, each in zip(model.inputs, batch, strict=True)}
    inputs = tf.nest.map_structure(lambda tensor: values[id(tensor)], model.input)
  for found, expected in zip(
    tf.nest.flatten(copy(inputs_of_copy, training=False)),
    tf.nest.flatten(model(inputs, training=False)),
    strict=True,
  ):
    if not np.allclose(found, expected, rtol=_TOLERANCE, atol=_TOLERANCE):
      raise ValueError(
        f'model {model.name} of Keras 3 and its copy in legacy Keras give different outputs: '
        'expected a model of layers that compute the same in both, or one of tf.keras.'
      )
