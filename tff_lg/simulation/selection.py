"""Choosing each client's model: the round that does best on data kept for choosing."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.learning import client_work
from tff_lg.learning import process as process_lib


class ModelSelection:
  """Remembers, of the rounds evaluated, each client's best model.

  A client with local weights has a model of its own, and its own best round. Where
  all weights are global there is one model for all, and one best round by the mean
  over clients. Of equals the later round wins: it has seen more data.

  Only references to states are kept, so a model that did not change since costs
  nothing.
  """

  def __init__(self, process: process_lib.LocalGlobalProcess, num_clients: int) -> None:
    """Starts without any round."""
    self._per_client = not all(process.model.weight_is_global)
    self.best_score = np.full(num_clients, -np.inf)
    self.best_round = np.full(num_clients, -1)
    self._client_states: dict[int, client_work.ClientState] = {}
    self._global_weights: dict[int, tuple] = {}

  def offer(
    self,
    round_num: int,
    scores: np.ndarray,
    global_weights: tuple,
    client_states: Sequence[client_work.ClientState],
  ) -> None:
    """Takes the models of a round where they are better.

    Args:
      round_num: the round evaluated.
      scores: float [num_clients], greater is better; NaN for a client without data
        to choose by, which then keeps its newest model; -inf for a model that has diverged.
      global_weights: of the server.
      client_states: of every client.
    """
    if not self._per_client:
      known = ~np.isnan(scores)
      scores = np.full_like(scores, scores[known].mean() if known.any() else np.nan)
    better = np.isnan(scores) | (scores >= self.best_score)
    self.best_score = np.where(better & ~np.isnan(scores), scores, self.best_score)
    self.best_round = np.where(better, round_num, self.best_round)
    for client in np.flatnonzero(better):
      self._client_states[int(client)] = client_states[client]
    self._global_weights[round_num] = global_weights
    used = set(self.best_round.tolist())
    self._global_weights = {n: w for n, w in self._global_weights.items() if n in used}

  def groups(self) -> list[tuple[np.ndarray, tuple, list[client_work.ClientState]]]:
    """Clients that share their best round: (clients, global weights, their states)."""
    result = []
    for round_num, global_weights in sorted(self._global_weights.items()):
      clients = np.flatnonzero(self.best_round == round_num)
      states = [self._client_states[int(client)] for client in clients]
      result.append((clients, global_weights, states))
    return result

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Everything, by name, for a checkpoint."""
    arrays = {'best_score': self.best_score, 'best_round': self.best_round}
    for kind, values in (('client', self._client_states), ('global', self._global_weights)):
      for key, value in values.items():
        for index, leaf in enumerate(tf.nest.flatten(value)):
          arrays[f'{kind}/{key}/{index}'] = leaf
    return arrays

  def load_arrays(
    self,
    arrays: Mapping[str, np.ndarray],
    client_state: client_work.ClientState,
    global_weights: tuple,
  ) -> None:
    """Restores what `to_arrays` gave; the last two arguments show the structures."""
    self.best_score, self.best_round = arrays['best_score'], arrays['best_round']
    rounds = sorted(set(self.best_round.tolist()) - {-1})
    clients = range(len(self.best_round)) if rounds else ()

    def restore(kind: str, key: int, like: Any) -> Any:
      leaves = [arrays[f'{kind}/{key}/{i}'] for i in range(len(tf.nest.flatten(like)))]
      return tf.nest.pack_sequence_as(like, leaves)

    self._client_states = {key: restore('client', key, client_state) for key in clients}
    self._global_weights = {key: restore('global', key, global_weights) for key in rounds}
