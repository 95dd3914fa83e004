"""Estimates of device variance and data variance from what linear devices have.

One number is easy to see, the variance between clients' estimates: the sum of both. The
data variance is estimated within clients and taken off, as in the analysis of variance
with random effects. The remainder estimates the device variance without bias; it may be
negative where that is small. `heterogeneity.best_alpha` takes both; a ratio of unbiased
estimates, its result is only consistent. For parts of any other model there is
`heterogeneity.estimate_from_halves`.

Liang et al. 2020, theoretical analysis, leaves the estimation open.
"""

from typing import NamedTuple

import numpy as np

from tff_lg.heterogeneity import Variances


class LinearFit(NamedTuple):
  """Least squares on each device, with what it says about the devices.

  Attributes:
    weights: float64 [num_devices, dims], the local models w_m.
    noise_variances: float64 [num_devices], of the residuals, with N - d in the denominator.
    variances: estimates of R and T as errors of prediction, in squared units of y.
  """

  weights: np.ndarray
  noise_variances: np.ndarray
  variances: Variances


def fit_linear(x: np.ndarray, y: np.ndarray) -> LinearFit:
  """Fits a linear model without intercept on each device and estimates both variances.

  S is the pooled second moment of the features, B the sample covariance (M - 1) of the w_m. With
  the noise variance s_m^2 of each device's residuals,

    T = mean_m s_m^2 tr(S (X_m^T X_m)^-1),    R = tr(S B) - T.

  Given the features both are unbiased, also in small samples: the w_m are, and the s_m^2 are.

  Args:
    x: float [num_devices, examples, dims], with more examples than dims and two devices or
      more.
    y: float [num_devices, examples].

  Returns:
    The local models and the estimates.

  Raises:
    ValueError: other shapes, or a device whose features are linearly dependent.

  Searle, Casella and McCulloch 1992, Variance Components.
  """
  if x.ndim != 3 or y.shape != x.shape[:2]:
    raise ValueError(
      f'x is {list(x.shape)} and y {list(y.shape)}, expected [devices, examples, dims] and '
      '[devices, examples].'
    )
  num_devices, num_examples, dims = x.shape
  if num_devices < 2 or num_examples <= dims:
    raise ValueError(
      f'x has {num_devices} devices with {num_examples} examples of {dims} features, expected two '
      'devices or more with more examples than features.'
    )
  transposed = x.transpose(0, 2, 1)
  gram = transposed @ x
  rank = np.linalg.matrix_rank(gram, hermitian=True)
  if rank.min() < dims:
    raise ValueError(
      f'x of device {int(rank.argmin())} has {rank.min()} linearly independent features, '
      f'expected {dims}.'
    )
  inverse = np.linalg.inv(gram)
  weights = (inverse @ (transposed @ y[..., np.newaxis]))[..., 0]
  residuals = y - (x @ weights[..., np.newaxis])[..., 0]
  noise_variances = (residuals**2).sum(axis=1) / (num_examples - dims)

  second_moment = gram.mean(axis=0) / num_examples
  data = float((noise_variances * np.einsum('ij,mji->m', second_moment, inverse)).mean())
  deviations = weights - weights.mean(axis=0)
  between = np.einsum('mi,ij,mj->', deviations, second_moment, deviations) / (num_devices - 1)
  return LinearFit(weights, noise_variances, Variances(float(between) - data, data))
