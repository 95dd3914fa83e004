"""A recurrent network that reads a text in both directions and gives it one label."""

from collections.abc import Sequence

import tensorflow as tf


def build_bilstm(
  vocabulary_size: int,
  sequence_length: int,
  num_classes: int,
  *,
  embedding_units: int = 100,
  bilstm_units: int = 128,
  hidden_units: Sequence[int] = (512, 512),
  seed: int = 0,
) -> tf.keras.Model:
  """Builds an `embedding`, a `bilstm`, dense ReLU layers `hidden_1`, ... and an `output`.

  The last states of the two directions, side by side, are the text. Token 0 is padding: where
  it stands, a state stays as it is, so that no padding changes the output. A text without any
  token is two states of zeros.

  Args:
    vocabulary_size: V, tokens known, padding counted.
    sequence_length: T.
    num_classes: size of the output.
    embedding_units: size of an embedded token; the paper does not say it.
    bilstm_units: size of the LSTM of each direction.
    hidden_units: size of each dense layer.
    seed: of the initial weights: embeddings uniform, kernels Glorot-uniform, recurrent kernels
      orthogonal; the same seed, the same weights.

  Returns:
    An uncompiled Keras model from int32 [batch, T] to logits float32 [batch, num_classes].

  Liang et al. 2020, mood prediction: Bi-LSTM 128, MLP [512, 512].
  """
  layers, initializers = tf.keras.layers, tf.keras.initializers

  def lstm(number: int, go_backwards: bool) -> tf.keras.layers.RNN:
    # A cell in `RNN`, not the layer `LSTM`, which may become another kernel on a GPU.
    cell = layers.LSTMCell(
      bilstm_units,
      kernel_initializer=initializers.GlorotUniform(seed + 2 * number - 1),
      recurrent_initializer=initializers.Orthogonal(seed=seed + 2 * number),
      name='cell',  # Keras would count up, and name the weights of each network otherwise.
    )
    return layers.RNN(cell, go_backwards=go_backwards, name='lstm')

  tokens = tf.keras.Input((sequence_length,), dtype=tf.int32, name='tokens')
  hidden = layers.Embedding(
    vocabulary_size,
    embedding_units,
    embeddings_initializer=initializers.RandomUniform(seed=seed),
    mask_zero=True,
    name='embedding',
  )(tokens)
  # Two layers of our own: Keras would start both directions from the same weights.
  both = layers.Bidirectional(lstm(1, False), backward_layer=lstm(2, True), name='bilstm')
  hidden = both(hidden)
  for number, units in enumerate(hidden_units, 1):
    kernel = initializers.GlorotUniform(seed + 4 + number)
    hidden = layers.Dense(
      units, activation='relu', kernel_initializer=kernel, name=f'hidden_{number}'
    )(hidden)
  kernel = initializers.GlorotUniform(seed + 5 + len(hidden_units))
  logits = layers.Dense(num_classes, kernel_initializer=kernel, name='output')(hidden)
  return tf.keras.Model(tokens, logits, name='bilstm')
