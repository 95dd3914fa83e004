"""A server that makes its gradient of several means of what clients send."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
  from tff_lg.compatibility import tff

# (all global weights, their mean update) -> (gradients of the first n, next values of the others).
Combine = Callable[[Sequence, Sequence], tuple[Sequence, Sequence]]


def combining(
  optimizer: tff.learning.optimizers.Optimizer, num_moved: int, combine: Combine
) -> tff.learning.optimizers.Optimizer:
  """Returns a server optimiser that moves some global weights, and sets the others.

  Args:
    optimizer: of the former.
    num_moved: n, how many these are; they come first.
    combine: gives their gradients, and the next values of the others.
  """
  from tff_lg.compatibility import tff  # It takes seconds to import.

  class Combining(tff.learning.optimizers.Optimizer):
    """The optimiser, on the first weights."""

    def initialize(self, specs: Any) -> Any:
      return optimizer.initialize(tuple(specs)[:num_moved])

    def next(self, state: Any, weights: Any, gradients: Any) -> tuple[Any, tuple]:
      moved_by, others = combine(tuple(weights), tuple(gradients))
      state, moved = optimizer.next(state, tuple(weights)[:num_moved], tuple(moved_by))
      return state, (*moved, *others)

    def get_hparams(self, state: Any) -> Any:
      return optimizer.get_hparams(state)

    def set_hparams(self, state: Any, hparams: Any) -> Any:
      return optimizer.set_hparams(state, hparams)

  return Combining()
