"""The error of a mixture of local and global linear model, and the mixture that is best.

Device m of M has y = u_m.x + noise with u_m = v + r_m. Its local model w_m = u_m + e_m is the
least-squares estimate from its N examples. The global model w is the mean of all w_m. The device
predicts with

  u_hat_m = alpha w_m + (1 - alpha) w.

Errors e_m and deviations r_m are independent between devices and have mean zero. Hence,
with the device variance R = E |r_m|^2, the data variance T = E |e_m|^2, and r, e the means
over devices,

  u_hat_m - u_m = alpha e_m + (1 - alpha) e + (1 - alpha) (r - r_m),
  error(alpha) = alpha^2 T + (1 - alpha)^2 (M - 1)/M R + (1 - alpha^2) T/M.

Its derivative is 2 (M - 1)/M (alpha T - (1 - alpha) R), so that

  alpha* = R / (R + T)

is the minimiser for every M > 1; with one device local and global model are the same.
Both hold in any quadratic norm. Here |z|^2 stands for E (z.x)^2, the error of prediction
beyond the noise.

The meaning of R and T: with E[x x^T] = c I and per coordinate r_m ~ N(0, rho^2), R = c d rho^2.
Least squares has E[e_m e_m^T] = sigma^2 / (c N) I, so that c cancels in T = d sigma^2 / N. The
paper writes rho^2 for R. That means c = 1 (its assumption E[x x^T] = I) and rho^2 = E |r_m|^2, the
variance summed over the d coordinates. But its experiment draws x ~ U[-1, 1]^d, where c is 1/3, and
r_m ~ N(0, rho^2 I), where E |r_m|^2 is d rho^2. `linear_variances` has both conventions.

This T is its limit for N much larger than d. To the next order, T is larger by the relative amount
(d + k - 2) / N, with k = E x^4 / c^2. For uniform features k is 1.8: with d = 20 and N = 2000 this
is 1 %.

Liang et al. 2020, theoretical analysis.
"""

from typing import TypeVar

import numpy as np

from tff_lg.heterogeneity import Variances

_Alpha = TypeVar('_Alpha', float, np.ndarray)


def linear_variances(
  *,
  dims: int,
  examples: int,
  sigma: float,
  rho: float,
  feature_variance: float,
  total_rho: bool = False,
) -> Variances:
  """Returns the variances of linear devices, in squared units of y.

  Args:
    dims: d, features.
    examples: N, of a device, many more than `dims`.
    sigma: standard deviation of the noise.
    rho: standard deviation of the devices' deviations.
    feature_variance: c, where E[x x^T] = c I: 1 as the paper assumes, 1/3 for U[-1, 1].
    total_rho: rho^2 is E |r_m|^2, summed over coordinates, instead of the variance of each
      coordinate of r_m; with `feature_variance=1` this gives the paper's formula.

  Returns:
    R = c d rho^2, or c rho^2 with `total_rho`, and T = d sigma^2 / N.
  """
  device = feature_variance * rho**2 * (1 if total_rho else dims)
  return Variances(device=device, data=dims * sigma**2 / examples)


def interpolation_error(alpha: _Alpha, variances: Variances, num_devices: int) -> _Alpha:
  """Returns the expected error of alpha * local + (1 - alpha) * global model.

  Args:
    alpha: weight of the local model, of any shape.
    variances: R and T.
    num_devices: M, the devices whose mean the global model is.

  Returns:
    error(alpha) as in the module's docstring, in the units of the variances and in the
    shape of `alpha`.
  """
  device, data = variances
  num_others = num_devices - 1
  return (
    alpha**2 * data
    + (1 - alpha) ** 2 * num_others / num_devices * device
    + (1 - alpha**2) * data / num_devices
  )
