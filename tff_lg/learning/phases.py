"""Phases: what a client trains in a round, one after another; most methods have one."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.learning import batches as batches_lib
from tff_lg.learning import objectives
from tff_lg.models import local_global, told

# (model, weights, initial_weights, x, y) -> weights, as an objective has its arguments.
BeforeStep = Callable[[local_global.LocalGlobalModel, tuple, tuple, tf.Tensor, tf.Tensor], Sequence]


class Trained(NamedTuple):
  """The result of a phase, for its `finish`; weights are all of the model's.

  Attributes:
    start: weights before its first step.
    weights: those after its last one.
    num_steps: int32, steps taken.
    optimizer_state: of its optimiser, after its last step.
  """

  start: tuple
  weights: tuple
  num_steps: tf.Tensor
  optimizer_state: Any


@dataclasses.dataclass(frozen=True)
class Phase:
  """Steps of an optimiser on some of the weights; None stands for what the settings have.

  Attributes:
    trained: for each weight of the model whether the optimiser moves it; None for all.
    statistics: for each weight whether steps set it by what batch normalisation has seen; None for
      none. See `with_statistics`.
    batches: of the client's data.
    optimizer: takes the steps; another one than the settings' has no rates by round.
    objective: what the steps minimise.
    begin: (weights) -> weights, before the first step.
    before_step: changes weights before each step, such as those that no optimiser moves.
    finish: (`Trained`) -> weights, after the last step.
  """

  trained: tuple[bool, ...] | None = None
  batches: batches_lib.Batches | None = None
  optimizer: tff.learning.optimizers.Optimizer | None = None
  objective: objectives.Objective | None = None
  begin: Callable[[tuple], Sequence] | None = None
  before_step: BeforeStep | None = None
  finish: Callable[[Trained], Sequence] | None = None
  statistics: tuple[bool, ...] | None = None

  def select(self, weights: Sequence) -> tuple:
    """Returns the weights that the optimiser moves, or anything else one per weight."""
    if self.trained is None:
      return tuple(weights)
    return tuple(weight for weight, moves in zip(weights, self.trained, strict=True) if moves)

  def replace(self, weights: Sequence, selected: Sequence) -> tuple:
    """Returns all weights, with those that the optimiser moves replaced."""
    if self.trained is None:
      return tuple(selected)
    new = iter(selected)
    pairs = zip(weights, self.trained, strict=True)
    return tuple(next(new) if moves else weight for weight, moves in pairs)

  def set_statistics(self, weights: Sequence, found: Sequence[told.Statistic]) -> tuple:
    """Returns all weights, with moving statistics as the step has left them.

    Args:
      weights: all of the model's; statistics are those that the step has used.
      found: what layers have told.

    Raises:
      ValueError: the objective has not used one of them, but something made of it.
    """
    if self.statistics is None:
      return tuple(weights)
    following = told.next_statistics(found)
    if not all(
      id(weight) in following
      for weight, moves in zip(weights, self.statistics, strict=True)
      if moves
    ):
      raise ValueError(
        'the network has batch normalisation, but what a phase trains is not this network: '
        'expected another method or objective, or group normalisation.'
      )
    return tuple(
      following[id(weight)] if moves else weight
      for weight, moves in zip(weights, self.statistics, strict=True)
    )


def with_statistics(phase: Phase, weight_is_statistic: Sequence[bool]) -> Phase:
  """Returns the phase with those of its weights that are moving statistics set by its steps."""
  if not any(weight_is_statistic):
    return phase
  trained = phase.trained or (True,) * len(weight_is_statistic)
  pairs = list(zip(trained, weight_is_statistic, strict=True))
  return dataclasses.replace(
    phase,
    trained=tuple(moves and not is_statistic for moves, is_statistic in pairs),
    statistics=tuple(moves and is_statistic for moves, is_statistic in pairs),
  )


def with_epochs(batches: batches_lib.Batches, num_epochs: int) -> batches_lib.TensorBatches:
  """Returns the batches of a phase with epochs of its own.

  Raises:
    ValueError: the batches are none of tensors, whose epochs can be chosen.
  """
  if not isinstance(batches, batches_lib.TensorBatches):
    raise ValueError(
      f'a phase with {num_epochs} epochs has {type(batches).__name__}, expected TensorBatches.'
    )
  return dataclasses.replace(batches, num_epochs=num_epochs)
