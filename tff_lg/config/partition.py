"""How examples are spread over clients, and which are held out; a partition's own options."""

import dataclasses
from typing import Any

from tff_lg import tasks
from tff_lg.config import repetition, task
from tff_lg.config.entry_options import EntryOptions
from tff_lg.config.option import option
from tff_lg.data import PARTITIONS

PARTITION_OPTIONS = EntryOptions(PARTITIONS, 'partition')
_EntryOptions: Any = PARTITION_OPTIONS.make_class()

# Those by the users that the data name.
NATURAL = tuple(name for name, entry in PARTITIONS.items() if entry.is_natural)


@dataclasses.dataclass(frozen=True)
class PartitionOptions(_EntryOptions, repetition.RepetitionOptions):
  """The clients and their examples; None stands for a default that depends on other choices."""

  partition: str | None = option(
    None,
    'How training examples are spread over clients; '
    f'{task.say_default(task.say_partition)}. natural_iid shuffles examples '
    'between clients of natural sizes.',
    tuple(PARTITIONS),
  )
  num_clients: int | None = option(
    None,
    f'Number of clients, K; {task.say_default(lambda entry: str(entry.num_clients))}. The '
    'data decide it for --partition=natural and natural_iid.',
  )
  held_out_clients: int | None = option(
    None,
    'Number of held-out clients, drawn at random: no round, choice of a model or vocabulary sees '
    'them. Their scores with the model that the others trained are in held_out_clients.parquet, '
    'and under held_out/ in the summary. None by default.',
  )
  held_out_ids: tuple[str, ...] | None = option(
    None, 'Ids of the clients to hold out, separated by commas, instead of drawn ones.'
  )
  validation_clients: int | None = option(
    None,
    'How many of the held-out clients, drawn at random, are validation clients, which choose for '
    'all with --choose=validation_clients of `pipelines.adapt`; the others are test clients. '
    'Nobody by default.',
  )
  validation_fraction: float | None = option(
    None,
    "Part of each client's training examples (of all its examples for --task=mood) held out to "
    'choose models; 0.1 by default, for --task=school and vehicle as many as for testing.',
  )

  @property
  def num_held_out(self) -> int:
    """Held-out clients, by their number or their ids."""
    return self.held_out_clients or len(set(self.held_out_ids or ()))


def fast(partition: str | None, keeps_task: bool) -> dict[str, Any]:
  """Returns the partition and its options for a small run, by name.

  Args:
    partition: of the run; None for the task's.
    keeps_task: whether the small run is of the same task; otherwise it is on digits.
  """
  entry = None if partition is None else PARTITIONS[partition]
  fits_digits = entry is not None and not (entry.needs_embeddings or entry.is_natural)
  chosen = partition if keeps_task or fits_digits else None
  return {**PARTITION_OPTIONS.without(chosen or tasks.DEFAULT_PARTITION), 'partition': chosen}
