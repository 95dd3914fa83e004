"""The banded strategy matrix of DP-FTRL, by the numbers of its bands."""

import numpy as np


def square_root_bands(bands: int) -> np.ndarray:
  """Computes the bands of the normalised banded square root of the matrix of prefix sums.

  The square root is the lower triangular Toeplitz matrix of the series of (1 - x)^(-1/2). Its first
  bands stay, scaled so that whole columns have norm 1. The series depends on no number of rounds,
  so that a run may have more rounds when it resumes.

  Args:
    bands: b, positive; 1 gives the identity.

  Returns:
    float64 [b], entry k for the k-th diagonal below the main one, decreasing and positive.

  Raises:
    ValueError: `bands` is not positive.

  Kalinin and Lampert 2024, arXiv 2405.13763.
  """
  if bands < 1:
    raise ValueError(f'bands is {bands}; it must be at least 1.')
  ratios = [(2 * k - 1) / (2 * k) for k in range(1, bands)]
  series = np.cumprod([1.0, *ratios])
  return series / np.linalg.norm(series)
