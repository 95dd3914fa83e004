"""Clients of clusters of features, with a share of the examples re-assigned at random.

The clusters need more than labels, so `tff_lg.tasks.embeddings` makes them.
"""

import attrs

from tff_lg import entries, option_check
from tff_lg.data.partition_entries import PartitionEntry, register


@attrs.frozen
class Options:
  """The option of clusters."""

  shuffled_share: float = entries.option(
    0.0, 'Share p of the examples, re-assigned at random', option_check.SHARE
  )


register(
  PartitionEntry(
    name='clusters',
    label='clusters {}',
    does='Rieger et al.: see P5; for `--task=embeddings`',
    build=None,
    options=Options,
  )
)
