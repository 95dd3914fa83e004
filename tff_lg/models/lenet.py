"""The LeNet-5 of the LG-FedAvg paper."""

from collections.abc import Sequence

import tensorflow as tf


def build_lenet(
  input_shape: Sequence[int] = (32, 32, 3), num_classes: int = 10, *, seed: int = 0
) -> tf.keras.Model:
  """Builds LeNet-5 as the LG-FedAvg reference code has it.

  Two 5 x 5 convolutions of 6 and 16 channels (`conv_1`, `conv_2`), each with ReLU
  and 2 x 2 max-pooling, then dense layers of 120 and 100 units (`fc_1`, `fc_2`)
  and `output`: 64,102 weights for 32 x 32 x 3 inputs and 10 classes.

  Args:
    input_shape: height, width and channels of an image.
    num_classes: size of the output, logits.
    seed: of the Glorot-uniform initial weights; the same seed, the same weights.

  Returns:
    An uncompiled Keras model from float32 [batch, *input_shape] to float32
    [batch, num_classes].

  Liang et al. 2020, section 5.1; LeCun et al. 1998.
  """

  def initializer(index: int) -> tf.keras.initializers.Initializer:
    return tf.keras.initializers.GlorotUniform(seed + index)

  def convolution(channels: int, index: int) -> tf.keras.layers.Layer:
    return tf.keras.layers.Conv2D(
      channels,
      5,
      activation='relu',
      kernel_initializer=initializer(index),
      name=f'conv_{index + 1}',
    )

  def dense(units: int, index: int, name: str, activation: str | None) -> tf.keras.layers.Layer:
    return tf.keras.layers.Dense(
      units, activation=activation, kernel_initializer=initializer(index), name=name
    )

  return tf.keras.Sequential(
    [
      tf.keras.layers.InputLayer(input_shape=tuple(input_shape)),
      convolution(6, 0),
      tf.keras.layers.MaxPooling2D(),
      convolution(16, 1),
      tf.keras.layers.MaxPooling2D(),
      tf.keras.layers.Flatten(),
      dense(120, 2, 'fc_1', 'relu'),
      dense(100, 3, 'fc_2', 'relu'),
      dense(num_classes, 4, 'output', None),
    ],
    name='lenet',
  )
