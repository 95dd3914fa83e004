"""Models and clients for tests of adaptation."""

import numpy as np
import tensorflow as tf

from tff_lg import learning, models


def softmax_regression(output_activation=None) -> models.LocalGlobalModel:
  """Returns the logits x @ kernel + bias of three classes from two features."""
  return models.from_keras(
    models.build_mlp((2,), 3, (), seed=3, output_activation=output_activation),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=output_activation is None),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )


def tokens_model(num_tokens=4) -> models.LocalGlobalModel:
  """Builds a table whose rows are the logits of a token; label 0 is padding, 1 unknown."""
  table = tf.keras.layers.Embedding(num_tokens, num_tokens, name='table')
  layers = [tf.keras.layers.InputLayer(input_shape=(3,), dtype=tf.int32), table]
  return models.from_keras_sequences(tf.keras.Sequential(layers), padding=0, unknown=1)


def weights(model, seed) -> tuple:
  """Draws random weights for a model."""
  rng = np.random.default_rng(seed)
  return tuple(rng.normal(size=w.shape).astype(np.float32) for w in model.initial_weights)


def as_tensors(arrays) -> tuple:
  """Returns constants of the graph, as a computation gets its arguments."""
  return tuple(map(tf.constant, arrays))


def two_features(num_examples, seed) -> learning.ClientTensors:
  """Returns a client of the softmax regression."""
  rng = np.random.default_rng(seed)
  x = rng.normal(size=(num_examples, 2)).astype(np.float32)
  y = rng.integers(0, 3, num_examples).astype(np.int32)
  return learning.ClientTensors(x, y, np.array([seed, 7], np.int32))


def softmax(logits) -> np.ndarray:
  """Computes the softmax over the last dimension, in numpy."""
  exponentials = np.exp(logits - logits.max(-1, keepdims=True))
  return exponentials / exponentials.sum(-1, keepdims=True)
