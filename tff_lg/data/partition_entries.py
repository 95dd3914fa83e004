"""Partitions as entries: how `--partition` spreads examples over clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, option_check

if TYPE_CHECKING:
  from tff_lg.data.partitioners import Partitioner


@attrs.frozen(kw_only=True)
class PartitionEntry(entries.Entry):
  """A partition; its label has {} where the value of its option is to stand. See `register`.

  Attributes:
    does: for the table of partitions, in Markdown.
    build: (options, number of clients, None where the data decide it) -> the partitioner; None for
      what needs more than labels, which is for --task=embeddings alone.
    is_natural: whether the data decide who the clients are.
    mixes_clients: whether examples are then shuffled between all clients, which keep their sizes.
    needs_classes: whether it looks at labels, which then have to be classes.
  """

  does: str
  build: Callable[[Any, int | None], Partitioner] | None
  is_natural: bool = False
  mixes_clients: bool = False
  needs_classes: bool = True


# What `--partition` takes, with everything that is known about it.
PARTITIONS: entries.Registry[PartitionEntry] = entries.Registry('partition')
register = PARTITIONS.register


@attrs.frozen
class Shards:
  """The option of shards."""

  shards_per_client: int = entries.option(
    2, 'Shards of label-sorted examples per client', option_check.POSITIVE
  )


@attrs.frozen
class Classes:
  """The option of a few classes per client."""

  classes_per_client: int = entries.option(
    2, 'Largest number of classes per client', option_check.POSITIVE
  )


@attrs.frozen
class Dirichlet:
  """The option of Dirichlet's distribution."""

  dirichlet_alpha: float = entries.option(
    0.9, 'Concentration of the classes over clients', option_check.POSITIVE
  )


@attrs.frozen
class Similarity:
  """The option of gamma-similarity."""

  similarity_gamma: float = entries.option(
    0.5, 'gamma: share of the examples that are dealt at random', option_check.SHARE
  )


@attrs.frozen
class Clusters:
  """The option of clusters."""

  shuffled_share: float = entries.option(
    0.0, 'Share p of the examples, re-assigned at random', option_check.SHARE
  )


def _iid(options: Any, num_clients: Any) -> Partitioner:
  from tff_lg.data import partitioners  # It imports NumPy.

  del options
  return partitioners.iid(num_clients)


def _shards(options: Shards, num_clients: Any) -> Partitioner:
  from tff_lg.data import partitioners

  return partitioners.shards(num_clients, options.shards_per_client)


def _classes(options: Classes, num_clients: Any) -> Partitioner:
  from tff_lg.data import partitioners

  return partitioners.classes_per_client(num_clients, options.classes_per_client)


def _dirichlet(options: Dirichlet, num_clients: Any) -> Partitioner:
  from tff_lg.data import partitioners

  return partitioners.dirichlet(num_clients, options.dirichlet_alpha)


def _similarity(options: Similarity, num_clients: Any) -> Partitioner:
  from tff_lg.data import partitioners

  return partitioners.similarity(num_clients, options.similarity_gamma)


def _check_clusters(config: Any) -> Iterator[str]:
  if config.task != 'embeddings':
    yield (
      f'--partition=clusters is for --task=embeddings, but --task is {config.task}: embed the data '
      'first, with `python -m pipelines.embed`.'
    )


def _natural(options: Any, num_clients: Any) -> Partitioner:
  from tff_lg.data import partitioners

  del options, num_clients
  return partitioners.natural()


for _entry in (
  PartitionEntry(
    name='iid', label='IID', does='shuffles and deals equally', build=_iid, needs_classes=False
  ),
  PartitionEntry(
    name='shards',
    label='shards {}',
    does='McMahan et al.: label-sorted, cut in equal shards, a number of them per client',
    build=_shards,
    options=Shards,
  ),
  PartitionEntry(
    name='classes_per_client',
    label='{} classes per client',
    does='Liang et al.: each class cut in equal shards, classes dealt at random, at most the '
    'stated number of classes per client',
    build=_classes,
    options=Classes,
  ),
  PartitionEntry(
    name='dirichlet',
    label='dirichlet {}',
    does='Yu et al.: each class is spread over clients by proportions drawn from a Dirichlet '
    "distribution. (Hsu et al. 2019 draw each client's mix of classes instead, at equal sizes.)",
    build=_dirichlet,
    options=Dirichlet,
  ),
  PartitionEntry(
    name='similarity',
    label='similarity {}',
    does='gamma-similarity: a share of the examples is dealt at random, the rest sorted by label '
    'and cut in equal parts (Allouah et al. 2023)',
    build=_similarity,
    options=Similarity,
  ),
  PartitionEntry(
    name='natural',
    label='natural',
    does='by the users that the data name',
    build=_natural,
    is_natural=True,
    needs_classes=False,
  ),
  PartitionEntry(
    name='natural_iid',
    label='natural iid',
    does='McMahan et al.: clients of the same sizes as the users, examples shuffled between them',
    build=_natural,
    is_natural=True,
    needs_classes=False,
    mixes_clients=True,
  ),
  PartitionEntry(
    name='clusters',
    label='clusters {}',
    does='Rieger et al.: see P5; for `--task=embeddings`',
    build=None,
    options=Clusters,
    contradictions=_check_clusters,
  ),
):
  register(_entry)
