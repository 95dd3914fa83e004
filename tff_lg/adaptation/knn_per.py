"""kNN-Per: a vote of the client's nearest training examples beside the model. Marfoq et al. 2022.

Nothing trains: what a client adds to the model is its own data. That is why this is a technique of
adaptation, which takes any finished run, and no method with rounds of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries
from tff_lg.adaptation.technique import Adaptation, TechniqueEntry, register
from tff_lg.option_check import POSITIVE, SHARE

if TYPE_CHECKING:
  import numpy as np
  import threadpoolctl

_WEIGHTS = tuple(tenth / 10 for tenth in range(1, 11))


@attrs.frozen
class Options:
  """Options of kNN-Per."""

  knn_neighbours: tuple[int, ...] = entries.option(
    (5, 10, 20),
    'k: training examples that vote, or several numbers to choose from',
    POSITIVE,
    by_default='5, 10 and 20',
  )
  knn_weight: tuple[float, ...] = entries.option(
    _WEIGHTS,
    "lambda: weight of the vote, where that of the model's probabilities is 1 - lambda, or several "
    'to choose from',
    SHARE,
    by_default='all tenths from 0.1 to 1',
  )


def neighbour_votes(
  train: np.ndarray,
  labels: np.ndarray,
  representations: np.ndarray,
  num_classes: int,
  neighbours: Sequence[int],
) -> np.ndarray:
  """Computes the classes' shares among the nearest training examples.

  A neighbour at Euclidean distance d counts exp(-d), as in the paper.

  Args:
    train: float [m, dimension], representations of at least one training example.
    labels: int [m], their classes.
    representations: float [n, dimension], of the examples that are predicted.
    num_classes: number of classes.
    neighbours: how many vote, or all where there are fewer.

  Returns:
    float64 [len(neighbours), n, num_classes]; each row sums to one.
  """
  import numpy as np  # They take seconds to import.
  from sklearn import neighbors

  result = np.zeros((len(neighbours), len(representations), num_classes))
  if not len(representations):
    return result
  most = min(max(neighbours), len(labels))
  search = neighbors.NearestNeighbors(n_neighbors=most).fit(train)
  # Which of several examples at the same distance vote depends on the number of threads.
  with _thread_pools().limit(limits=1):
    distances, found = search.kneighbors(representations)
  # Relative to the nearest one, where exp(-d) would be zero for all.
  counts = np.exp(distances[:, :1] - distances)
  classes = labels[found][:, :, np.newaxis] == np.arange(num_classes)
  for index, number in enumerate(neighbours):
    of_nearest = counts[:, :number]
    result[index] = np.einsum('nk,nkc->nc', of_nearest, classes[:, :number]) / of_nearest.sum(
      axis=1, keepdims=True
    )
  return result


@functools.cache
def _thread_pools() -> threadpoolctl.ThreadpoolController:
  """Finds the pools of threads of libraries, once: it takes longer than a small client's search."""
  import threadpoolctl

  return threadpoolctl.ThreadpoolController()


def _build(options: Options, setting: Mapping[str, Any]) -> Adaptation:
  del options, setting
  return Adaptation(trained_layers=lambda model: ())


register(
  TechniqueEntry(
    name='knn_per',
    label='kNN-Per',
    minimises='nothing: (1 - lambda) P(G) + lambda P(vote of the k nearest training examples)',
    build=_build,
    options=Options,
    rates=None,
    rate_factors=(),
    is_default=False,
    tried=('knn_neighbours', 'knn_weight'),
  )
)
