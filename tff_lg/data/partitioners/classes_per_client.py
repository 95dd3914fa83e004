"""Each client gets a few classes: the partition of the LG-FedAvg paper."""

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
  """The option of a few classes per client."""

  classes_per_client: int = entries.option(
    2, 'Largest number of classes per client', option_check.POSITIVE
  )


def classes_per_client(num_clients: int, classes_per_client: int) -> partitioner.Partitioner:
  """Deals each client shards of **at most** `classes_per_client` classes, at random.

  Each class is cut, in the order of the data, into
  `num_clients * classes_per_client / num_classes` shards. The labels, each repeated that many
  times, are shuffled. Each client is dealt `classes_per_client` of them, and gets one of the
  class's shards at random for each label. So a client can be dealt one label twice. With 100
  clients, 10 classes and 2 per client, the probability is 19/199, 9.5 %. This is the rule of the
  paper's reference code.

  Beyond the reference:
  - If the shards do not divide evenly over the classes, they are dealt as evenly as possible. Some
    classes, chosen at random, are then cut into one shard more.
  - Classes without examples do not count.

  >>> data = examples.Examples(np.zeros([4, 1], np.float32), np.array([0, 0, 1, 1], np.int32))
  >>> [len(indices) for indices in classes_per_client(2, 1)(data, 2, np.random.default_rng(0))]
  [2, 2]

  Args:
    num_clients: how many clients, a positive integer.
    classes_per_client: how many labels each is dealt, a positive integer.

  Returns:
    A partitioner; it uses every example. It raises a ValueError if there are fewer shards
    than classes, as some class would go to nobody.

  Raises:
    ValueError: a number is not positive.

  Liang et al. 2020, section 5.1: MNIST and CIFAR-10, 100 clients, 2 classes per client.
  """
  import numpy as np  # It takes a moment to import.

  from tff_lg.data import splits

  partitioner.check_positive_integer('num_clients', num_clients)
  partitioner.check_positive_integer('classes_per_client', classes_per_client)

  def partition(
    train: examples.Examples, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, ...]:
    labels = np.flatnonzero(np.bincount(train.y, minlength=num_classes))
    num_shards = num_clients * classes_per_client
    if num_shards < len(labels):
      raise ValueError(
        f'num_clients * classes_per_client: {num_clients} * {classes_per_client} found, expected '
        f'at least {len(labels)}, the number of classes, or some class would go to nobody.'
      )
    shards_of_label = splits.apportion(num_shards, np.ones(len(labels)), rng)
    dealt_to = np.repeat(np.arange(num_clients), classes_per_client)
    dealt_label = rng.permutation(np.repeat(labels, shards_of_label))
    owners = np.empty(len(train), np.int64)
    for label, num_parts in zip(labels, shards_of_label, strict=True):
      clients = rng.permutation(dealt_to[dealt_label == label])
      for client, shard in zip(
        clients, np.array_split(np.flatnonzero(train.y == label), num_parts), strict=True
      ):
        owners[shard] = client
    return splits.group_by_owner(owners, num_clients)

  return partition


def _build(options: Options, num_clients: Any) -> partitioner.Partitioner:
  return classes_per_client(num_clients, options.classes_per_client)


register(
  PartitionEntry(
    name='classes_per_client',
    label='{} classes per client',
    does='Liang et al.: each class cut in equal shards, classes dealt at random, at most the '
    'stated number of classes per client',
    build=_build,
    options=Options,
  )
)
