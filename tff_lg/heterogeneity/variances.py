"""Device variance and data variance of any part of a model, from what clients trained.

Clients' models differ because clients do, the device variance R, and because each has few
data, the data variance T. With both known, the best weight of a client's own model against
the mean of all follows: alpha* = R / (R + T), see `tff_lg.analysis.theory`.

Liang et al. 2020, theoretical analysis, leaves the estimation open.
"""

import dataclasses
from typing import NamedTuple

import numpy as np


class Variances(NamedTuple):
  """The variances that make the global model and the local model wrong.

  Attributes:
    device: R, how far devices' true models are from their mean; an unbiased estimate of
      it may be negative.
    data: T, how far a device's estimate is from its true model.
  """

  device: float
  data: float


def best_alpha(variances: Variances) -> float:
  """Returns alpha*, the weight of the local model that has the least expected error.

  It is above 1/2 exactly where the local model alone is better than the global model alone.

  Args:
    variances: R and T, or estimates of them; an R below 0 counts as 0.

  Returns:
    R / (R + T), in [0, 1]; 0 where both are 0, since then all mixtures are the same.
  """
  device = max(variances.device, 0.0)
  total = device + variances.data
  return device / total if total else 0.0


@dataclasses.dataclass
class HalvesSums:
  """The sums that the estimates of `estimate_from_halves` need, over some clients at a time.

  For M clients with d weights each, it holds two vectors of d numbers and two numbers.

  Attributes:
    num_clients: M, so far.
    first: float64 [d], sum of the a_m.
    second: float64 [d], sum of the b_m.
    products: sum of the a_m.b_m.
    squares: sum of the |a_m - b_m|^2.
  """

  num_clients: int = 0
  first: np.ndarray | float = 0.0
  second: np.ndarray | float = 0.0
  products: float = 0.0
  squares: float = 0.0

  def add(self, halves: np.ndarray) -> None:
    """Adds clients.

    Args:
      halves: float [num_clients, 2, d], updates: far from zero, their squares lose digits.

    Raises:
      ValueError: another shape, or values that are not finite.
    """
    if halves.ndim != 3 or halves.shape[1] != 2:
      raise ValueError(f'halves is {list(halves.shape)}, expected [clients, 2, dim].')
    if not np.isfinite(halves).all():
      raise ValueError('halves has values that are not finite, expected finite numbers.')
    # Weights are float32, whose squares over a large layer would lose digits.
    first, second = halves.astype(np.float64).swapaxes(0, 1)
    self.num_clients += len(halves)
    self.first = self.first + first.sum(axis=0)
    self.second = self.second + second.sum(axis=0)
    self.products += float((first * second).sum())
    self.squares += float(((first - second) ** 2).sum())

  def variances(self) -> Variances:
    """Returns R and T, as in `estimate_from_halves`.

    Raises:
      ValueError: fewer than two clients were added.
    """
    if self.num_clients < 2:
      raise ValueError(f'halves has {self.num_clients} clients, expected two or more.')
    degrees, first, second = self.num_clients - 1, np.asarray(self.first), np.asarray(self.second)
    products = self.products - float((first * second).sum()) / self.num_clients
    squares = self.squares - float(((first - second) ** 2).sum()) / self.num_clients
    return Variances(device=products / degrees, data=max(squares, 0.0) / 4 / degrees)


def estimate_from_halves(halves: np.ndarray) -> Variances:
  """Estimates both variances of any part of a model, as of a layer.

  Each client trains the part twice from the same start, on two disjoint halves of its
  examples. The halves share the client and differ in the data: with
  estimates a_m and b_m, centred over the M clients,

    R = sum_m a_m.b_m / (M - 1),    T = sum_m |(a_m - b_m) / 2|^2 / (M - 1).

  R is unbiased for the spread of the points that the clients' training is drawn to. T is the
  data variance of the mean of both halves. That mean stands for a model trained on all of the
  client's examples, as its variance is proportional to one over their number. R + T is the sample
  variance of those means. An effect common to all clients' halves counts as neither. Two epochs
  over the same examples are not halves: they share their data, whose variance then counts as the
  device's.

  With R < T, `best_alpha` is below 1/2 and the part is better global. The mean over clients is
  then closer to a client's true weights than its own estimate. The norm is that of weights, not of
  predictions, so judge each part by itself.

  Args:
    halves: float [num_clients, 2, dim], two clients or more: weights, or updates from a start
      that all share, which gives the same.

  Returns:
    R and T, sums over coordinates in squared units of the weights.

  Raises:
    ValueError: another shape, or values that are not finite.
  """
  sums = HalvesSums()
  # Any common shift changes nothing but the rounding.
  sums.add(halves - halves[:1, :1] if halves.ndim == 3 else halves)
  return sums.variances()
