"""Parity of predictions between two groups, as Fairlearn defines it."""

import numpy as np


def demographic_parity_difference(predicted: np.ndarray, group: np.ndarray) -> float:
  """How much more often one group is predicted positive than the other.

  Args:
    predicted: 0 or 1, [n].
    group: 0 or 1, [n].

  Returns:
    The absolute difference of the shares of positive predictions, in [0, 1]; NaN if a group
    is empty.

  Agarwal et al. 2018, A reductions approach to fair classification, definition 1.
  """
  first, second = (_mean(predicted[group == value]) for value in (0, 1))
  return abs(first - second)


def equalized_odds_difference(y: np.ndarray, predicted: np.ndarray, group: np.ndarray) -> float:
  """How different true-positive or false-positive rates of two groups are.

  Args:
    y: 0 or 1, [n], the truth.
    predicted: 0 or 1, [n].
    group: 0 or 1, [n].

  Returns:
    The greater of the absolute differences of both rates, in [0, 1]; NaN if a group has no
    examples of a class.

  Hardt et al. 2016, Equality of opportunity in supervised learning, definition 2.1.
  """
  differences = [
    demographic_parity_difference(predicted[y == value], group[y == value]) for value in (0, 1)
  ]
  return float(np.max(differences))


def _mean(values: np.ndarray) -> float:
  return float(np.mean(values)) if len(values) else float('nan')
