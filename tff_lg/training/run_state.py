"""Where a run is, and the same as a checkpoint."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg import checkpoints
from tff_lg.client_states import phase_stores
from tff_lg.learning import server as server_lib
from tff_lg.models import local_global
from tff_lg.training import communication, plan
from tff_lg.training import selection as selection_lib

_COUNTS = ('seconds', 'num_empty', 'num_void')
# What goes on from one phase to the next.
OVER_PHASES = ('traffic', 'goals_reached', *_COUNTS)
# What a checkpoint's names begin with for `RunState` itself; callbacks have other names.
PREFIXES = ('server', 'start', 'clients', 'selection')


@dataclasses.dataclass
class RunState:
  """Where a run is; all of it is in a checkpoint.

  Attributes:
    round_num: rounds done, over all phases.
    phase: index of the current phase.
    phase_start: rounds done before the current phase.
    start_weights: the model's weights at the start of the phase.
    server_state: the server's.
    clients: the clients' states.
    selection: the best models of the phase so far.
    traffic: communication so far.
    seconds: time spent in rounds and evaluations so far.
    goals_reached: indices of the phases that ended with their goal.
    num_empty: rounds so far in which no client took part.
    num_void: rounds so far in which the aggregator overflowed, so that clients trained in vain.
    warning: after the last round, since when the model may be ruined; empty if it is not.
  """

  round_num: int
  phase: int
  phase_start: int
  start_weights: local_global.ModelWeights
  server_state: server_lib.ServerState
  clients: phase_stores.ClientStateStore
  selection: selection_lib.ModelSelection
  traffic: communication.RoundTraffic
  goals_reached: tuple[int, ...] = ()
  seconds: float = 0.0
  num_empty: int = 0
  num_void: int = 0
  warning: str = ''

  def as_start(self) -> 'RunState':
    """Returns the same models as the start of another run: no round, phase or byte counts yet."""
    counts: dict[str, Any] = dict.fromkeys(('round_num', 'phase', 'phase_start', *_COUNTS), 0)
    traffic = communication.RoundTraffic()
    return dataclasses.replace(self, traffic=traffic, goals_reached=(), warning='', **counts)

  def last_round(self, phases: Sequence[plan.Phase]) -> int:
    """Returns the round that a run of these phases ends with at the latest."""
    return self.phase_start + sum(phase.num_rounds for phase in phases[self.phase :])

  def is_phase_over(self, phases: Sequence[plan.Phase]) -> bool:
    """Returns whether the current one of these phases has no more rounds."""
    return self.phase in self.goals_reached or self.round_num >= self.last_round(
      phases[: self.phase + 1]
    )

  def to_checkpoint(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Returns the arrays and the plain values that a checkpoint holds."""
    server = {str(i): leaf for i, leaf in enumerate(tf.nest.flatten(self.server_state))}
    start = {str(i): leaf for i, leaf in enumerate(self.start_weights)}
    arrays = {
      **checkpoints.with_prefix('server', server),
      **checkpoints.with_prefix('start', start),
      **checkpoints.with_prefix('clients', self.clients.to_arrays(self.round_num)),
      **checkpoints.with_prefix('selection', self.selection.to_arrays()),
    }
    meta = {
      'phase': self.phase,
      'phase_start': self.phase_start,
      'goals_reached': self.goals_reached,
      'traffic': dataclasses.asdict(self.traffic),
      **{name: getattr(self, name) for name in _COUNTS},
    }
    return arrays, meta

  def load_checkpoint(
    self, round_num: int, arrays: Mapping[str, np.ndarray], meta: Mapping[str, Any]
  ) -> None:
    """Restores what `to_checkpoint` gave, in a state at the start of the phase."""
    server = checkpoints.without_prefix('server', arrays)
    self.server_state = tf.nest.pack_sequence_as(
      self.server_state, [server[str(i)] for i in range(len(server))]
    )
    self.clients.load_arrays(checkpoints.without_prefix('clients', arrays), round_num)
    self.selection.load_arrays(
      checkpoints.without_prefix('selection', arrays),
      self.clients.initial_state,
      self.server_state.global_weights,
    )
    self.traffic = communication.RoundTraffic(**meta['traffic'])
    self.round_num = round_num
    self.goals_reached = tuple(meta.get('goals_reached', ()))
    for name in _COUNTS:  # Checkpoints of older versions have no counts of rounds.
      setattr(self, name, meta.get(name, 0))


def start_weights(arrays: Mapping[str, np.ndarray]) -> local_global.ModelWeights:
  """Returns the model's weights at the start of a checkpoint's phase."""
  start = checkpoints.without_prefix('start', arrays)
  return tuple(start[str(i)] for i in range(len(start)))
