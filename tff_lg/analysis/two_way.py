"""The interval of a mean over clients and repeats, of which both are samples."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from tff_lg import confidence

# What the interval is, in words for the reader of a table.
INTERVAL = (
  '95 % interval of the mean for other clients and other seeds of this kind: clients and seeds are '
  'random effects of a two-way analysis of variance, with the degrees of freedom of Satterthwaite. '
  'With one run it speaks of other clients alone.'
)


class Interval(NamedTuple):
  """A mean and its interval.

  Attributes:
    mean: over clients, then over repeats.
    low: lower end; NaN with fewer than two clients.
    high: upper end.
  """

  mean: float
  low: float
  high: float


def mean_interval(repeats: list[pd.Series]) -> Interval:
  """Computes the mean over clients and repeats with its 95 % interval.

  Let C, S and E be the mean squares between clients, between repeats and of the rest, for K clients
  and R repeats. The variance of the mean is (C + S - E) / (K R), and here at least C / (K R) and
  S / (K R). S counts only where it is greater than E. The degrees of freedom are at least the fewer
  of C and S.

  Args:
    repeats: of each repeat the score by client. The interval is of clients that all have.
  """
  mean = float(np.mean([one.mean() for one in repeats]))
  table = pd.concat(repeats, axis=1, join='inner').dropna().to_numpy()
  num_clients, num_repeats = table.shape
  if num_clients < 2:
    return Interval(mean, math.nan, math.nan)
  centre = table.mean()
  of_clients, of_repeats = table.mean(axis=1) - centre, table.mean(axis=0) - centre
  between_clients = num_repeats * np.sum(of_clients**2) / (num_clients - 1)
  terms = [(between_clients, num_clients - 1)]
  if num_repeats > 1:
    rest = table - centre - of_clients[:, None] - of_repeats
    degrees = (num_clients - 1) * (num_repeats - 1)
    between_repeats = num_clients * np.sum(of_repeats**2) / (num_repeats - 1)
    residual = np.sum(rest**2) / degrees
    if between_repeats > residual:
      terms += [(between_repeats, num_repeats - 1), (-residual, degrees)]
  total = max(sum(square for square, _ in terms), *(square for square, _ in terms))
  if total <= 0:
    return Interval(mean, mean, mean)
  freedom = total**2 / sum(square**2 / degrees for square, degrees in terms)
  freedom = max(freedom, min(degrees for _, degrees in terms))
  half = float(confidence.from_error(math.sqrt(total / table.size), freedom))
  return Interval(mean, mean - half, mean + half)
