"""Networks with frozen layers as copies that a functional model takes: no layer keeps a state."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.models import batch_norm, cloning, dropout, keras3_layer, subclassed


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class FixedBatchNormalization(tf.keras.layers.Layer):
  """Batch normalisation by moments that stay as they are, what a frozen layer of Keras computes.

  Ioffe and Szegedy 2015, Algorithm 2, line 11.
  """

  def __init__(
    self, axis: int, epsilon: float, *, center: bool, scale: bool, **options: Any
  ) -> None:
    """Makes the layer.

    Args:
      axis: of the channels.
      epsilon: added to variances.
      center: whether there is an offset, beta.
      scale: whether there is a factor, gamma.
      **options: of `tf.keras.layers.Layer`.
    """
    super().__init__(**options)
    self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale

  def build(self, input_shape: tf.TensorShape) -> None:
    """Adds the weights in the order of Keras's layer."""
    self._shape = [1] * len(input_shape)
    self._shape[self.axis] = input_shape[self.axis]
    size = (input_shape[self.axis],)
    self._gamma = self.add_weight('gamma', size, initializer='ones') if self.scale else None
    self._beta = self.add_weight('beta', size) if self.center else None
    self._mean = self.add_weight('moving_mean', size)
    self._variance = self.add_weight('moving_variance', size, initializer='ones')
    super().build(input_shape)

  def call(self, inputs: tf.Tensor) -> tf.Tensor:
    """Normalises float32 inputs [batch, ...]."""
    mean, variance = (tf.reshape(each, self._shape) for each in (self._mean, self._variance))
    scale = tf.reshape(self._gamma, self._shape) if self.scale else None
    offset = tf.reshape(self._beta, self._shape) if self.center else None
    return tf.nn.batch_normalization(inputs, mean, variance, offset, scale, self.epsilon)

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer."""
    own = {'axis': self.axis, 'epsilon': self.epsilon, 'center': self.center, 'scale': self.scale}
    return {**super().get_config(), **own}


def needs_copy(keras_model: tf.keras.Model) -> bool:
  """Returns whether a model has layers that are frozen or adapted, batch normalisation, dropout."""
  layers = keras_model._flatten_layers(include_self=False)
  kinds = (frozen_weights, moving_statistics, adapted_moments)
  return any(find(keras_model) for find in kinds) or any(map(_is_dropout, layers))


def moving_statistics(keras_model: tf.keras.Model) -> list[tf.Variable]:
  """Returns the weights that steps set, such as moments of batch normalisation, if not frozen."""
  fixed = {id(weight) for weight in frozen_weights(keras_model)}
  layers = keras_model._flatten_layers(include_self=False)
  found = [weight for layer in layers for weight in _statistics(layer)]
  return [weight for weight in found if id(weight) not in fixed]


def clone_with_weights(
  keras_model: tf.keras.Model, clone_function: cloning.CloneFunction | None = None
) -> tf.keras.Model:
  """Returns a clone, see `cloning.clone`, with equal weights and the same frozen layers."""
  copy = cloning.clone(keras_model, clone_function)
  for layer, same in zip(copy._flatten_layers(), keras_model._flatten_layers(), strict=True):
    layer._trainable = same.trainable  # A model's own flag is not part of its copy.
  set_weights(copy, keras_model.get_weights())
  return copy


def set_weights(keras_model: tf.keras.Model, weights: Sequence[np.ndarray]) -> None:
  """Sets all weights; `Normalization` layers compute with what they make of theirs."""
  keras_model.set_weights(weights)
  for layer in filter(_is_adapted, keras_model._flatten_layers(include_self=False)):
    layer.finalize_state()


def adapted_moments(keras_model: tf.keras.Model) -> list[tf.Variable]:
  """Returns the weights of `Normalization` layers that only `adapt` changes, before training."""
  layers = filter(_is_adapted, keras_model._flatten_layers(include_self=False))
  return [weight for layer in layers for weight in layer.weights]


def frozen_weights(keras_model: tf.keras.Model) -> list[tf.Variable]:
  """Returns the weights of frozen layers, which are none of Keras's statistics.

  Moments of a frozen batch normalisation are among them: Keras does not update these.
  """
  trained = {id(weight) for weight in keras_model.trainable_weights}
  found = []
  for layer in keras_model._flatten_layers(include_self=False):
    own = layer._trainable_weights
    if _is_batch_norm(layer) and not any(id(weight) in trained for weight in own):
      # One without an offset and a factor shows by its own flag whether it is frozen.
      own = [] if layer.trainable and not own else [*own, *layer._non_trainable_weights]
    if isinstance(layer, keras3_layer.Keras3Layer):
      moving = {id(weight) for weight in layer.statistics}
      own = [weight for weight in layer.weights if id(weight) not in moving]
    found += [weight for weight in own if id(weight) not in trained]
  return found


def copy_without_states(keras_model: tf.keras.Model) -> tf.keras.Model:
  """Returns a copy in which Keras calls all weights trained, and no layer keeps a state.

  Frozen batch normalisation becomes `FixedBatchNormalization`, any other a
  `StatelessBatchNormalization`, dropout a `StatelessDropout`. `Normalization` has its moments as
  constants.

  Args:
    keras_model: a sequential or functional model of legacy Keras.

  Returns:
    The model, with equal weights in equal order, apart from keys of dropout and `adapted_moments`.
  """
  frozen = {id(weight) for weight in frozen_weights(keras_model)}
  num_dropouts = 0

  def copy(layer: tf.keras.layers.Layer) -> tf.keras.layers.Layer:
    nonlocal num_dropouts
    if isinstance(layer, tf.keras.Model) and needs_copy(layer):
      if not subclassed.is_graph(layer):
        raise ValueError(
          f'model {layer.name}: a subclassed model with frozen layers, batch normalisation or '
          'dropout found, expected a sequential or functional one, or one of Keras 3.'
        )
      return cloning.clone(layer, copy)
    if _is_adapted(layer):
      moments = (weight.numpy() for weight in (layer.adapt_mean, layer.adapt_variance))
      return tf.keras.layers.Normalization(
        layer.axis or None, *moments, invert=layer.invert, name=layer.name
      )
    if _is_dropout(layer):
      num_dropouts += 1
      return dropout.StatelessDropout(layer.rate, seed=num_dropouts, name=layer.name)
    if _is_batch_norm(layer) and id(layer.moving_mean) in frozen:
      (axis,) = layer.axis
      return FixedBatchNormalization(
        axis, layer.epsilon, center=layer.center, scale=layer.scale, name=layer.name
      )
    if _is_batch_norm(layer):
      (axis,) = layer.axis
      return batch_norm.StatelessBatchNormalization(
        axis,
        layer.momentum,
        layer.epsilon,
        center=layer.center,
        scale=layer.scale,
        gamma_regularizer=layer.gamma_regularizer,
        beta_regularizer=layer.beta_regularizer,
        name=layer.name,
      )
    if isinstance(layer, keras3_layer.Keras3Layer):
      return type(layer).from_config({**layer.get_config(), 'trains_all': True})
    if subclassed.hides_parts(layer):
      raise ValueError(
        f'layer {layer.name}: batch normalisation or frozen layers found within it, expected a '
        'layer of your own whose call is a graph of layers, or one of Keras 3.'
      )
    return cloning.copy_layer(layer)

  copied = cloning.clone(keras_model, copy)
  copied.trainable = True
  for weight, value in pair_weights(copied, keras_model):
    weight.assign(value)
  return copied


def pair_weights(
  copy: tf.keras.Model, original: tf.keras.Model
) -> Iterator[tuple[tf.Variable, tf.Variable]]:
  """Yields each weight of a copy with that of the original, if it has one.

  Args:
    copy: of `clone_with_weights` or `copy_without_states`, or the original.
    original: the model that was copied, maybe by both.
  """
  both = []
  for keras_model in (copy, original):
    known = {id(weight) for find in (dropout.keys, adapted_moments) for weight in find(keras_model)}
    both.append([weight for weight in keras_model.weights if id(weight) not in known])
  yield from zip(*both, strict=True)


def _statistics(layer: tf.keras.layers.Layer) -> list[tf.Variable]:
  if isinstance(layer, keras3_layer.Keras3Layer):
    return layer.statistics
  return [layer.moving_mean, layer.moving_variance] if _is_batch_norm(layer) else []


def _is_dropout(layer: tf.keras.layers.Layer) -> bool:
  return type(layer) is tf.keras.layers.Dropout and layer.noise_shape is None


def _is_adapted(layer: tf.keras.layers.Layer) -> bool:
  return isinstance(layer, tf.keras.layers.Normalization) and layer.input_mean is None


def _is_batch_norm(layer: tf.keras.layers.Layer) -> bool:
  return isinstance(layer, tf.keras.layers.BatchNormalization)
