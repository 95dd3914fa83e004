"""Cross-validation within clients: each example of a client is a test example in one fold."""

import dataclasses
from typing import NamedTuple

import numpy as np

from tff_lg import metrics
from tff_lg.data import client_examples, examples, federated, splits


class Fold(NamedTuple):
  """A fold of each client's examples.

  Attributes:
    number: from 0.
    num_folds: at least 2.
  """

  number: int
  num_folds: int


def take_fold(
  federated_data: federated.FederatedData,
  fold: Fold,
  *,
  validation_fraction: float,
  seed: int,
  standardizes: bool = False,
) -> federated.FederatedData:
  """Splits each client's examples again: those of a fold for testing, the others for training.

  Args:
    federated_data: clients in memory, whose features depend on no other example.
    fold: that is for testing.
    validation_fraction: the part of a client's other examples held out, in [0, 1).
    seed: of the folds and of the validation examples.
    standardizes: whether to standardise features and numbers to predict again. This uses the mean
      and the standard deviation of the examples that the fold does not test. Data that were
      standardised before have seen some of its test examples.

  Returns:
    The clients in their order; their test examples together are the common test set, unless there
    is none. A client's only example is for training in all folds.
  """
  fold_seed, validation_seed = np.random.SeedSequence(seed).spawn(2)
  fold_rng, validation_rng = map(np.random.default_rng, (fold_seed, validation_seed))
  clients = []
  for client in federated_data.clients:
    of_client = examples.concatenate([client.train, client.validation, client.test])
    folds = splits.deal_folds(of_client.strata, None, fold.num_folds, fold_rng)
    rest, tested = np.flatnonzero(folds != fold.number), np.flatnonzero(folds == fold.number)
    kept, held = splits.hold_out(of_client.strata[rest], validation_fraction, validation_rng)
    train, validation, test = map(of_client.take, (rest[kept], rest[held], tested))
    clients.append(client_examples.ClientExamples(client.client_id, train, validation, test))
  if standardizes:
    clients = _standardize(clients)
  has_common_test = len(federated_data.test) > 0
  test = examples.concatenate([client.test for client in clients])
  return dataclasses.replace(
    federated_data, clients=tuple(clients), test=test if has_common_test else federated_data.test
  )


def _standardize(
  clients: list[client_examples.ClientExamples],
) -> list[client_examples.ClientExamples]:
  """Standardises by the training and validation examples of all clients."""
  kept = examples.concatenate([p for client in clients for p in (client.train, client.validation)])
  names = ('x', 'y') if metrics.OBJECTIVES[kept.objective].predicts_numbers else ('x',)
  moments = {name: _moments(getattr(kept, name)) for name in names}

  def change(part: examples.Examples) -> examples.Examples:
    changed = {
      name: ((getattr(part, name) - mean) / deviation).astype(np.float32)
      for name, (mean, deviation) in moments.items()
    }
    return dataclasses.replace(part, **changed)

  return [
    client_examples.ClientExamples(
      client.client_id, *map(change, (client.train, client.validation, client.test))
    )
    for client in clients
  ]


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
  """Returns means and standard deviations; 1 for what does not vary."""
  deviation = values.std(axis=0, dtype=np.float64)
  return values.mean(axis=0, dtype=np.float64), np.where(deviation > 0, deviation, 1.0)
