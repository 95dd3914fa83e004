"""Choosing hyper-parameters and epochs on validation data, for each client or for all."""

from typing import NamedTuple

import numpy as np


class Choice(NamedTuple):
  """The choice of each client.

  Attributes:
    setting: int64 [num_clients], index of the setting.
    epoch: int64 [num_clients], index of the epoch among those evaluated.
  """

  setting: np.ndarray
  epoch: np.ndarray


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
  pooled = pool_scores(values, num_examples, decides_for_all=decides_for_all)
  values, num_examples = _by_epoch(values), np.asarray(num_examples)
  sign = 1 if maximize else -1
  best = np.full(len(num_examples), _argmax(sign * pooled.T.reshape(-1)))
  if per_client:
    has_examples = num_examples > 0
    best[has_examples] = _argmax(sign * _candidates(values)[has_examples])
  epoch, setting = np.divmod(best, values.shape[0])
  return Choice(setting, epoch)


def pool_scores(
  values: np.ndarray, num_examples: np.ndarray, *, decides_for_all: np.ndarray | None = None
) -> np.ndarray:
  """Returns a metric's mean over all validation examples of all clients, by setting and epoch.

  Args:
    values: as in `choose`.
    num_examples: the same.
    decides_for_all: the same.

  Returns:
    float64 [num_settings, num_epochs]; one epoch if there is no dimension of epochs.

  Raises:
    ValueError: as `choose`.
  """
  values, num_examples = _by_epoch(values), np.asarray(num_examples)
  if values.ndim != 3 or num_examples.shape != values.shape[1:2]:
    raise ValueError(
      f'values have shape {values.shape} and num_examples {num_examples.shape}, expected '
      '[num_settings, num_clients(, num_epochs)] and [num_clients].'
    )
  counts = num_examples > 0
  if decides_for_all is not None:
    counts = counts & decides_for_all
  if not counts.any():
    raise ValueError('no client has validation examples, expected at least one to choose by.')
  mean = num_examples[counts] @ _candidates(values)[counts] / num_examples[counts].sum()
  return mean.reshape(values.shape[2], values.shape[0]).T


def _by_epoch(values: np.ndarray) -> np.ndarray:
  values = np.asarray(values, np.float64)
  return values[..., None] if values.ndim == 2 else values


def _candidates(values: np.ndarray) -> np.ndarray:
  """Returns [num_clients, num_epochs * num_settings], of which argmax takes the first of equals."""
  return values.transpose(1, 2, 0).reshape(values.shape[1], -1)


def _argmax(values: np.ndarray) -> np.ndarray:
  return np.where(np.isnan(values), -np.inf, values).argmax(axis=-1)
