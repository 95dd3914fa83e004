"""The plan of a run: its phases, and how models are evaluated and chosen."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tff_lg.learning import process as process_lib
from tff_lg.training import evaluation as evaluation_lib

_STARTS = ('last', 'best')

# The metrics of an evaluated round by name -> whether a phase ends with it.
Until = Callable[[Mapping[str, float]], bool]


@dataclasses.dataclass(frozen=True)
class Phase:
  """Some rounds of one process.

  Attributes:
    method: its name in metrics and messages.
    process: its computations.
    num_rounds: how many rounds, at most if there is a goal.
    start_from: which round of the phase before gives the weights that this one begins with: its
      `last`, or the `best` of those that were evaluated.
    until: goal with which the phase ends before its last round; None for none.
  """

  method: str
  process: process_lib.LocalGlobalProcess
  num_rounds: int
  start_from: str = 'last'
  until: Until | None = None

  def __post_init__(self) -> None:
    if self.start_from not in _STARTS:
      raise ValueError(f'start_from is {self.start_from}, expected one of {", ".join(_STARTS)}.')


@dataclasses.dataclass(frozen=True, eq=False)
class Evaluation:
  """How often clients' models are evaluated, and what the best round is best in.

  Attributes:
    every: rounds between evaluations; the last round of a phase is evaluated as well. None for no
      evaluation at all: then no model is chosen.
    clients: those that are evaluated, by index; None for all.
    groups: clients by index, evaluated together under `<name>/...`, beside all of them.
    choose_by: the data that models are chosen by, of `evaluation.PARTS`.
    metric: what the best round is best in, `loss` or a metric of the model; None for its first.
    scope: `client` for a best round of each client with local weights, `pooled` for one that is
      best on all clients' examples together.
  """

  every: int | None = 1
  clients: np.ndarray | None = None
  groups: Mapping[str, Sequence[int]] = dataclasses.field(default_factory=dict)
  choose_by: str = 'validation'
  metric: str | None = None
  scope: str = 'client'

  def __post_init__(self) -> None:
    if self.choose_by not in evaluation_lib.PARTS:
      parts = ', '.join(evaluation_lib.PARTS)
      raise ValueError(f'choose_by is {self.choose_by}, expected one of {parts}.')
    if self.scope not in ('client', 'pooled'):
      raise ValueError(f'scope is {self.scope}, expected client or pooled.')


EACH_ROUND = Evaluation()
NEVER = Evaluation(every=None)
