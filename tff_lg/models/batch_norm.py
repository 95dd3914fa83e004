"""Batch normalisation without a state: moving statistics are weights, and steps are told new ones.

A functional model takes its weights as inputs and cannot assign to them. So the layer says what its
moving statistics are after a batch, to whoever collects it while the step is traced.
"""

from typing import Any

import tensorflow as tf

from tff_lg.models import told


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class StatelessBatchNormalization(tf.keras.layers.Layer):
  """Batch normalisation as Keras's layer computes it, with the variance of the batch as it is.

  Ioffe and Szegedy 2015, Algorithm 1 in training, with moving averages for later.
  """

  def __init__(
    self,
    axis: int,
    momentum: float,
    epsilon: float,
    *,
    center: bool,
    scale: bool,
    gamma_regularizer: Any = None,
    beta_regularizer: Any = None,
    **options: Any,
  ) -> None:
    """Makes the layer.

    Args:
      axis: of the channels.
      momentum: share of the moving statistics that a batch leaves.
      epsilon: added to variances.
      center: whether there is an offset, beta.
      scale: whether there is a factor, gamma.
      gamma_regularizer: of the factor, as Keras takes it.
      beta_regularizer: of the offset.
      **options: of `tf.keras.layers.Layer`.
    """
    super().__init__(**options)
    self.axis, self.momentum, self.epsilon = axis, momentum, epsilon
    self.center, self.scale = center, scale
    self.gamma_regularizer = tf.keras.regularizers.get(gamma_regularizer)
    self.beta_regularizer = tf.keras.regularizers.get(beta_regularizer)

  def build(self, input_shape: tf.TensorShape) -> None:
    """Adds the weights in the order of Keras's layer; for Keras, all of them are trained."""
    rank = len(input_shape)
    self._axes = [axis for axis in range(rank) if axis != self.axis % rank]
    self._shape = [1] * rank
    self._shape[self.axis] = input_shape[self.axis]
    size = (input_shape[self.axis],)
    self._gamma = self._beta = None
    if self.scale:
      regularizer = self.gamma_regularizer
      self._gamma = self.add_weight('gamma', size, initializer='ones', regularizer=regularizer)
    if self.center:
      self._beta = self.add_weight('beta', size, regularizer=self.beta_regularizer)
    self._mean = self.add_weight('moving_mean', size)
    self._variance = self.add_weight('moving_variance', size, initializer='ones')
    super().build(input_shape)

  def call(self, inputs: tf.Tensor, training: bool | None = None) -> tf.Tensor:
    """Normalises float32 inputs [batch, ...], in training by the batch's moments."""
    # Noise of a private mean may bring an averaged variance below zero.
    mean, variance = self._mean, tf.maximum(self._variance, 0.0)
    if training:
      mean, variance = tf.nn.moments(inputs, self._axes)
    for weight, of_batch in ((self._mean, mean), (self._variance, variance)):
      following = None
      if training:
        before = told.latest_statistic(weight)
        following = self.momentum * before + (1 - self.momentum) * of_batch
      told.tell_statistic(weight, following)
    scale = tf.reshape(self._gamma, self._shape) if self.scale else None
    offset = tf.reshape(self._beta, self._shape) if self.center else None
    mean, variance = (tf.reshape(each, self._shape) for each in (mean, variance))
    return tf.nn.batch_normalization(inputs, mean, variance, offset, scale, self.epsilon)

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer."""
    own = {name: getattr(self, name) for name in ('axis', 'momentum', 'epsilon', 'center', 'scale')}
    for name in ('gamma_regularizer', 'beta_regularizer'):
      own[name] = tf.keras.regularizers.serialize(getattr(self, name))
    return {**super().get_config(), **own}
