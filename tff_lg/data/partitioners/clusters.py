"""Clients of clusters of features, with a share of the examples re-assigned at random.

The clusters need more than labels, so `tff_lg.tasks.embeddings` makes them.
"""

from collections.abc import Iterator
from typing import Any

import attrs

from tff_lg import entries, option_check
from tff_lg.data.partition_entries import PartitionEntry, register


@attrs.frozen
class Options:
  """The option of clusters."""

  shuffled_share: float = entries.option(
    0.0, 'Share p of the examples, re-assigned at random', option_check.SHARE
  )


def _check(config: Any) -> Iterator[str]:
  if config.task != 'embeddings':
    yield (
      f'--partition=clusters is for --task=embeddings, but --task is {config.task}: embed the data '
      'first, with `python -m pipelines.embed`.'
    )


register(
  PartitionEntry(
    name='clusters',
    label='clusters {}',
    does='Rieger et al.: see P5; for `--task=embeddings`',
    build=None,
    options=Options,
    contradictions=_check,
  )
)
