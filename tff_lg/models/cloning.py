"""Clones of legacy Keras models that have functions and classes of a user's own."""

import functools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import tensorflow as tf

from tff_lg import errors
from tff_lg.models import subclassed, told

# Makes a layer of a layer.
CloneFunction = Callable[[tf.keras.layers.Layer], tf.keras.layers.Layer]

_PARTS = (
  tf.keras.constraints.Constraint,
  tf.keras.initializers.Initializer,
  tf.keras.regularizers.Regularizer,
)


def clone(
  keras_model: tf.keras.Model,
  clone_function: CloneFunction | None = None,
  input_tensors: Any = None,
) -> tf.keras.Model:
  """Returns a clone as `tf.keras.models.clone_model` makes it, with a user's own objects, too.

  Args:
    keras_model: a sequential or functional model.
    clone_function: makes a layer of a layer; `copy_layer` by default.
    input_tensors: what the clone is called on; inputs of its own by default.
  """
  with own_objects(keras_model):
    return tf.keras.models.clone_model(
      keras_model, input_tensors=input_tensors, clone_function=clone_function or copy_layer
    )


def copy_layer(layer: tf.keras.layers.Layer) -> tf.keras.layers.Layer:
  """Returns a layer, or a model within a model, made again with other weights."""
  if subclassed.is_graph(layer):
    # Its layers are called on inputs of its own first, of which nobody is to hear.
    with told.STATISTICS.collect(), told.LOSSES.collect():
      copy = tf.keras.models.clone_model(layer, clone_function=copy_layer)
    for part in copy._flatten_layers():
      part._losses.clear()
    return copy
  copy = type(layer).from_config(layer.get_config())
  copy._name = layer.name  # An own config may have none.
  return copy


def restore_classes(keras_model: tf.keras.Model) -> None:
  """Makes the layers of a model callable in eager execution again.

  Keras gives a class of layers other bases where one is made in a graph, as TFF does. All layers of
  the class then refuse to be called until one is made in eager execution.
  """
  kinds: set[Any] = {type(layer) for layer in keras_model._flatten_layers()}
  for kind in kinds:
    kind.__new__(kind)


def own_objects(keras_model: tf.keras.Model) -> AbstractContextManager[Any]:
  """Returns the context in which Keras finds what a model has and Keras has not, by its name.

  These are functions, regularisers, initialisers, constraints and layers, registered or not.
  """
  for layer in keras_model._flatten_layers(include_self=False):
    _keep_arguments(layer)
  named = {own.__name__: own for _, _, own in _find_own(keras_model)}
  # Keras makes a layer within another by the name of its class; that of others it has at hand.
  return tf.keras.utils.custom_object_scope(
    {name: own for name, own in named.items() if not hasattr(tf.keras.layers, name)}
  )


def faults(keras_model: tf.keras.Model) -> Iterator[str]:
  """Yields a sentence, without its subject, for each thing that no functional model can have."""
  yield from constraints(keras_model)
  known: dict[str, Any] = {}
  with_own: set[int] = set()
  for layer, attribute, own in _find_own(keras_model):
    name = own.__name__
    with_own.add(id(layer))
    # A layer has its class at hand, and the config of a Lambda has the code of its function.
    if attribute == 'class' or isinstance(layer, tf.keras.layers.Lambda):
      continue
    if name == '<lambda>':
      yield f'has the layer {layer.name} with a lambda as its {attribute}: name it by def.'
    if known.setdefault(name, getattr(tf.keras.activations, name, own)) is not own:
      yield f'has two functions or classes of the name {name}: rename one.'
  with own_objects(keras_model):
    for layer in _layers(keras_model):
      if not with_own.intersection(map(id, layer._flatten_layers())):
        continue
      try:
        copy_layer(copy_layer(layer))
      except NotImplementedError:
        yield f'has the layer {layer.name} with arguments of other types: give it a get_config.'
      except Exception as error:  # Whatever a layer of the user's raises.
        yield (
          f'has the layer {layer.name}, which its get_config does not make again: '
          f'{errors.first_line(error)}'
        )


def constraints(model: Any) -> Iterator[str]:
  """Yields such a sentence for each constraint of a weight, in a model of any Keras."""
  for weight in model.trainable_weights:
    if weight.constraint is not None:
      name = getattr(weight, 'path', weight.name)
      yield f'has a constraint of {name}, which steps of optimisers do not keep: leave it out.'


def _layers(keras_model: tf.keras.Model) -> Iterator[tf.keras.layers.Layer]:
  """Yields the layers of a model and of sequential and functional models within it."""
  for layer in keras_model.layers:
    yield from _layers(layer) if subclassed.is_graph(layer) else (layer,)


def _find_own(keras_model: tf.keras.Model) -> Iterator[tuple[tf.keras.layers.Layer, str, Any]]:
  """Yields own functions and classes of options, with the layer and the attribute of each."""
  for layer in keras_model._flatten_layers(include_self=False):
    try:
      options = layer.get_config()
    except Exception:  # `faults` says what is wrong with it.
      options = vars(layer)
    given = [(name, of) for name, of in vars(layer).items() if name.lstrip('_') in options]
    if not isinstance(layer, tf.keras.layers.Lambda):  # Operations have theirs in another way.
      given = [(name, of) for name, of in given if name != 'function']
    for attribute, thing in (('class', type(layer)), *given):
      own = type(thing) if isinstance(thing, _PARTS) else thing
      is_named = isinstance(own, type) or (callable(own) and hasattr(own, '__name__'))
      if is_named and not _is_of_library(own):
        yield layer, attribute, own


def _is_of_library(own: Any) -> bool:
  """Returns whether a function or class is one that Keras finds by its name."""
  library = (getattr(own, '__module__', None) or '').partition('.')[0]
  if library == 'tensorflow':
    return hasattr(tf.keras.activations, own.__name__)
  return library in ('keras', 'tf_keras', 'tff_lg')


def _keep_arguments(layer: tf.keras.layers.Layer) -> None:
  """Gives a layer the config that Keras makes of its arguments, which it does not in graphs.

  TFF clones models in a graph.
  """
  arguments = getattr(layer, '_auto_config', None)
  if arguments is not None and hasattr(layer.get_config, '_is_default') and _is_own_layer(layer):
    layer.get_config = functools.partial(dict, arguments.config)


def _is_own_layer(layer: tf.keras.layers.Layer) -> bool:
  return not isinstance(layer, tf.keras.Model) and not _is_of_library(type(layer))
