"""Dropout without a state: equal inputs, equal mask."""

from typing import Any

import tensorflow as tf


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class StatelessDropout(tf.keras.layers.Layer):
  """Dropout whose mask is drawn from the layer's seed and the bits of its input.

  Keras's own dropout counts the draws of its random operation, and clients that run at
  the same time share that count: which client gets which mask is up to the scheduler,
  and a run that goes on from a checkpoint starts to count afresh. Here the mask is a
  function of the input. Activations change with every batch and every step, so masks
  do as well, and the same seed gives the same bits.

  Srivastava et al. 2014; the mask by a counter-based generator, Salmon et al. 2011.
  """

  def __init__(self, rate: float, *, seed: int = 0, **options: Any) -> None:
    """Makes the layer.

    Args:
      rate: share of the inputs set to zero in training, in [0, 1); the others are
        divided by 1 - rate.
      seed: tells layers with equal inputs apart.
      **options: of `tf.keras.layers.Layer`.

    Raises:
      ValueError: `rate` is out of range.
    """
    super().__init__(**options)
    if not 0 <= rate < 1:
      raise ValueError(f'dropout is {rate}, expected a number in [0, 1).')
    self.rate, self.seed = rate, seed

  def call(self, inputs: tf.Tensor, training: bool | None = None) -> tf.Tensor:
    """Drops from float32 inputs of any shape if `training`; else gives them back."""
    if not training or not self.rate:
      return inputs
    seed = tf.stack([tf.constant(self.seed, tf.int64), fingerprint(inputs)])
    return tf.nn.experimental.stateless_dropout(inputs, self.rate, seed=seed)

  def get_config(self) -> dict[str, Any]:
    """What `from_config` makes the same layer of."""
    return {**super().get_config(), 'rate': self.rate, 'seed': self.seed}


def fingerprint(inputs: tf.Tensor) -> tf.Tensor:
  """An int64 that depends on every bit of float32 inputs and on where it is."""
  bits = tf.cast(tf.reshape(tf.bitcast(tf.stop_gradient(inputs), tf.int32), [-1]), tf.int64)
  # Odd factors lose no bits; int64 wraps around where the sum is too large.
  factors = 2 * tf.range(tf.size(bits, tf.int64), dtype=tf.int64) + 1
  return tf.reduce_sum(bits * factors)
