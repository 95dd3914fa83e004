"""Compares two methods on the same clients."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from tff_lg import client_gains, confidence, metric_names
from tff_lg.analysis import formats

_DECILE = 10

# What the interval is, in words for the reader of a table.
INTERVAL = (
  '95 % interval of the mean difference over clients by the paired t distribution; it speaks of '
  'other clients of this kind, not of other seeds.'
)


class PairedComparison(NamedTuple):
  """How the clients do with a method, against the same clients with another.

  Attributes:
    num_clients: clients with both accuracies; only these are compared.
    num_better: clients that do better with the method.
    num_equal: clients that do equally well.
    num_worse: clients that do worse.
    mean_difference: mean by which the method is better, of an accuracy method minus other, a share;
      NaN without clients.
    low: lower end of its 95 % interval; NaN with fewer than two clients.
    high: upper end.
    median_difference: median of the differences; NaN without clients.
    worst_decile_difference: mean difference of the tenth of clients that lose most, see
      `worst_decile_mean`.
  """

  num_clients: int
  num_better: int
  num_equal: int
  num_worse: int
  mean_difference: float
  low: float
  high: float
  median_difference: float
  worst_decile_difference: float

  @property
  def share_worse(self) -> float:
    """Share of the clients that do worse with the method; NaN without clients."""
    return self.num_worse / self.num_clients if self.num_clients else math.nan


def compare_clients(
  method: pd.Series, other: pd.Series, metric: str = metric_names.LOCAL_ACCURACY
) -> PairedComparison:
  """Compares a metric by client; all clients count equally.

  The interval is that of the mean of the differences (`tff_lg.confidence`).

  Args:
    method: the metric by client id, NaN where not known.
    other: the same of the method to compare with.
    metric: which; it says whether more is better.

  Returns:
    The comparison.
  """
  difference = client_gains.client_gains(
    method, other, more_is_better=formats.is_more_better(metric)
  ).to_numpy()
  n = len(difference)
  mean = float(difference.mean()) if n else math.nan
  margin = float(confidence.half_width(difference))
  return PairedComparison(
    num_clients=n,
    num_better=int(np.count_nonzero(difference > 0)),
    num_equal=int(np.count_nonzero(difference == 0)),
    num_worse=int(np.count_nonzero(difference < 0)),
    mean_difference=mean,
    low=mean - margin,
    high=mean + margin,
    median_difference=float(np.median(difference)) if n else math.nan,
    worst_decile_difference=worst_decile_mean(difference),
  )


def worst_decile_mean(values: np.ndarray) -> float:
  """Returns the mean of the worst tenth of some values, every client counting the same.

  Args:
    values: one per client, more is better.

  Returns:
    The mean of the ceil(n / 10) lowest values; NaN without any.
  """
  num_worst = -(-len(values) // _DECILE)
  return float(np.sort(values)[:num_worst].mean()) if num_worst else math.nan
