"""Gains of each client by one model over another: some rooms write them, others read them."""

import pandas as pd

# Accuracies are float32 in parts; what differs by less is the same number of examples.
_SAME = 1e-6


def client_gains(method: pd.Series, other: pd.Series, *, more_is_better: bool = True) -> pd.Series:
  """Computes by how much each client does better with a method than with another.

  A client does worse where its gain is below 0, equally well where it is 0.

  Args:
    method: a metric by client, NaN where not known.
    other: the same of the method to compare with.
    more_is_better: whether a greater value of the metric is better.

  Returns:
    Method minus other of each client that has both, or other minus method where less is better.
    Differences below 1e-6, the rounding of floats, become exactly 0.
  """
  gains = (method - other if more_is_better else other - method).dropna()
  return gains.where(gains.abs() >= _SAME, 0.0)


def share_worse(gains: pd.Series) -> float:
  """Computes the share of clients that do worse.

  Args:
    gains: by client, as `client_gains` gives them.

  Returns:
    The share of the clients whose gain is below 0, of all with a gain; NaN without clients.
  """
  return float((gains < 0).mean())
