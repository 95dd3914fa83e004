"""The data say whose each example is."""

import numpy as np

from tff_lg.data import examples, splits
from tff_lg.data.partitioners import partitioner


def natural() -> partitioner.Partitioner:
  """Makes each user a client, in the order of their names.

  >>> users = np.array(['bo', 'al', 'bo'])
  >>> data = examples.Examples(np.zeros([3, 1], np.float32), np.zeros(3, np.int32), users)
  >>> natural()(data, 1, np.random.default_rng(0))
  (array([1]), array([0, 2]))

  Returns:
    A partitioner; it uses every example. It raises a `DataError` if the examples have no users.

  McMahan et al. 2017, section 3: Shakespeare, a client a speaking role.
  """

  def partition(
    train: examples.Examples, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, ...]:
    del num_classes, rng
    if train.users is None:
      raise examples.DataError(
        'The natural partition needs the user of each example, but these data name no users.'
      )
    names, owners = np.unique(train.users, return_inverse=True)
    return splits.group_by_owner(owners, len(names))

  return partition
