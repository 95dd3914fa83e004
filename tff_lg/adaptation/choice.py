"""Choosing hyper-parameters and epochs on validation data, for each client or for all."""

from typing import NamedTuple

import numpy as np


class Choice(NamedTuple):
  """The choice of each client.

  Attributes:
    setting: int64 [num_clients], index of the setting.
    epoch: int64 [num_clients], index of the epoch among those evaluated.
    pooled: float64 [num_settings, num_epochs], what the global choice goes by: the metric's mean
      over the examples that count globally.
  """

  setting: np.ndarray
  epoch: np.ndarray
  pooled: np.ndarray


def choose(
  values: np.ndarray,
  num_examples: np.ndarray,
  *,
  per_client: bool,
  maximize: bool = True,
  decides_for_all: np.ndarray | None = None,
) -> Choice:
  """Chooses the best of several settings and epochs by clients' validation metrics.

  Globally, the best is that of the mean over all validation examples of all clients. A
  client without validation examples always uses the global choice. Among equals, the earliest epoch
  is chosen, then the first setting. Where epoch 0 is the model before adaptation, adaptation is
  chosen only if it is better. A metric that is not a number is never chosen over one that is.

  Args:
    values: float [num_settings, num_clients] or [num_settings, num_clients, num_epochs], a metric
      on each client's validation data. Values of clients without validation data are ignored.
    num_examples: [num_clients], validation examples of each client, or what else the metric
      is a mean over.
    per_client: whether each client has a choice of its own.
    maximize: whether more is better; say False for a loss.
    decides_for_all: bool [num_clients], whose examples count globally; None for everybody's.

  Returns:
    The choice; epoch 0 throughout if there is no dimension of epochs.

  Raises:
    ValueError: shapes do not fit, or no client has validation examples.
  """
  values, num_examples = np.asarray(values, np.float64), np.asarray(num_examples)
  if values.ndim == 2:
    values = values[..., None]
  if values.ndim != 3 or num_examples.shape != values.shape[1:2]:
    raise ValueError(
      f'values have shape {values.shape} and num_examples {num_examples.shape}, expected '
      '[num_settings, num_clients(, num_epochs)] and [num_clients].'
    )
  has_examples = num_examples > 0
  counts = has_examples if decides_for_all is None else has_examples & decides_for_all
  if not counts.any():
    raise ValueError('no client has validation examples, expected at least one to choose by.')

  # [num_clients, num_epochs * num_settings]: argmax takes the first of equals.
  candidates = values.transpose(1, 2, 0).reshape(len(num_examples), -1)
  mean = num_examples[counts] @ candidates[counts] / num_examples[counts].sum()
  sign = 1 if maximize else -1
  best = np.full(len(num_examples), _argmax(sign * mean))
  if per_client:
    best[has_examples] = _argmax(sign * candidates[has_examples])
  epoch, setting = np.divmod(best, values.shape[0])
  return Choice(setting, epoch, mean.reshape(values.shape[2], values.shape[0]).T)


def _argmax(values: np.ndarray) -> np.ndarray:
  return np.where(np.isnan(values), -np.inf, values).argmax(axis=-1)
