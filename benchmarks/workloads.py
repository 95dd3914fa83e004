"""The work that is timed: models and clients of a fixed size, with random data."""

import dataclasses
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from tff_lg import models


@dataclasses.dataclass(frozen=True)
class Workload:
  """One round's work.

  Attributes:
    name: as printed.
    build_keras_model: makes the model.
    num_clients: in each round.
    num_examples: of each client, seen once.
    batch_size: of a client's SGD.
  """

  name: str
  build_keras_model: Callable[[], tf.keras.Model]
  num_clients: int
  num_examples: int
  batch_size: int

  def model(self) -> models.LocalGlobalModel:
    """The model, every weight global."""
    return models.from_keras(
      self.build_keras_model(),
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
    )

  def clients(self) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random examples (x, y) of each client, always the same."""
    rng = np.random.default_rng(0)
    keras_model = self.build_keras_model()
    shape, num_classes = keras_model.input_shape[1:], keras_model.output_shape[-1]
    return [
      (
        rng.random((self.num_examples, *shape), np.float32),
        rng.integers(0, num_classes, self.num_examples).astype(np.int32),
      )
      for _ in range(self.num_clients)
    ]


def _mlp() -> tf.keras.Model:
  return models.build_mlp((28, 28, 1), 10, (200, 200))


def _lenet() -> tf.keras.Model:
  return models.build_lenet((32, 32, 3), 10)


def _gated() -> tf.keras.Model:
  """Two layers of 64 gated units, tanh(W_f x) * sigmoid(W_g x), on embeddings of 1024."""
  x = inputs = tf.keras.Input((1024,))
  for index in range(2):
    filtered = tf.keras.layers.Dense(64, 'tanh', name=f'filter_{index}')(x)
    gate = tf.keras.layers.Dense(64, 'sigmoid', name=f'gate_{index}')(x)
    x = tf.keras.layers.Multiply()([filtered, gate])
  return tf.keras.Model(inputs, tf.keras.layers.Dense(2, name='output')(x))


def _cgau() -> tf.keras.Model:
  """Experiment I of Rieger et al.: each client has shifts of its own, dropout 0.5."""
  return models.build_cgau((1024,), 2, (64, 64), conditioning='local', dropout_rate=0.5)


WORKLOADS = (
  Workload('mlp', _mlp, num_clients=10, num_examples=600, batch_size=10),
  Workload('gated', _gated, num_clients=10, num_examples=320, batch_size=32),
  Workload('gated_100', _gated, num_clients=100, num_examples=320, batch_size=32),
  Workload('cgau', _cgau, num_clients=10, num_examples=320, batch_size=32),
  Workload('lenet', _lenet, num_clients=10, num_examples=500, batch_size=50),
)
