"""Layers of Keras 3 that legacy Keras does not have, such as a user's own, as legacy layers.

Keras 3 can compute a layer with other values in the place of its variables. So the legacy layer has
the weights, and the layer of Keras 3 computes with them.
"""

import json
import uuid
import weakref
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.models import keras3_operation, told

# Layers that this process has wrapped, by the key that is in the config of what wraps them.
_WRAPPED: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()


def wrap(layer: Any, assigned: Collection[int]) -> tf.keras.layers.Layer:
  """Returns a legacy layer that calls a layer of Keras 3.

  Args:
    layer: of Keras 3, built.
    assigned: of `find_assigned`.

  Raises:
    ValueError: a weight is not float32; one sentence.
  """
  for weight in layer.weights:
    if weight.dtype != 'float32':
      raise ValueError(
        f'layer {layer.name} of Keras 3 has the weight {weight.path} of {weight.dtype}, expected '
        'float32.'
      )
  key = uuid.uuid4().hex
  _WRAPPED[key] = layer
  try:
    saved = json.dumps(keras3_operation.import_keras3().saving.serialize_keras_object(layer))
  except (NotImplementedError, TypeError, ValueError):  # Other processes cannot load it.
    saved = None
  statistics = [place for place, weight in enumerate(layer.weights) if id(weight) in assigned]
  return Keras3Layer(key, saved, statistics, name=layer.name)


def find_assigned(model: Any, inputs: Any) -> set[int]:
  """Returns the ids of variables of a Keras 3 model that a step of training sets, by a trial."""
  with keras3_operation.import_keras3().StatelessScope() as scope:
    model(inputs, training=True)
  return {id(each) for each in model.variables if scope.get_current_value(each) is not None}


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class Keras3Layer(tf.keras.__internal__.layers.BaseRandomLayer):
  """Calls a layer of Keras 3 with the weights of this one.

  The layer draws in training from the generator of this one.
  """

  def __init__(
    self,
    key: str,
    saved: str | None,
    statistics: Sequence[int],
    *,
    trains_all: bool = False,
    **options: Any,
  ) -> None:
    """Makes the layer.

    Args:
      key: of the layer that is wrapped, in the process that has wrapped it.
      saved: JSON of the layer, for other processes; None for one that cannot be saved.
      statistics: places of the weights that steps of training set.
      trains_all: whether Keras calls all weights trained, as functional models need it.
      **options: of `tf.keras.layers.Layer`.

    Raises:
      ValueError: the layer was wrapped in another process, and cannot be loaded here.
    """
    super().__init__(**options)
    layer = _WRAPPED.get(key)
    if layer is None:
      if saved is None:
        raise ValueError(f'layer {self.name} calls a layer of Keras 3 without get_config.')
      layer = _WRAPPED[key] = keras3_operation.load(json.loads(saved))
    self.key, self.saved, self.places = key, saved, tuple(statistics)
    self.trains_all = trains_all
    # As an attribute, Keras would take the layer for one within this one.
    self._new_weights = _new_weights(layer)
    self._compute = _computation(layer, self.places)

  def build(self, input_shape: Any) -> None:
    """Adds weights of zeros, in the order of the wrapped layer."""
    self._own = tuple(
      self.add_weight(name, shape, initializer='zeros', trainable=is_trained or self.trains_all)
      for name, shape, is_trained in self._new_weights
    )
    super().build(input_shape)

  @property
  def weights(self) -> list[tf.Variable]:
    """The weights in the order of the wrapped layer."""
    return list(self._own) if self.built else []

  @property
  def statistics(self) -> list[tf.Variable]:
    """The weights that steps of training set."""
    return [self._own[place] for place in self.places]

  def call(self, inputs: Any, node: str | None = None, training: bool | None = None) -> Any:
    """Returns what the wrapped layer does; in training, it tells its next statistics and losses.

    Args:
      inputs: what it is called with, a tensor or some.
      node: JSON of the arguments that they fill in, as the config of a model of Keras 3 has them.
      training: whether this is a step of training.
    """
    args: list[Any] = [inputs]
    options: dict[str, Any] = {}
    if node is not None:
      args, options = keras3_operation.fill_node(json.loads(node), tf.nest.flatten(inputs))
    weights = list(self._own)
    for place in self.places if training else ():
      weights[place] = told.latest_statistic(weights[place])
    outputs, following, losses = self._compute(
      weights, self._draw_seed, args, {**options, 'training': bool(training)}
    )
    for statistic, value in zip(self.statistics, following, strict=True):
      told.tell_statistic(statistic, value if training else None)
    for loss in losses if training else ():
      told.LOSSES.tell(loss)
    return outputs

  def _draw_seed(self) -> tf.Tensor:
    """Returns the state of a generator of Keras 3, uint32 [2]."""
    drawn = self._random_generator.random_uniform((2,), 0, np.iinfo(np.int32).max, 'int32')
    return tf.cast(drawn, tf.uint32)

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer."""
    own = {'key': self.key, 'saved': self.saved, 'statistics': self.places}
    return {**super().get_config(), **own, 'trains_all': self.trains_all}


def _new_weights(layer: Any) -> list[tuple[str, tuple[int, ...], bool]]:
  """Returns name, shape, and whether it is trained, of each weight that wraps one of a layer."""
  names = [weight.path.rpartition(f'{layer.name}/')[2] for weight in layer.weights]
  return [
    (name if names.count(name) == 1 else f'{name}_{place}', tuple(weight.shape), weight.trainable)
    for place, (name, weight) in enumerate(zip(names, layer.weights, strict=True))
  ]


def _computation(
  layer: Any, places: Sequence[int]
) -> Callable[..., tuple[Any, list[Any], list[Any]]]:
  """Returns what computes a layer with other weights, and gives next statistics and losses."""
  scope_of = keras3_operation.import_keras3().StatelessScope
  weights = layer.weights
  known = set(map(id, weights))
  seeds = [each for each in layer.variables if id(each) not in known]

  def compute(
    values: Sequence[Any],
    draw_seed: Callable[[], tf.Tensor],
    arguments: Sequence[Any],
    options: dict[str, Any],
  ) -> tuple[Any, list[Any], list[Any]]:
    unused = np.zeros(2, np.uint32)
    drawn = [draw_seed() if options['training'] else unused for _ in seeds]
    pairs = zip([*weights, *seeds], [*values, *drawn], strict=True)
    with scope_of(pairs, collect_losses=True) as scope:
      outputs = layer(*arguments, **options)
      following = [scope.get_current_value(weights[place]) for place in places]
      return outputs, following, layer.losses

  # It is no code of the user's, with loops on tensors.
  return tf.autograph.experimental.do_not_convert(compute)
