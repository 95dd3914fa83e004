"""How evenly a model serves its clients, and two models on the same clients."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from tff_lg import metric_names
from tff_lg.analysis import formats
from tff_lg.analysis.paired import PairedComparison, compare_clients, worst_decile_mean


class ClientSpread(NamedTuple):
  """Accuracy over clients, each counting the same; NaN without clients.

  Attributes:
    mean: a share in [0, 1].
    median: the same.
    worst_decile: mean of the tenth of clients (rounded up) with the lowest accuracy, or the
      highest error.
    gini: Gini coefficient in [0, 1), see `gini`.
    variance: of the population of clients (divided by n).
  """

  mean: float
  median: float
  worst_decile: float
  gini: float
  variance: float


class AccuracyComparison(NamedTuple):
  """Two accuracies of the same clients.

  Attributes:
    method: how the first is spread over the clients.
    other: how the second is.
    change: first minus second, client by client.
  """

  method: ClientSpread
  other: ClientSpread
  change: PairedComparison


def gini(values: np.ndarray) -> float:
  """Returns the Gini coefficient of some values: how unevenly their sum is shared.

  That is the mean absolute difference of two values, over all n² pairs, divided by twice their
  mean. Here it is computed by ranks, sum_i (2 i - n - 1) x_i / (n sum_i x_i), with x sorted and i
  from 1.

  Args:
    values: not negative.

  Returns:
    From 0, all are equal (also all zero), to 1 - 1/n, one has everything; NaN without any.
  """
  n = len(values)
  if not n:
    return math.nan
  total = float(np.sum(values))
  ranks = np.arange(1, n + 1)
  return float(np.sum((2 * ranks - n - 1) * np.sort(values)) / (n * total)) if total else 0.0


def describe_clients(
  accuracy: pd.Series, metric: str = metric_names.LOCAL_ACCURACY
) -> ClientSpread:
  """Returns how an accuracy, or another metric, is spread over clients.

  Args:
    accuracy: one per client; one that is NaN is left out.
    metric: which; it says which clients are the worst.

  Returns:
    The description.
  """
  known = accuracy.dropna().to_numpy()
  if not len(known):
    return ClientSpread(*[math.nan] * len(ClientSpread._fields))
  sign = 1 if formats.is_more_better(metric) else -1
  return ClientSpread(
    mean=float(known.mean()),
    median=float(np.median(known)),
    worst_decile=sign * worst_decile_mean(sign * known),
    gini=gini(known),
    variance=float(known.var()),
  )


def compare_accuracies(method: pd.Series, other: pd.Series) -> AccuracyComparison:
  """Compares two accuracies of the same clients, every client counting the same.

  Args:
    method: accuracy by client id, NaN where not known.
    other: the same of what to compare with.

  Returns:
    The comparison, of the clients that have both.
  """
  known = pd.DataFrame({'method': method, 'other': other}).dropna()
  return AccuracyComparison(
    describe_clients(known['method']),
    describe_clients(known['other']),
    compare_clients(known['method'], known['other']),
  )
