"""The multi-layer perceptron of the LG-FedAvg paper."""

from collections.abc import Sequence

import tensorflow as tf

from tff_lg.models import dropout


def build_mlp(
  input_shape: Sequence[int],
  num_classes: int,
  hidden_units: Sequence[int] = (512, 256, 256, 128),
  *,
  seed: int = 0,
  output_activation: str | None = None,
  dropout_rate: float = 0.0,
) -> tf.keras.Model:
  """Builds dense ReLU layers `hidden_1`, `hidden_2`, … and a layer `output`.

  With images of 28 x 28 and the default units this is the network for MNIST:
  784-512-256-256-128-10, 633,226 weights.

  Args:
    input_shape: shape of one example, flattened by the network.
    num_classes: size of the output, logits unless `output_activation` is given.
    hidden_units: size of each hidden layer.
    seed: of the Glorot-uniform initial weights; the same seed, the same weights.
    output_activation: a Keras activation on top of the logits. The LG-FedAvg
      reference code has a softmax here, *and* another one in its loss.
    dropout_rate: after each hidden layer, in training; masks follow from the seed and
      the key of the step, see `StatelessDropout`.

  Returns:
    An uncompiled Keras model from float32 [batch, *input_shape] to float32
    [batch, num_classes].

  Liang et al. 2020, section 5.1.
  """
  layers = [tf.keras.layers.InputLayer(input_shape=tuple(input_shape)), tf.keras.layers.Flatten()]
  for index, units in enumerate(hidden_units):
    layers.append(
      tf.keras.layers.Dense(
        units,
        activation='relu',
        kernel_initializer=tf.keras.initializers.GlorotUniform(seed + index),
        name=f'hidden_{index + 1}',
      )
    )
    if dropout_rate:
      layers.append(
        dropout.StatelessDropout(dropout_rate, seed=seed + index + 1, name=f'dropout_{index + 1}')
      )
  layers.append(
    tf.keras.layers.Dense(
      num_classes,
      activation=output_activation,
      kernel_initializer=tf.keras.initializers.GlorotUniform(seed + len(hidden_units)),
      name='output',
    )
  )
  return tf.keras.Sequential(layers, name='mlp')


def build_linear(input_shape: Sequence[int], num_outputs: int) -> tf.keras.Model:
  """Builds a linear model, a layer `output` whose weights are 0 at first.

  Args:
    input_shape: shape of one example, flattened by the model.
    num_outputs: size of the output.

  Returns:
    An uncompiled Keras model from float32 [batch, *input_shape] to float32 [batch, num_outputs].
  """
  layers = [
    tf.keras.layers.InputLayer(input_shape=tuple(input_shape)),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(num_outputs, kernel_initializer='zeros', name='output'),
  ]
  return tf.keras.Sequential(layers)
