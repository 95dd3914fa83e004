"""A share of the examples is dealt at random, the rest in the order of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, option_check
from tff_lg.data.partition_entries import PartitionEntry, register
from tff_lg.data.partitioners import partitioner

if TYPE_CHECKING:
  import numpy as np

  from tff_lg.data import examples


@attrs.frozen
class Options:
  """The option of gamma-similarity."""

  similarity_gamma: float = entries.option(
    0.5, 'gamma: share of the examples that are dealt at random', option_check.SHARE
  )


def similarity(num_clients: int, gamma: float) -> partitioner.Partitioner:
  """Deals a share gamma of the examples at random and the rest in the order of their labels.

  The share is shuffled and cut in equal parts; the rest is sorted by label and cut in equal
  parts, too. Each client has one part of each. With 1, clients are alike; with 0, each has one or
  two classes. Parts differ by one example at most.

  >>> data = examples.Examples(np.zeros([8, 1], np.float32), np.repeat([0, 1], 4).astype(np.int32))
  >>> [data.y[own].tolist() for own in similarity(2, 0.0)(data, 2, np.random.default_rng(0))]
  [[0, 0, 0, 0], [1, 1, 1, 1]]

  Args:
    num_clients: how many clients, a positive integer.
    gamma: the share, in [0, 1].

  Returns:
    A partitioner; it uses every example.

  Raises:
    ValueError: a number is out of its range.

  Hsu et al. 2019 and Karimireddy et al. 2020, section 7; gamma-similarity of Allouah et al. 2023.
  """
  import numpy as np  # It takes a moment to import.

  from tff_lg.data import splits

  partitioner.check_positive_integer('num_clients', num_clients)
  if not 0 <= gamma <= 1:
    raise ValueError(f'gamma: {gamma} found, expected a number in [0, 1].')

  def partition(
    train: examples.Examples, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, ...]:
    del num_classes
    order = rng.permutation(len(train))
    num_dealt = int(gamma * len(train) + 1e-9)
    dealt, rest = order[:num_dealt], order[num_dealt:]
    owners = np.full(len(train), -1)
    for part in (dealt, rest[np.argsort(train.y[rest], kind='stable')]):
      for client, own in enumerate(np.array_split(part, num_clients)):
        owners[own] = client
    return splits.group_by_owner(owners, num_clients)

  return partition


def _build(options: Options, num_clients: Any) -> partitioner.Partitioner:
  return similarity(num_clients, options.similarity_gamma)


register(
  PartitionEntry(
    name='similarity',
    label='similarity {}',
    does='gamma-similarity: a share of the examples is dealt at random, the rest sorted by label '
    'and cut in equal parts (Allouah et al. 2023)',
    build=_build,
    options=Options,
  )
)
