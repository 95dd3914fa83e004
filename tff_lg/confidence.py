"""95 % intervals of means, by Student's distribution."""

import numpy as np
from numpy import typing as npt
from scipy import stats

_CONFIDENCE = 0.95


def half_width(samples: npt.ArrayLike) -> np.ndarray:
  """Returns half the width of the interval of the mean over the first axis.

  It is t * s / sqrt(n). Here s is the standard deviation (n - 1) of the n samples. The factor t is
  the 0.975 quantile of Student's distribution with n - 1 degrees of freedom.

  Args:
    samples: float [n, ...].

  Returns:
    float [...], NaN for fewer than two samples.
  """
  samples = np.asarray(samples)
  if len(samples) < 2:
    return np.full(samples.shape[1:], np.nan)
  return from_error(stats.sem(samples), len(samples) - 1)


def from_error(standard_error: npt.ArrayLike, freedom: float) -> np.ndarray:
  """Returns half the width of the interval of a mean with a known standard error.

  Args:
    standard_error: of the mean, float [...].
    freedom: its degrees of freedom, more than 0.

  Returns:
    float [...].
  """
  return stats.t.ppf((1 + _CONFIDENCE) / 2, freedom) * np.asarray(standard_error)
