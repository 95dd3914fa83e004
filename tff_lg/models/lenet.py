"""The LeNet-5 of the LG-FedAvg paper, starting as Keras or its reference code, or normalised."""

from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from tff_lg.models import group_norm

# Of ImageNet's red, green and blue, which the reference code takes for CIFAR-10 too.
_CHANNEL_MEANS = (0.485, 0.456, 0.406)
_CHANNEL_STANDARD_DEVIATIONS = (0.229, 0.224, 0.225)

# Of the 6 and 16 channels of the convolutions; one group normalises all units of a dense layer.
_GROUPS = {'conv_1': 2, 'conv_2': 4, 'fc_1': 1, 'fc_2': 1}

_Initializer = Callable[[int], tf.keras.initializers.Initializer]


def build_lenet(
  input_shape: Sequence[int] = (32, 32, 3), num_classes: int = 10, *, seed: int = 0
) -> tf.keras.Model:
  """Builds LeNet-5 in the sizes of the LG-FedAvg reference code.

  The 5 x 5 convolutions `conv_1` and `conv_2` have 6 and 16 channels, each with ReLU
  and 2 x 2 max-pooling. Dense layers of 120 and 100 units (`fc_1`, `fc_2`) and `output`
  follow. There are 64,102 weights for 32 x 32 x 3 inputs and 10 classes.

  Args:
    input_shape: height, width and channels of an image.
    num_classes: size of the output, logits.
    seed: of the Glorot-uniform initial weights; the same seed, the same weights.

  Returns:
    An uncompiled Keras model from float32 [batch, *input_shape] to float32
    [batch, num_classes].

  Liang et al. 2020, section 5.1; LeCun et al. 1998.
  """
  return tf.keras.Sequential(
    [
      tf.keras.layers.InputLayer(input_shape=tuple(input_shape)),
      *_layers(num_classes, lambda index: tf.keras.initializers.GlorotUniform(seed + index)),
    ],
    name='lenet',
  )


def build_reference_lenet(
  input_shape: Sequence[int] = (32, 32, 3), num_classes: int = 10, *, seed: int = 0
) -> tf.keras.Model:
  """Builds LeNet-5 as the LG-FedAvg reference code starts to train it.

  `build_lenet` behind a standardisation of the pixels, with PyTorch's initial
  kernels, uniform within 1 / sqrt(fan in). At the paper's learning rate of 0.1,
  FedAvg on two classes per client then leaves chance level hundreds of rounds sooner.

  Args:
    input_shape: height, width and the three channels of an image.
    num_classes: size of the output, logits.
    seed: of the initial weights; the same seed, the same weights.

  Returns:
    An uncompiled Keras model from float32 [batch, *input_shape], within [0, 1],
    to float32 [batch, num_classes].

  Liang et al. 2020, their code.
  """

  def initializer(index: int) -> tf.keras.initializers.Initializer:
    return tf.keras.initializers.VarianceScaling(1 / 3, 'fan_in', 'uniform', seed + index)

  means, deviations = np.array(_CHANNEL_MEANS), np.array(_CHANNEL_STANDARD_DEVIATIONS)
  return tf.keras.Sequential(
    [
      tf.keras.layers.InputLayer(input_shape=tuple(input_shape)),
      tf.keras.layers.Rescaling(
        scale=(1 / deviations).tolist(), offset=(-means / deviations).tolist(), name='standardise'
      ),
      *_layers(num_classes, initializer),
    ],
    name='reference_lenet',
  )


def build_group_norm_lenet(
  input_shape: Sequence[int] = (32, 32, 3), num_classes: int = 10, *, seed: int = 0
) -> tf.keras.Model:
  """Builds LeNet-5 with group normalisation before each ReLU.

  The layers `conv_1_norm` to `fc_2_norm` add 484 scales and offsets to `build_lenet`. Their
  outputs do not change when the weights of the layer before them are multiplied by a number.

  Args:
    input_shape: height, width and channels of an image.
    num_classes: size of the output, logits.
    seed: of the Glorot-uniform initial weights, those of `build_lenet`.

  Returns:
    An uncompiled Keras model from float32 [batch, *input_shape] to float32
    [batch, num_classes].

  LeCun et al. 1998; Wu and He 2018.
  """
  layers: list[tf.keras.layers.Layer] = []
  for layer in _layers(num_classes, lambda i: tf.keras.initializers.GlorotUniform(seed + i)):
    layers.append(layer)
    if layer.name in _GROUPS:
      layer.activation = tf.keras.activations.linear
      layers += [
        group_norm.GroupNormalization(_GROUPS[layer.name], name=f'{layer.name}_norm'),
        tf.keras.layers.ReLU(name=f'{layer.name}_relu'),
      ]
  return tf.keras.Sequential(
    [tf.keras.layers.InputLayer(input_shape=tuple(input_shape)), *layers], name='group_norm_lenet'
  )


def _layers(num_classes: int, initializer: _Initializer) -> list[tf.keras.layers.Layer]:
  """Returns the layers, each with the initialiser of its index."""

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

  return [
    convolution(6, 0),
    tf.keras.layers.MaxPooling2D(),
    convolution(16, 1),
    tf.keras.layers.MaxPooling2D(),
    tf.keras.layers.Flatten(),
    dense(120, 2, 'fc_1', 'relu'),
    dense(100, 3, 'fc_2', 'relu'),
    dense(num_classes, 4, 'output', None),
  ]
