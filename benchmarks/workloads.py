"""The work that is timed: models and clients of a fixed size, with random data."""

import dataclasses
import functools
import itertools
import pathlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import tensorflow as tf

from tff_lg import models

_Client = TypeVar('_Client')


@dataclasses.dataclass(frozen=True)
class Workload:
  """One round's work.

  Attributes:
    name: as printed.
    build_keras_model: makes the model.
    num_clients: in each round.
    num_examples: of each client, seen once.
    batch_size: of a client's SGD.
    population: clients that each round's are drawn from, each time; 0 for the same clients in each.
  """

  name: str
  build_keras_model: Callable[[], tf.keras.Model]
  num_clients: int
  num_examples: int
  batch_size: int
  population: int = 0

  def model(self) -> models.LocalGlobalModel:
    """Returns the model, every weight global."""
    return models.from_keras(
      self.build_keras_model(),
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
    )

  def clients(self) -> tuple[tuple[tf.Tensor, tf.Tensor], ...]:
    """Returns random examples (x, y) of each client, always the same tensors."""
    return _clients(self)

  def cohorts(self, clients: Sequence[_Client]) -> Iterator[list[_Client]]:
    """Yields the clients of each round, the same for every contender, without end.

    Args:
      clients: of the whole population, in the order of `clients()`.
    """
    if not self.population:
      yield from itertools.repeat(list(clients))
    rng = np.random.default_rng(1)
    while True:
      drawn = rng.choice(len(clients), self.num_clients, replace=False)
      yield [clients[index] for index in drawn]


@functools.lru_cache(1)  # Contenders share them; another workload's are dropped.
def _clients(workload: Workload) -> tuple[tuple[tf.Tensor, tf.Tensor], ...]:
  rng = np.random.default_rng(0)
  keras_model = workload.build_keras_model()
  shape, num_classes = keras_model.input_shape[1:], keras_model.output_shape[-1]
  size = workload.num_examples
  return tuple(
    (
      tf.constant(rng.random((size, *shape), np.float32)),
      tf.constant(rng.integers(0, num_classes, size).astype(np.int32)),
    )
    for _ in range(workload.population or workload.num_clients)
  )


def _mlp() -> tf.keras.Model:
  return models.build_mlp((28, 28, 1), 10, (200, 200))


def _small() -> tf.keras.Model:
  return models.build_mlp((64,), 10, (64, 64, 32))


def _lenet() -> tf.keras.Model:
  return models.build_lenet((32, 32, 3), 10)


def _gated() -> tf.keras.Model:
  """Builds two layers of 64 gated units, tanh(W_f x) * sigmoid(W_g x), on embeddings of 1024."""
  tf.keras.utils.set_random_seed(0)  # The same initial weights for all that are compared.
  x = inputs = tf.keras.Input((1024,))
  for index in range(2):
    filtered = tf.keras.layers.Dense(64, 'tanh', name=f'filter_{index}')(x)
    gate = tf.keras.layers.Dense(64, 'sigmoid', name=f'gate_{index}')(x)
    x = tf.keras.layers.Multiply()([filtered, gate])
  return tf.keras.Model(inputs, tf.keras.layers.Dense(2, name='output')(x))


def _cgau() -> tf.keras.Model:
  """Builds Experiment I of Rieger et al.: each client has shifts of its own, dropout 0.5."""
  return models.build_cgau((1024,), 2, (64, 64), conditioning='local', dropout_rate=0.5)


WORKLOADS = (
  Workload('small', _small, num_clients=10, num_examples=600, batch_size=10),
  Workload('mlp', _mlp, num_clients=10, num_examples=600, batch_size=10),
  Workload('gated', _gated, num_clients=10, num_examples=320, batch_size=32),
  Workload('gated_100', _gated, num_clients=100, num_examples=320, batch_size=32),
  Workload('cgau', _cgau, num_clients=10, num_examples=320, batch_size=32),
  Workload('lenet', _lenet, num_clients=10, num_examples=500, batch_size=50),
  Workload('resnet18', models.build_resnet18, num_clients=4, num_examples=64, batch_size=32),
)


def choose(names: Sequence[str], flag: str) -> list[Workload]:
  """Returns workloads by name; ends the program with a sentence for one that there is not.

  Args:
    names: as the user gave them.
    flag: that gave them.
  """
  known = {workload.name: workload for workload in WORKLOADS}
  unknown = [name for name in names if name not in known]
  if unknown:
    program = pathlib.Path(sys.argv[0]).stem
    sys.exit(f'{program}: --{flag} has {unknown[0]}, expected some of {", ".join(known)}.')
  return [known[name] for name in names]
