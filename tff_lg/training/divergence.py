"""The reason why a run cannot continue: whose update was out of scale, and its effect."""

import collections
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from absl import logging

from tff_lg.learning import process as process_lib
from tff_lg.learning import server as server_lib

# Rounds that say what the usual size of an update is.
_REMEMBERED = 10
# An update is out of scale if its largest value is this many times the usual one; the server's
# step, if it is this many times the round's largest update.
_JUMP = 1000.0
# A smaller step of the server, in usual updates, shows that an outlier did not count.
_SWAYED = 10.0
# The size of weights: a smaller step ruins no model.
_WEIGHT = 1.0
# Clients that a message names.
_NAMED = 5


class LargestUpdate(NamedTuple):
  """The largest update of a round, or the server's step in it.

  Attributes:
    round_num: counted from 1.
    client: name of the client that sent it; None for the server's step.
    size: its largest absolute value.
    usual: the least lower quartile of a round's sizes in the last rounds. For the server's step, it
      is the round's largest update, or the size of weights if there is none.
  """

  round_num: int
  client: str | None
  size: float
  usual: float

  def __str__(self) -> str:
    if self.client is None:
      return f"the server's step has a value of {self.size:.2g}"
    return f'client {self.client} has an update with a value of {self.size:.2g}'

  @property
  def times_usual(self) -> str:
    """Describes it beside what is usual."""
    return f'{self}, {self.size / self.usual:.2g} times the usual'


@dataclasses.dataclass(frozen=True)
class Wording:
  """The names of a run's settings in messages.

  Attributes:
    aggregator: what makes one update of all clients' updates.
    server: what makes the next global weights of it.
    remedy: what to do against training that diverges; empty where no setting helps.
    protection: what keeps a single client from ruining the model; empty where nothing does.
  """

  aggregator: str = 'the mean'
  server: str = 'the mean'
  remedy: str = ''
  protection: str = ''


def of_flags(aggregator: str, server_learning_rate: float) -> Wording:
  """Returns the wording of a run whose flags choose the aggregator and the learning rates."""
  flag = f'--aggregator={aggregator}'
  return Wording(
    flag,
    f'{flag} and --server_learning_rate={server_learning_rate:g}',
    'lower --client_learning_rate',
    'use --adaptive_zeroing or a robust --aggregator',
  )


class UpdateWatch:
  """Follows the sizes of clients' updates and server's steps, and says what is wrong with a round.

  Attributes:
    jump: the update, or the server's step, out of scale from which the model has not recovered;
      None if there is none. It has recovered once clients' updates have their usual size again.
  """

  def __init__(self, ids: Sequence[str], wording: Wording) -> None:
    """Begins to watch a run.

    Args:
      ids: the clients' names.
      wording: what messages call the run's settings.
    """
    self._ids, self._wording = ids, wording
    self._usual: collections.deque[float] = collections.deque(maxlen=_REMEMBERED)
    self._told: set[str | None] = set()
    self.jump: LargestUpdate | None = None

  @property
  def warning(self) -> str:
    """Says since when the model may be ruined, and what to do; empty if it is not."""
    if self.jump is None:
      return ''
    since = f'The model may be ruined since round {self.jump.round_num}: {self.jump.times_usual}.'
    return f'{since} {self._advice(self.jump)}'

  def check(
    self, round_num: int, clients: Sequence[int], output: process_lib.RoundOutput
  ) -> str | None:
    """Logs a warning for clients left out, for a jump, and for an aggregate that is void.

    Args:
      round_num: of the round, counted from 1.
      clients: its cohort, by index.
      output: of the round.

    Returns:
      Why the run cannot continue from this round's result; None if it can.
    """
    left_out = _some_of(
      [
        self._ids[client]
        for client, metrics in zip(clients, output.client_metrics, strict=True)
        if not metrics.update_is_finite
      ]
    )
    if left_out:
      warning = 'Round %d: left out clients whose update is not finite: %s.'
      logging.warning(warning, round_num, left_out)
    if left_out and output.metrics.num_clients == 0:
      where = f'Round {round_num}: no client of the cohort has a finite update; '
      if self.jump is None:
        return f'{where}{_either(self._wording.remedy, f"look at the data of {left_out}")}.'
      return (
        f'{where}in round {self.jump.round_num} {self.jump.times_usual}. {self._advice(self.jump)}'
      )
    largest = self._follow(round_num, clients, output)
    blamed = '' if largest is None else f' Among the clients, {largest}, the largest of all.'
    if not output.metrics.weights_are_finite:
      made = f'{self._wording.server} gave global weights that are not finite.'
      return f'Round {round_num}: {made}{blamed}'
    if is_void(output.metrics):
      logging.warning(
        'Round %d is void: %s overflowed, which counts as no update.%s',
        round_num,
        self._wording.aggregator,
        blamed,
      )
    return None

  def to_meta(self) -> dict[str, Any]:
    """Returns what a checkpoint keeps, so that a resumed run blames the same client."""
    return {'usual': list(self._usual), 'jump': None if self.jump is None else [*self.jump]}

  def load_meta(self, meta: Mapping[str, Any]) -> None:
    """Restores what `to_meta` gave."""
    self._usual = collections.deque(meta['usual'], maxlen=_REMEMBERED)
    self.jump = None if meta['jump'] is None else LargestUpdate(*meta['jump'])

  def _follow(
    self, round_num: int, clients: Sequence[int], output: process_lib.RoundOutput
  ) -> LargestUpdate | None:
    """Takes a round into account; returns its largest update, None if all are zero."""
    sizes = np.array([metrics.update_size for metrics in output.client_metrics], np.float64)
    step = float(output.metrics.step_size) if output.metrics.weights_are_finite else 0.0
    largest = None
    if (sizes > 0).any():
      # Not the median: an attack may be a majority.
      of_round = float(np.quantile(sizes[sizes > 0], 0.25, method='lower'))
      if self.jump is not None and of_round <= _JUMP * self.jump.usual:
        self.jump = None
      if self.jump is None:  # Updates of a ruined model are not usual.
        self._usual.append(of_round)
      usual, worst = min(self._usual, default=of_round), int(sizes.argmax())
      largest = LargestUpdate(round_num, self._ids[clients[worst]], float(sizes[worst]), usual)
      if largest.size > _JUMP * usual and step > max(_WEIGHT, _SWAYED * usual):
        self._jump(largest)
    before = _WEIGHT if largest is None else largest.size
    if step > max(_WEIGHT, _JUMP * before):
      self._jump(LargestUpdate(round_num, None, step, before))
    return largest

  def _jump(self, jump: LargestUpdate) -> None:
    """Notes a jump unless there is one already; logs the first of each client."""
    if self.jump is None:
      self.jump = jump
      if jump.client not in self._told:
        logging.warning('%s', self.warning)
      self._told.add(jump.client)

  def _advice(self, jump: LargestUpdate) -> str:
    """Says what to do about a jump."""
    if jump.client is None:
      return (
        f"Look at {self._wording.server}: lower the server's learning rate, or choose another "
        'aggregator.'
      )
    return f'{_either("Look at its data", self._wording.remedy, self._wording.protection)}.'


def _either(*choices: str) -> str:
  """Joins what can be done, `a, b, or c`, without what is empty."""
  *others, last = filter(None, choices)
  return ', '.join([*others, f'or {last}' if others else last])


def _some_of(names: Sequence[str]) -> str:
  """Joins names of clients, the first few of many: `a, b, c, d, e and 12 others`."""
  if len(names) <= _NAMED + 1:
    return ', '.join(names)
  return f'{", ".join(names[:_NAMED])} and {len(names) - _NAMED} others'


def is_void(metrics: server_lib.RoundMetrics) -> bool:
  """Returns whether clients took part in a round, but their aggregate was not finite."""
  return metrics.num_clients > 0 and not metrics.aggregate_is_finite
