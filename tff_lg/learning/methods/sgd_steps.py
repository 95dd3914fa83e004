"""Shared parts of methods that count SGD steps: how far they go, and which optimisers fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tff_lg.optimizers import OPTIMIZERS

if TYPE_CHECKING:
  import tensorflow as tf

_KNOWN = {'learning_rate', 'momentum', 'accumulator'}


def moves(
  name: str, optimizer_state: Any, num_steps: tf.Tensor, rate: tf.Tensor | float
) -> tf.Tensor:
  """Returns how far SGD goes along a gradient that is the same in all steps.

  Without momentum it is K * rate after K steps. With momentum m a gradient counts as often as it
  moved the weights. The k-th from the end counts (1 - m^k) / (1 - m) times instead of once.

  Args:
    name: of the method.
    optimizer_state: of SGD, which began the round without momentum.
    num_steps: K, float32.
    rate: of a step; 1 for how many steps without momentum go as far.

  Raises:
    ValueError: the optimiser is not SGD.
  """
  unknown = set(optimizer_state) - _KNOWN
  if unknown:
    raise ValueError(
      f'{name} needs SGD at the clients, with momentum or without: its optimiser has '
      f'{", ".join(sorted(unknown))}.'
    )
  m = optimizer_state.get('momentum', 0.0)
  return rate * (num_steps - m * (1 - m**num_steps) / (1 - m)) / (1 - m)


def check_settings(name: str, settings: Any) -> None:
  """Raises ValueError if the momentum of a round is still there in the next one."""
  if not settings.reset_client_optimizer:
    raise ValueError(f'{name} needs a client optimiser that starts afresh in each round.')


def contradictions(config: Any, name: str, what: str) -> Iterator[str]:
  """Yields sentences on flags that do not fit a method that does something with steps of SGD."""
  if OPTIMIZERS[config.client_optimizer].is_adaptive or config.keep_client_optimizer:
    fitting = ' or '.join(each for each, entry in OPTIMIZERS.items() if not entry.is_adaptive)
    yield (
      f'{name} {what} of SGD: --client_optimizer has to be {fitting}, without '
      '--keep_client_optimizer.'
    )
