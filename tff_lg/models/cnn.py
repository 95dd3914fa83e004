"""The convolutional network for MNIST of the FedAvg paper."""

from collections.abc import Sequence

import tensorflow as tf


def build_cnn(
  input_shape: Sequence[int] = (28, 28, 1), num_classes: int = 10, *, seed: int = 0
) -> tf.keras.Model:
  """Builds two convolutions and a dense layer.

  The 5 x 5 convolutions `conv_1` and `conv_2` have 32 and 64 channels and keep the size of the
  image. ReLU and 2 x 2 max-pooling follow each. Then come a dense ReLU layer of 512 units (`fc_1`)
  and `output`. There are 1,663,370 weights for 28 x 28 images and 10 classes, as in the paper.

  Args:
    input_shape: height, width and channels of an image.
    num_classes: size of the output, logits.
    seed: of the Glorot-uniform initial weights; the same seed, the same weights.

  Returns:
    An uncompiled Keras model from float32 [batch, *input_shape] to float32 [batch, num_classes].

  McMahan et al. 2017, section 3.
  """
  layers = tf.keras.layers

  def initializer(index: int) -> tf.keras.initializers.Initializer:
    return tf.keras.initializers.GlorotUniform(seed + index)

  def convolution(channels: int, index: int) -> tf.keras.layers.Layer:
    return layers.Conv2D(
      channels,
      5,
      padding='same',
      activation='relu',
      kernel_initializer=initializer(index),
      name=f'conv_{index + 1}',
    )

  return tf.keras.Sequential(
    [
      layers.InputLayer(input_shape=tuple(input_shape)),
      convolution(32, 0),
      layers.MaxPooling2D(),
      convolution(64, 1),
      layers.MaxPooling2D(),
      layers.Flatten(),
      layers.Dense(512, activation='relu', kernel_initializer=initializer(2), name='fc_1'),
      layers.Dense(num_classes, kernel_initializer=initializer(3), name='output'),
    ],
    name='cnn',
  )
