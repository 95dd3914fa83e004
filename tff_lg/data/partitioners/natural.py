"""The data say whose each example is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tff_lg.data.partition_entries import PartitionEntry, register
from tff_lg.data.partitioners import partitioner

if TYPE_CHECKING:
  import numpy as np

  from tff_lg.data import examples


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
  import numpy as np  # It takes a moment to import.

  from tff_lg.data import examples, splits

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


def _build(options: Any, num_clients: Any) -> partitioner.Partitioner:
  del options, num_clients
  return natural()


register(
  PartitionEntry(
    name='natural',
    label='natural',
    does='by the users that the data name',
    build=_build,
    is_natural=True,
    needs_classes=False,
  )
)
register(
  PartitionEntry(
    name='natural_iid',
    label='natural iid',
    does='McMahan et al.: clients of the same sizes as the users, examples shuffled between them',
    build=_build,
    is_natural=True,
    needs_classes=False,
    mixes_clients=True,
  )
)
