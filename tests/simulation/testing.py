"""A small set of embeddings and its clients file."""

import os
from collections.abc import Sequence

import numpy as np

from tff_lg import embeddings, heterogeneity


def embedding_set(
  x: np.ndarray, y: Sequence[int], num_train: int, num_classes: int = 2
) -> embeddings.EmbeddingSet:
  """Makes examples `e00`, `e01`, …, of which the first `num_train` are for training."""
  split = np.where(np.arange(len(y)) < num_train, 'train', 'test')
  return embeddings.EmbeddingSet(
    ids=np.array([f'e{row:02d}' for row in range(len(y))]),
    x=np.asarray(x, np.float32),
    y=np.asarray(y, np.int32),
    split=split,
    class_names=np.array([f'class {label}' for label in range(num_classes)]),
    keys=np.array([f'k{row}' for row in range(len(y))]),
    provenance='{}',
  )


def random_set(
  num_train: int = 40, num_test: int = 20, num_features: int = 6
) -> embeddings.EmbeddingSet:
  """Makes two classes that a linear model can tell apart, in turn; always the same."""
  rng = np.random.default_rng(5)
  y = np.arange(num_train + num_test) % 2
  x = rng.normal(size=(len(y), num_features)) + 2.0 * y[:, np.newaxis]
  return embedding_set(x, y, num_train)


def save_clients(
  folder: str, embedded: embeddings.EmbeddingSet, clients: Sequence[int], num_clients: int
) -> str:
  """Writes a clients file; returns its path."""
  assignment = heterogeneity.ClientAssignment(
    ids=embedded.ids,
    client=np.array(clients, np.int32),
    split=embedded.split,
    num_clients=num_clients,
    shuffled_share=0.0,
    seed=0,
  )
  return heterogeneity.save_clients(os.path.join(folder, 'clients.npz'), assignment)
