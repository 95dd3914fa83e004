"""From a data set to clients, each with its own training, validation and test examples."""

import dataclasses
from collections.abc import Mapping

import numpy as np
from absl import logging

from tff_lg.data import client_examples, examples, splits, table_encoding, vocabulary
from tff_lg.data.partitioners import partitioner as partitioner_lib


@dataclasses.dataclass(frozen=True, eq=False)
class FederatedData:
  """All clients, and the whole test set.

  Attributes:
    clients: in the partitioner's order; no two have the same id.
    test: the source's test set, of which the clients' test examples are parts; without rows
      where there is no common test set.
    num_classes: labels are in [0, num_classes); of sequences, the size of the vocabulary.
    class_names: one name a class; of sequences, the vocabulary.
    held_out: clients that do not take part in training, see `held_out.hold_out_clients`.
    vocabulary: of texts or questions with one label each, the tokens by their numbers in x.
    reader: of clients that are read when needed; None where all are in memory.
    encoding: of a table, how its columns became features; None for other data.
    inputs: see `examples.Source.inputs`.

  Raises:
    DataError: a client has training examples, all of weight 0.
  """

  clients: tuple[client_examples.ClientExamples | client_examples.UnreadClient, ...]
  test: examples.Examples
  num_classes: int
  class_names: tuple[str, ...]
  held_out: tuple[client_examples.ClientExamples | client_examples.UnreadClient, ...] = ()
  vocabulary: tuple[str, ...] = ()
  reader: client_examples.Reader | None = None
  encoding: table_encoding.TableEncoding | None = None
  inputs: Mapping[str, tuple[int, ...]] = dataclasses.field(default_factory=dict)

  def __post_init__(self) -> None:
    for client in (*self.clients, *self.held_out) if self.has_weights else ():
      weights = client.train.weights
      if weights is not None and len(weights) and not weights.any():
        raise examples.DataError(
          f'The client {client.client_id} has training examples of weight 0 alone '
          f'({len(weights)}), expected one with a greater weight.'
        )

  @property
  def has_weights(self) -> bool:
    """Whether examples have weights."""
    return self.test.weights is not None

  @property
  def objective(self) -> str:
    """The kind of prediction, see `examples.Examples.objective`."""
    return self.test.objective

  @property
  def has_sequences(self) -> bool:
    """Whether an example is a sequence with a label at each position."""
    return self.test.has_classes and self.test.y.ndim > 1

  @property
  def has_plain_labels(self) -> bool:
    """Whether an example has one class, and only to predict that is right."""
    is_plain = not self.has_sequences and self.test.answers is None
    return self.test.has_classes and is_plain

  def num_classes_of_clients(self) -> np.ndarray | None:
    """Returns int64 [num_clients]: different labels in training and validation examples.

    For sequences, that is the client's vocabulary as far as it is known, without padding. None for
    clients that are read when needed, and where labels are not classes.
    """
    if self.reader is not None or not self.test.has_classes:
      return None
    return np.array(
      [
        np.unique(y[y != vocabulary.PADDING] if self.has_sequences else y).size
        for client in self.clients
        for y in [np.concatenate([client.train.y, client.validation.y])]
      ],
      np.int64,
    )

  def label_counts(self) -> np.ndarray | None:
    """Returns int64 [num_clients, num_classes]: training and validation examples by class.

    None for sequences, whose labels are the words of a vocabulary, and for clients that are read
    when needed. None also where annotators' answers are weighed or labels are not classes.
    """
    if not self.has_plain_labels or self.reader is not None:
      return None
    counts = np.zeros((len(self.clients), self.num_classes), np.int64)
    for row, client in zip(counts, self.clients, strict=True):
      for part in (client.train, client.validation):
        row += np.bincount(part.y, minlength=self.num_classes)
    return counts


def partition_clients(
  source: examples.Source,
  partitioner: partitioner_lib.Partitioner,
  *,
  validation_fraction: float,
  seed: int,
  allow_empty_clients: bool = False,
) -> FederatedData:
  """Gives each client training, validation and test examples of the same classes.

  - The partitioner spreads the source's training examples.
  - The source's test examples follow them. A client gets test examples of each class in proportion
    to its share of the class's training examples. It gets at least one if there are enough for all
    clients with the class (`splits.apportion`).
  - Validation examples are taken out of each client's training examples, stratified by class
    (`splits.hold_out`). Where a client has few examples, some class may be without one.

  The clients may be the users of the data, as `natural` makes them. Each client then has the
  examples of one user, and no user has two clients. The client's id is then the user's name. If the
  test examples name their users too, the client's test examples are the user's.

  Args:
    source: the data. The result holds copies: drop the source to free its memory.
    partitioner: e.g. `partitioners.iid(100)`.
    validation_fraction: the part of a client's training examples held out, in [0, 1).
    seed: of everything random here. The partition, the test and the validation examples are
      drawn from streams of their own, so `validation_fraction` does not change the others.
    allow_empty_clients: keep clients without training examples; they have no test examples either.

  Returns:
    The clients and the whole test set.

  Raises:
    ValueError: a client without training examples, a fraction out of range, or a partitioner that
      gives an index out of range or twice.
  """
  if not 0 <= validation_fraction < 1:
    raise ValueError(f'validation_fraction: {validation_fraction} found, expected in [0, 1).')
  partition_seed, test_seed, validation_seed = np.random.SeedSequence(seed).spawn(3)
  train = source.train
  parts = partitioner(train, source.num_classes, np.random.default_rng(partition_seed))
  owners = _owners(parts, len(train))
  users = _users_of_clients(parts, train)
  client_ids = users or numbered_ids(len(parts))
  if not allow_empty_clients:
    _refuse_empty(parts, client_ids)
  if users and source.test.users is not None:
    test_owners = _own_test_examples(source.test.users, users)
  else:
    test_owners = _spread_test_examples(
      source, owners, len(parts), np.random.default_rng(test_seed)
    )
  test_parts = splits.group_by_owner(test_owners, len(parts))
  without_test = sum(not len(part) for part in test_parts)
  if without_test:
    logging.warning('%d of %d clients have no test examples.', without_test, len(parts))
  rng = np.random.default_rng(validation_seed)
  strata = train.strata
  clients = []
  for client_id, part, test_part in zip(client_ids, parts, test_parts, strict=True):
    kept, held = splits.hold_out(strata[part], validation_fraction, rng)
    clients.append(
      client_examples.ClientExamples(
        client_id=client_id,
        train=train.take(part[kept]),
        validation=train.take(part[held]),
        test=source.test.take(test_part),
      )
    )
  return FederatedData(
    tuple(clients),
    source.test,
    source.num_classes,
    source.class_names,
    encoding=source.encoding,
    inputs=source.inputs,
  )


def _owners(parts: tuple[np.ndarray, ...], num_examples: int) -> np.ndarray:
  """Returns the client of each training example, -1 for none, and checks the partition."""
  indices = np.concatenate([np.zeros(0, np.int64), *parts])
  if len(indices) and not 0 <= indices.min() <= indices.max() < num_examples:
    raise ValueError(
      f'The partitioner gave indices from {indices.min()} to {indices.max()}, '
      f'expected 0 to {num_examples - 1}.'
    )
  times = np.bincount(indices, minlength=num_examples)
  if times.max(initial=0) > 1:
    raise ValueError(
      f'The partitioner gave example {times.argmax()} out {times.max()} times, expected once.'
    )
  owners = np.full(num_examples, -1)
  owners[indices] = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
  return owners


def _users_of_clients(
  parts: tuple[np.ndarray, ...], train: examples.Examples
) -> tuple[str, ...] | None:
  """Returns each client's user if clients and users are the same, else None."""
  if train.users is None or not all(len(part) for part in parts):
    return None
  users = tuple(str(train.users[part[0]]) for part in parts)
  same = all((train.users[part] == user).all() for part, user in zip(parts, users, strict=True))
  return users if same and len(set(users)) == len(users) else None


def numbered_ids(num_clients: int) -> tuple[str, ...]:
  """Returns ids for clients that have no names: client_0, client_1, ..."""
  width = len(str(num_clients - 1))  # Padded, so that they sort by number.
  return tuple(f'client_{number:0{width}d}' for number in range(num_clients))


def _refuse_empty(parts: tuple[np.ndarray, ...], client_ids: tuple[str, ...]) -> None:
  empty = [client_id for client_id, part in zip(client_ids, parts, strict=True) if not len(part)]
  if empty:
    raise ValueError(
      f'{empty[0]}: no training examples found ({len(empty)} such clients of {len(parts)}), '
      'expected at least one: lower num_clients or, for a dirichlet partition, raise alpha.'
    )


def _own_test_examples(test_users: np.ndarray, users: tuple[str, ...]) -> np.ndarray:
  """Returns the client of each test example by its user, -1 for users that are not clients."""
  client_of = {user: client for client, user in enumerate(users)}
  names, inverse = np.unique(test_users, return_inverse=True)
  return np.array([client_of.get(str(name), -1) for name in names], np.int64)[inverse]


def _spread_test_examples(
  source: examples.Source, owners: np.ndarray, num_clients: int, rng: np.random.Generator
) -> np.ndarray:
  """Returns the client of each test example, -1 where no client trains on its class."""
  test_owners = np.full(len(source.test), -1)
  strata, test_strata = source.train.strata, source.test.strata
  for label in range(source.num_classes):
    holders = owners[(strata == label) & (owners >= 0)]
    if not len(holders):
      continue
    indices = rng.permutation(np.flatnonzero(test_strata == label))
    shares = splits.apportion(len(indices), np.bincount(holders, minlength=num_clients), rng)
    test_owners[indices] = np.repeat(np.arange(num_clients), shares)
  return test_owners
