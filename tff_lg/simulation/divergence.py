"""Why a run cannot go on: whose update was out of scale, and what the server made of it."""

import collections
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from absl import logging

from tff_lg.learning import client_work
from tff_lg.learning import process as process_lib

# Rounds that say what the usual size of an update is.
_REMEMBERED = 10
# An update is out of scale if its largest value is this many times the usual one.
_JUMP = 1000.0


class LargestUpdate(NamedTuple):
  """The largest update of a round.

  Attributes:
    round_num: counted from 1.
    client: name of the client that sent it.
    size: its largest absolute value.
    usual: the least lower quartile of a round's sizes in the last rounds.
  """

  round_num: int
  client: str
  size: float
  usual: float

  def __str__(self) -> str:
    return f'client {self.client} has an update with a value of {self.size:.2g}'


class UpdateWatch:
  """Follows the sizes of clients' updates, and says what is wrong with a round.

  Attributes:
    jump: the update out of scale from which the model has not recovered; None if there is none.
      It has recovered once clients' updates have their usual size again.
  """

  def __init__(self, aggregator: str, server_learning_rate: float, ids: Sequence[str]) -> None:
    """Begins to watch a run with these options, whose clients have these names."""
    self._server = f'--aggregator={aggregator} and --server_learning_rate={server_learning_rate:g}'
    self._aggregator, self._ids = aggregator, ids
    self._usual: collections.deque[float] = collections.deque(maxlen=_REMEMBERED)
    self.jump: LargestUpdate | None = None

  def check(
    self, round_num: int, clients: Sequence[int], output: process_lib.RoundOutput
  ) -> str | None:
    """Warns of clients that are left out and of an aggregate that is void.

    Args:
      round_num: of the round, counted from 1.
      clients: its cohort, by index.
      output: of the round.

    Returns:
      Why the run cannot go on from this round's result; None if it can.
    """
    left_out = ', '.join(
      self._ids[client]
      for client, metrics in zip(clients, output.client_metrics, strict=True)
      if not metrics.update_is_finite
    )
    if left_out:
      warning = 'Round %d: left out clients whose update is not finite: %s.'
      logging.warning(warning, round_num, left_out)
    if left_out and output.metrics.num_clients == 0:
      where = f'Round {round_num}: no client of the cohort has a finite update; '
      if self.jump is None:
        return f'{where}lower --client_learning_rate, or look at the data of {left_out}.'
      return (
        f'{where}in round {self.jump.round_num} {self.jump}, '
        f'{self.jump.size / self.jump.usual:.2g} times the usual. Look at its data, lower '
        '--client_learning_rate, or use --adaptive_zeroing or a robust --aggregator.'
      )
    largest = self._follow(round_num, clients, output.client_metrics)
    blamed = '' if largest is None else f' Among the clients, {largest}, the largest of all.'
    if not output.metrics.weights_are_finite:
      return f'Round {round_num}: {self._server} gave global weights that are not finite.{blamed}'
    if is_void(output.metrics):
      logging.warning(
        'Round %d is void: --aggregator=%s overflowed, which counts as no update.%s',
        round_num,
        self._aggregator,
        blamed,
      )
    return None

  def _follow(
    self,
    round_num: int,
    clients: Sequence[int],
    metrics: Sequence[client_work.ClientMetrics],
  ) -> LargestUpdate | None:
    """Takes a round into account; returns its largest update, None if all are zero."""
    sizes = np.array([of_client.update_size for of_client in metrics], np.float64)
    if not (sizes > 0).any():
      return None
    # Not the median: an attack may be a majority.
    of_round = float(np.quantile(sizes[sizes > 0], 0.25, method='lower'))
    self._usual.append(of_round)
    usual, worst = min(self._usual), int(sizes.argmax())
    largest = LargestUpdate(round_num, self._ids[clients[worst]], float(sizes[worst]), usual)
    if of_round <= _JUMP * usual:
      self.jump = None
    if self.jump is None and largest.size > _JUMP * usual:
      self.jump = largest
    return largest


def is_void(metrics: process_lib.RoundMetrics) -> bool:
  """Whether clients took part in a round, but their aggregate was not finite."""
  return metrics.num_clients > 0 and not metrics.aggregate_is_finite
