"""Partitions as entries: how `--partition` spreads examples over clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries

if TYPE_CHECKING:
  from tff_lg.data.partitioners import Partitioner


@attrs.frozen(kw_only=True)
class PartitionEntry(entries.Entry):
  """A partition; its label has {} where the value of its option is to stand. See `register`.

  Attributes:
    does: for the table of partitions, in Markdown.
    build: (options, number of clients, None where the data decide it) -> the partitioner; None for
      what needs embeddings.
    is_natural: whether the data decide who the clients are.
    mixes_clients: whether examples are then shuffled between all clients, which keep their sizes.
    needs_classes: whether it looks at labels, which then have to be classes.
  """

  does: str
  build: Callable[[Any, int | None], Partitioner] | None
  is_natural: bool = False
  mixes_clients: bool = False
  needs_classes: bool = True

  @property
  def needs_embeddings(self) -> bool:
    """Whether it looks at embeddings, so that the task has to make it."""
    return self.build is None

  @property
  def keeps_users(self) -> bool:
    """Whether each client is one of the users that the data name."""
    return self.is_natural and not self.mixes_clients


# What `--partition` takes, with everything that is known about it.
PARTITIONS: entries.Registry[PartitionEntry] = entries.Registry('partition')
register = PARTITIONS.register
