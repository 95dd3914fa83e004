"""Each client gets a few shards of the data sorted by label."""

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
  """The option of shards."""

  shards_per_client: int = entries.option(
    2, 'Shards of label-sorted examples per client', option_check.POSITIVE
  )


def shards(num_clients: int, shards_per_client: int) -> partitioner.Partitioner:
  """Sorts by label, cuts into equal shards, deals them at random.

  There are `num_clients * shards_per_client` shards; their sizes differ by at most one. A
  shard may straddle two classes, so a client may have more classes than shards.

  >>> data = examples.Examples(np.zeros([7, 1], np.float32), np.arange(7, dtype=np.int32))
  >>> [len(indices) for indices in shards(1, 2)(data, 7, np.random.default_rng(0))]
  [7]

  Args:
    num_clients: how many clients, a positive integer.
    shards_per_client: how many shards each gets, a positive integer.

  Returns:
    A partitioner; it uses every example.

  Raises:
    ValueError: a number is not positive.

  McMahan et al. 2017, section 3: MNIST, 200 shards of 300 examples, 2 a client.
  """
  import numpy as np  # It takes a moment to import.

  from tff_lg.data import splits

  partitioner.check_positive_integer('num_clients', num_clients)
  partitioner.check_positive_integer('shards_per_client', shards_per_client)

  def partition(
    train: examples.Examples, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, ...]:
    del num_classes
    by_label = np.argsort(train.y, kind='stable')
    dealt_to = rng.permutation(np.repeat(np.arange(num_clients), shards_per_client))
    owners = np.empty(len(train), np.int64)
    for client, shard in zip(dealt_to, np.array_split(by_label, len(dealt_to)), strict=True):
      owners[shard] = client
    return splits.group_by_owner(owners, num_clients)

  return partition


def _build(options: Options, num_clients: Any) -> partitioner.Partitioner:
  return shards(num_clients, options.shards_per_client)


register(
  PartitionEntry(
    name='shards',
    label='shards {}',
    does='McMahan et al.: label-sorted, cut in equal shards, a number of them per client',
    build=_build,
    options=Options,
  )
)
