"""The Frechet distance between Gaussians fitted to clients' embeddings.

  d^2 = |m1 - m2|^2 + tr S1 + tr S2 - 2 tr (S1^1/2 S2 S1^1/2)^1/2

with means m and covariances S (n - 1 in the denominator, as in the Frechet inception
distance). As there, and in Rieger et al., d^2 is what is called the distance.

No square root of a matrix is taken. Let S = A^T A, where A is the centred data over sqrt(n - 1).
The last trace is then the sum of the singular values of A1 A2^T. The eigenvalues of
S1^1/2 S2 S1^1/2 are those of A1 S2 A1^T = (A1 A2^T) (A1 A2^T)^T, except for zeros. This
is exact for covariances of any rank. `scipy.linalg.sqrtm` of a singular product fails or needs
something added to the diagonal, and with fewer examples than dimensions every covariance is
singular. A factor with more rows than columns is first replaced by the triangle of its QR
decomposition, which has the same S. A1 A2^T then has at most min(n, d) rows and columns.
"""

import itertools
from typing import Any

import numpy as np


def frechet_distance(x1: np.ndarray, x2: np.ndarray) -> float:
  """Returns the Frechet distance between the Gaussians fitted to two samples.

  Args:
    x1: numbers [n1, d], n1 at least 2.
    x2: numbers [n2, d], n2 at least 2.

  Returns:
    d^2, not negative, in squared units of x. It grows as samples get smaller: the measured
    distance of two samples of one Gaussian is not zero.

  Raises:
    ValueError: other shapes, or values that are not finite.

  Dowson and Landau 1982; Heusel et al. 2017, equation (6).
  """
  x1, x2 = np.asarray(x1, np.float64), np.asarray(x2, np.float64)
  for name, x in (('x1', x1), ('x2', x2)):
    if x.ndim != 2 or len(x) < 2:
      raise ValueError(f'{name} is {list(x.shape)}, expected [n, d] with n at least 2.')
    _check_finite(name, x)
  if x1.shape[1] != x2.shape[1]:
    raise ValueError(f'x2 has rows of {x2.shape[1]} numbers, expected {x1.shape[1]} as in x1.')
  mean1, mean2 = x1.mean(axis=0), x2.mean(axis=0)
  factor1 = _reduced(x1 - mean1) / np.sqrt(len(x1) - 1)
  factor2 = _reduced(x2 - mean2) / np.sqrt(len(x2) - 1)
  return _distance(mean1 - mean2, factor1, factor2)


def client_distances(x: np.ndarray, client: np.ndarray, num_clients: int) -> np.ndarray:
  """Returns the distance of each client from all other clients' examples pooled.

  Each client's data are decomposed once; the pooled rest is put together of the others'
  small factors.

  Args:
    x: numbers [n, d], the embeddings.
    client: integers [n], the client of each, in [0, num_clients).
    num_clients: how many clients.

  Returns:
    float64 [num_clients], `frechet_distance` of each client from the rest. NaN where it has
    no meaning because the client, or the rest, has fewer than two examples and so no
    covariance.

  Raises:
    ValueError: other shapes, values that are not finite, or clients out of range.

  Rieger et al. 2020, Table 1.
  """
  x, client = np.asarray(x), np.asarray(client)
  if x.ndim != 2:
    raise ValueError(f'x is {list(x.shape)}, expected [n, d].')
  if client.dtype.kind not in 'iu' or client.shape != x.shape[:1]:
    raise ValueError(f'client is {client.dtype} {list(client.shape)}, expected {len(x)} integers.')
  if len(client) and not 0 <= client.min() <= client.max() < num_clients:
    wrong = client.min() if client.min() < 0 else client.max()
    raise ValueError(f'client has the value {wrong}, expected integers in [0, {num_clients}).')
  _check_finite('x', x)

  sizes = np.bincount(client, minlength=num_clients)
  means = np.zeros((num_clients, x.shape[1]))
  scatters = []  # Factors of each client's sum of squares about its mean.
  for k in range(num_clients):
    own = x[client == k].astype(np.float64)
    if len(own):
      means[k] = own.mean(axis=0)
    scatters.append(_reduced(own - means[k]))
  # All clients but k are those before it and those after it.
  before = list(itertools.accumulate(scatters, _pooled, initial=scatters[0][:0]))
  after = list(itertools.accumulate(reversed(scatters), _pooled, initial=scatters[0][:0]))[::-1]

  distances = np.full(num_clients, np.nan)
  for k in range(num_clients):
    rest_sizes = np.where(np.arange(num_clients) == k, 0, sizes)
    if sizes[k] < 2 or rest_sizes.sum() < 2:
      continue
    rest_mean = rest_sizes @ means / rest_sizes.sum()
    # The rest scatters about its clients' means, and those about the mean of the rest.
    between = np.sqrt(rest_sizes)[:, np.newaxis] * (means - rest_mean)
    rest = _pooled(_pooled(before[k], after[k + 1]), between[rest_sizes > 0])
    distances[k] = _distance(
      means[k] - rest_mean,
      scatters[k] / np.sqrt(sizes[k] - 1),
      rest / np.sqrt(rest_sizes.sum() - 1),
    )
  return distances


def mean_distance(distances: np.ndarray) -> float:
  """Returns the mean over clients, without those that have no distance.

  Args:
    distances: float [num_clients], as of `client_distances`.

  Returns:
    The mean; NaN if no client has a distance.
  """
  known = distances[~np.isnan(distances)]
  return float(known.mean()) if len(known) else float('nan')


def _distance(offset: np.ndarray, factor1: np.ndarray, factor2: np.ndarray) -> float:
  """Computes the distance from the difference of means and factors of covariances, S = A^T A."""
  singular_values = np.linalg.svd(factor1 @ factor2.T, compute_uv=False)
  traces = np.sum(factor1**2) + np.sum(factor2**2)
  # Rounding may leave equal Gaussians just below zero.
  return max(float(offset @ offset + traces - 2 * singular_values.sum()), 0.0)


def _reduced(rows: np.ndarray) -> np.ndarray:
  """Returns a factor of rows^T rows with at most as many rows as columns."""
  if len(rows) <= rows.shape[1]:
    return rows
  factor: Any = np.linalg.qr(rows, mode='r')
  return factor


def _pooled(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
  """Returns a factor of the sum of two sums of squares."""
  return _reduced(np.concatenate([rows, others]))


def _check_finite(name: str, x: np.ndarray) -> None:
  if not np.isfinite(x).all():
    row = int(np.argwhere(~np.isfinite(x))[0][0])
    raise ValueError(f'{name} has a value in row {row} that is not finite, expected none.')
