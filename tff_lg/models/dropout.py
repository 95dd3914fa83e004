"""Dropout without a state: equal keys, equal masks."""

from typing import Any

import tensorflow as tf

# Odd and without a pattern: 2^64 divided by the golden ratio, as a signed number.
_FACTOR = -7046029254386353131


@tf.keras.saving.register_keras_serializable(package='tff_lg')
class StatelessDropout(tf.keras.layers.Layer):
  """Dropout whose mask is drawn from a key of the training step and the layer's seed.

  Keras's own dropout counts the draws of its random operation, and clients that run at
  the same time share that count. The scheduler then decides which client gets which mask,
  and a run that resumes from a checkpoint starts to count afresh. Here the mask follows
  from the key, the seed and the shape of the input. No activation counts, whose rounding
  differs from one runtime or machine to another.

  The layer's one weight is the key, int64 [2], zeros at first. No gradient trains it: it is
  how a functional model, which takes its weights as inputs, gets the key of the step, see
  `LocalGlobalModel.with_dropout_key`. Other training loops assign another key before each step.

  Srivastava et al. 2014; the mask by a counter-based generator, Salmon et al. 2011.
  """

  def __init__(self, rate: float, *, seed: int = 0, **options: Any) -> None:
    """Makes the layer.

    Args:
      rate: share of the inputs set to zero in training, in [0, 1); the others are
        divided by 1 - rate.
      seed: tells the layers of a model apart, which have the same key.
      **options: of `tf.keras.layers.Layer`.

    Raises:
      ValueError: `rate` is out of range.
    """
    super().__init__(**options)
    if not 0 <= rate < 1:
      raise ValueError(f'dropout is {rate}, expected a number in [0, 1).')
    self.rate, self.seed, self.key = rate, seed, None

  def build(self, input_shape: tf.TensorShape) -> None:
    """Adds the key, where there is a mask to draw."""
    if self.rate:
      self.key = self.add_weight(
        'key', shape=(2,), dtype=tf.int64, initializer='zeros', trainable=False
      )
    super().build(input_shape)

  def call(self, inputs: tf.Tensor, training: bool | None = None) -> tf.Tensor:
    """Drops from float32 inputs of any shape if `training`; else gives them back."""
    if not training or not self.rate:
      return inputs
    seed = fold_in(tf.convert_to_tensor(self.key), self.seed)
    return tf.nn.experimental.stateless_dropout(inputs, self.rate, seed=seed)

  def get_config(self) -> dict[str, Any]:
    """Returns the config from which `from_config` makes the same layer."""
    return {**super().get_config(), 'rate': self.rate, 'seed': self.seed}


def fold_in(key: tf.Tensor, number: int | tf.Tensor) -> tf.Tensor:
  """Makes a key of its own for each number, such as that of a round or a layer.

  Args:
    key: int64 [2].
    number: an integer.

  Returns:
    int64 [2]. It is plain arithmetic, so that stacked clients share the operations.
  """
  return tf.stack([key[0] * _FACTOR + tf.cast(number, tf.int64), key[1]])


def keys(keras_model: tf.keras.Model) -> list[tf.Variable]:
  """Returns the keys of a model's dropout layers."""
  # Not `submodules`, which fail on the masks that a recurrent layer keeps.
  every = keras_model._flatten_layers(include_self=False)
  layers = [layer for layer in every if isinstance(layer, StatelessDropout)]
  return [layer.key for layer in layers if layer.key is not None]
