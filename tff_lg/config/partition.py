"""How examples are spread over clients: the partition's options, made of the entries."""

from typing import Any

from tff_lg.config.entry_options import EntryOptions
from tff_lg.data import PARTITIONS

PARTITION_OPTIONS = EntryOptions(PARTITIONS, 'partition')
PartitionOptions: Any = PARTITION_OPTIONS.make_class()

# Unless the task has another.
DEFAULT = 'classes_per_client'
# Those by the users that the data name.
NATURAL = tuple(name for name, entry in PARTITIONS.items() if entry.is_natural)


def fast(partition: str | None, keeps_task: bool) -> dict[str, Any]:
  """Returns the partition and its options for a small run, by name.

  Args:
    partition: of the run; None for the task's.
    keeps_task: whether the small run is of the same task; otherwise it is on digits.
  """
  entry = None if partition is None else PARTITIONS[partition]
  fits_digits = entry is not None and entry.build is not None and not entry.is_natural
  chosen = partition if keeps_task or fits_digits else None
  return {**PARTITION_OPTIONS.without(chosen or DEFAULT), 'partition': chosen}
