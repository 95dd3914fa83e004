"""Every client draws from the same distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tff_lg.data.partition_entries import PartitionEntry, register
from tff_lg.data.partitioners import partitioner

if TYPE_CHECKING:
  import numpy as np

  from tff_lg.data import examples


def iid(num_clients: int) -> partitioner.Partitioner:
  """Shuffles the examples and deals them evenly; sizes differ by at most one.

  >>> data = examples.Examples(np.zeros([7, 1], np.float32), np.zeros(7, np.int32))
  >>> [len(indices) for indices in iid(3)(data, 1, np.random.default_rng(0))]
  [3, 2, 2]

  Args:
    num_clients: how many clients, a positive integer.

  Returns:
    A partitioner; it uses every example.

  Raises:
    ValueError: `num_clients` is not positive.

  McMahan et al. 2017, section 3: MNIST, 100 clients of 600 examples.
  """
  import numpy as np  # It takes a moment to import.

  from tff_lg.data import splits

  partitioner.check_positive_integer('num_clients', num_clients)

  def partition(
    train: examples.Examples, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, ...]:
    del num_classes
    owners = rng.permutation(np.arange(len(train)) % num_clients)
    return splits.group_by_owner(owners, num_clients)

  return partition


def _build(options: Any, num_clients: Any) -> partitioner.Partitioner:
  del options
  return iid(num_clients)


register(
  PartitionEntry(
    name='iid', label='IID', does='shuffles and deals equally', build=_build, needs_classes=False
  )
)
