"""Every client draws from the same distribution."""

import numpy as np

from tff_lg.data import examples, splits
from tff_lg.data.partitioners import partitioner


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
  partitioner.check_positive_integer('num_clients', num_clients)

  def partition(
    train: examples.Examples, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, ...]:
    del num_classes
    owners = rng.permutation(np.arange(len(train)) % num_clients)
    return splits.group_by_owner(owners, num_clients)

  return partition
