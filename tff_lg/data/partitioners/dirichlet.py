"""Each class is spread over the clients by a draw from a Dirichlet distribution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, option_check
from tff_lg.data.partition_entries import PartitionEntry, register
from tff_lg.data.partitioners import partitioner

if TYPE_CHECKING:
  import numpy as np

  from tff_lg.data import examples


@attrs.frozen
class Options:
  """The option of Dirichlet's distribution."""

  dirichlet_alpha: float = entries.option(
    0.9, 'Concentration of the classes over clients', option_check.POSITIVE
  )


def dirichlet(num_clients: int, alpha: float) -> partitioner.Partitioner:
  """Spreads each class over all clients in proportions drawn from Dir(alpha, ..., alpha).

  For every class, the proportions p_1 ... p_K over the K clients are one independent draw from the
  symmetric Dirichlet distribution. The class's examples are shuffled and cut at p_1, p_1 + p_2,
  ..., rounded to whole examples. With a small `alpha`, few clients share a class; with a large one,
  the partition is nearly IID.

  So clients differ in size as well as in their mix of classes, and some may get no
  example at all. This is *not* the Dirichlet partition of Hsu et al. 2019. That one draws the mix
  of classes of each client and gives all clients the same size.

  >>> data = examples.Examples(np.zeros([9, 1], np.float32), np.zeros(9, np.int32))
  >>> sum(len(indices) for indices in dirichlet(3, 0.9)(data, 1, np.random.default_rng(0)))
  9

  Args:
    num_clients: how many clients, a positive integer.
    alpha: the concentration, a positive number.

  Returns:
    A partitioner; it uses every example.

  Raises:
    ValueError: a number is not positive.

  Yu et al. 2020, section 4: CIFAR-10, 100 clients, alpha = 0.9.
  """
  import numpy as np  # It takes a moment to import.

  from tff_lg.data import splits

  partitioner.check_positive_integer('num_clients', num_clients)
  if not (alpha > 0 and math.isfinite(alpha)):
    raise ValueError(f'alpha: {alpha} found, expected a positive number.')

  def partition(
    train: examples.Examples, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, ...]:
    owners = np.full(len(train), -1)
    for label in range(num_classes):
      indices = rng.permutation(np.flatnonzero(train.y == label))
      proportions = rng.dirichlet(np.full(num_clients, alpha))
      cuts = np.rint(np.cumsum(proportions)[:-1] * len(indices)).astype(np.int64)
      sizes = np.diff(cuts, prepend=0, append=len(indices))
      owners[indices] = np.repeat(np.arange(num_clients), sizes)
    return splits.group_by_owner(owners, num_clients)

  return partition


def _build(options: Options, num_clients: Any) -> partitioner.Partitioner:
  return dirichlet(num_clients, options.dirichlet_alpha)


register(
  PartitionEntry(
    name='dirichlet',
    label='dirichlet {}',
    does='Yu et al.: each class is spread over clients by proportions drawn from a Dirichlet '
    "distribution. (Hsu et al. 2019 draw each client's mix of classes instead, at equal sizes.)",
    build=_build,
    options=Options,
  )
)
