"""Recurrent networks that predict the next token of a text at each position."""

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tff_lg.models import dropout


class TiedEmbedding(tf.keras.layers.Layer):
  """An embedding whose matrix is also that of the output; the output has a bias.

  Press and Wolf 2017, Using the Output Embedding to Improve Language Models.
  """

  def __init__(self, vocabulary_size: int, units: int, seed: int, **kwargs: Any) -> None:
    """Makes the layer; weights are uniform in [-0.05, 0.05], the bias is zero."""
    super().__init__(**kwargs)
    self._options = {'vocabulary_size': vocabulary_size, 'units': units, 'seed': seed}

  def build(self, input_shape: tf.TensorShape) -> None:
    """Makes the weights."""
    del input_shape
    vocabulary_size, units = self._options['vocabulary_size'], self._options['units']
    self.embeddings = self.add_weight(
      'embeddings', (vocabulary_size, units), initializer=_uniform(self._options['seed'])
    )
    self.bias = self.add_weight('bias', (vocabulary_size,), initializer='zeros')
    self.built = True

  def call(self, inputs: tf.Tensor, as_output: bool = False) -> tf.Tensor:
    """Embeds int32 [n, T] in [n, T, units]; as output, [n, T, units] to logits [n, T, V]."""
    if as_output:
      # One product of two matrices: much faster than one a sequence.
      flat = tf.reshape(inputs, [-1, self._options['units']])
      logits = tf.matmul(flat, self.embeddings, transpose_b=True) + self.bias
      shape = tf.concat([tf.shape(inputs)[:-1], [self._options['vocabulary_size']]], axis=0)
      return tf.reshape(logits, shape)
    return tf.nn.embedding_lookup(self.embeddings, inputs)

  def get_config(self) -> dict[str, object]:
    """Returns the layer's arguments."""
    return {**super().get_config(), **self._options}


def build_lstm(
  vocabulary_size: int,
  sequence_length: int,
  *,
  embedding_units: int = 200,
  lstm_units: Sequence[int] = (200, 200),
  tied: bool = False,
  dropout_rate: float = 0.0,
  seed: int = 0,
) -> tf.keras.Model:
  """Builds an `embedding`, layers `lstm_1`, `lstm_2`, ... and a dense `output`.

  Every sequence starts from a state of zeros. With `tied`, the layer `embedding` is the output,
  too: its matrix is one weight, and there is no layer `output`.

  Args:
    vocabulary_size: V, tokens known.
    sequence_length: T.
    embedding_units: size of an embedded token.
    lstm_units: size of each LSTM layer, at least one.
    tied: whether input and output share one matrix.
    dropout_rate: after the embedding and each LSTM layer, in training, see `StatelessDropout`.
    seed: of the initial weights: embeddings uniform, kernels Glorot-uniform, recurrent kernels
      orthogonal; the same seed, the same weights.

  Returns:
    An uncompiled Keras model from int32 [batch, T] to logits float32 [batch, T, V].

  Raises:
    ValueError: no layer, or `tied` with a last layer of another size than the embedding.

  Hochreiter and Schmidhuber 1997. McMahan et al. 2017, section 3 (characters: 8, 2 x 256);
  Yu et al. 2020, section 4 (words: 200, 2 x 200).
  """
  if not lstm_units or (tied and lstm_units[-1] != embedding_units):
    raise ValueError(
      f'lstm_units is {tuple(lstm_units)}, expected at least one layer and, with tied embeddings, '
      f'a last one of {embedding_units} units.'
    )
  layers = tf.keras.layers
  if tied:
    embedding = TiedEmbedding(vocabulary_size, embedding_units, seed, name='embedding')
  else:
    embedding = layers.Embedding(
      vocabulary_size, embedding_units, embeddings_initializer=_uniform(seed), name='embedding'
    )
  tokens = tf.keras.Input((sequence_length,), dtype=tf.int32, name='tokens')

  def drop(hidden: tf.Tensor, number: int) -> tf.Tensor:
    if not dropout_rate:
      return hidden
    name = f'dropout_{number}'
    return dropout.StatelessDropout(dropout_rate, seed=seed + number, name=name)(hidden)

  hidden = drop(embedding(tokens), 0)
  for number, units in enumerate(lstm_units, 1):
    # A cell in `RNN`, not the layer `LSTM`, which may become another kernel on a GPU.
    cell = layers.LSTMCell(
      units,
      kernel_initializer=tf.keras.initializers.GlorotUniform(seed + 2 * number - 1),
      recurrent_initializer=tf.keras.initializers.Orthogonal(seed=seed + 2 * number),
      name='cell',  # Keras would count up, and name the weights of each network otherwise.
    )
    hidden = layers.RNN(cell, return_sequences=True, name=f'lstm_{number}')(hidden)
    hidden = drop(hidden, number)
  if tied:
    logits = embedding(hidden, as_output=True)
  else:
    kernel = tf.keras.initializers.GlorotUniform(seed + 2 * len(lstm_units) + 1)
    logits = layers.Dense(vocabulary_size, kernel_initializer=kernel, name='output')(hidden)
  return tf.keras.Model(tokens, logits, name='lstm')


def _uniform(seed: int) -> tf.keras.initializers.Initializer:
  return tf.keras.initializers.RandomUniform(seed=seed)
