"""Choosing each client's model: the round that does best on data kept for choosing."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from tff_lg import checkpoints
from tff_lg.client_states import client_store
from tff_lg.learning import client_work
from tff_lg.learning import process as process_lib
from tff_lg.learning import server as server_lib
from tff_lg.models import local_global


class ChosenStates(Protocol):
  """The state of each client's chosen model: in memory, in a store, or in files of chunks."""

  def take(self, clients: np.ndarray, states: Any) -> None:
    """Chooses the states of these clients out of those of all clients."""

  def get(self, clients: np.ndarray) -> Sequence[client_work.ClientState]:
    """Returns chosen states of these clients, by index, in their order."""

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns what a checkpoint needs, by name."""

  def load_arrays(
    self, arrays: Mapping[str, np.ndarray], clients: Sequence[int], like: client_work.ClientState
  ) -> None:
    """Restores what `to_arrays` gave of these clients; `like` shows the structure."""


class ModelSelection:
  """Remembers, of the rounds evaluated, each client's best model.

  A client with local weights has a model of its own, and its own best round. Where
  all weights are global there is one model for all, and one best round by the mean
  over clients. Among equals, the later round wins: it has seen more data.

  Only references to states are kept, so a model that did not change since costs
  nothing, and of states on disk none is in memory.

  Attributes:
    best_score: of each client's chosen model, float64 [num_clients]; -inf without any.
    best_round: of that model, int [num_clients]; -1 without any.
    test_score: the best score of each client by test data, which choose nothing here. None where
      test data are the ones that choose, or where not every round was offered with its scores.
  """

  def __init__(
    self,
    process: process_lib.LocalGlobalProcess,
    num_clients: int,
    chosen_states: ChosenStates | None = None,
  ) -> None:
    """Starts without any round.

    Args:
      process: whose models these are.
      num_clients: how many clients there are.
      chosen_states: `chosen` of the store whose states are offered; None for states in memory.
    """
    self._per_client = not all(process.model.weight_is_global)
    self.best_score = np.full(num_clients, -np.inf)
    self.best_round = np.full(num_clients, -1)
    self.test_score: np.ndarray | None = np.full(num_clients, -np.inf)
    self._client_states: ChosenStates = chosen_states or client_store.ChosenStates()
    self._global_weights: dict[int, tuple] = {}

  def offer(
    self,
    round_num: int,
    scores: np.ndarray,
    global_weights: tuple,
    client_states: Sequence[client_work.ClientState],
    test_scores: np.ndarray | None = None,
  ) -> None:
    """Takes the models of a round where they are better.

    Args:
      round_num: the round evaluated.
      scores: float [num_clients], greater is better. NaN for a client without data to choose by,
        which then keeps its newest model; -inf for a model that has diverged.
      global_weights: of the server.
      client_states: of every client, of a store its `snapshot`.
      test_scores: as `scores`, by test data; None where they are not known.
    """
    scores = self._of_models(scores)
    if test_scores is None:
      self.test_score = None
    elif self.test_score is not None:
      self.test_score = np.fmax(self.test_score, self._of_models(test_scores))
    better = np.isnan(scores) | (scores >= self.best_score)
    self.best_score = np.where(better & ~np.isnan(scores), scores, self.best_score)
    self.best_round = np.where(better, round_num, self.best_round)
    self._client_states.take(np.flatnonzero(better), client_states)
    self._global_weights[round_num] = global_weights
    used = set(self.best_round.tolist())
    self._global_weights = {n: w for n, w in self._global_weights.items() if n in used}

  def _of_models(self, scores: np.ndarray) -> np.ndarray:
    """Returns the scores of clients' models: where all have the same one, their mean for each."""
    if self._per_client:
      return scores
    known = ~np.isnan(scores)
    return np.full_like(scores, scores[known].mean() if known.any() else np.nan)

  def groups(
    self, among: np.ndarray | None = None
  ) -> list[tuple[np.ndarray, tuple, Sequence[client_work.ClientState]]]:
    """Returns clients that share their best round; only those `among` some, if that is given.

    Returns:
      (clients, global weights, their states) by round.
    """
    is_wanted = np.ones(len(self.best_round), bool)
    if among is not None:
      is_wanted = np.isin(np.arange(len(self.best_round)), among)
    result = []
    for round_num, global_weights in sorted(self._global_weights.items()):
      clients = np.flatnonzero(is_wanted & (self.best_round == round_num))
      if len(clients):
        result.append((clients, global_weights, self._client_states.get(clients)))
    return result

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns everything, by name, for a checkpoint."""
    arrays = {'best_score': self.best_score, 'best_round': self.best_round}
    if self.test_score is not None:
      arrays['test_score'] = self.test_score
    for round_num, weights in self._global_weights.items():
      for index, leaf in enumerate(weights):
        arrays[f'global/{round_num}/{index}'] = leaf
    return arrays | checkpoints.with_prefix('client', self._client_states.to_arrays())

  def load_arrays(
    self,
    arrays: Mapping[str, np.ndarray],
    client_state: client_work.ClientState,
    global_weights: tuple,
  ) -> None:
    """Restores what `to_arrays` gave; the last two arguments show the structures."""
    self.best_score, self.best_round = arrays['best_score'], arrays['best_round']
    rounds = sorted(set(self.best_round.tolist()) - {-1})
    # Checkpoints of older versions have none, and their rounds were not scored.
    self.test_score = arrays.get('test_score', None if rounds else self.test_score)
    clients = range(len(self.best_round)) if rounds else ()
    of_clients = checkpoints.without_prefix('client', arrays)
    self._client_states.load_arrays(of_clients, clients, client_state)
    self._global_weights = {
      round_num: tuple(arrays[f'global/{round_num}/{i}'] for i in range(len(global_weights)))
      for round_num in rounds
    }


class ChosenModels(NamedTuple):
  """The models that are scored, as `run_state.RunState` has them.

  Attributes:
    server_state: of the process that evaluates.
    selection: each client's model.
  """

  server_state: server_lib.ServerState
  selection: ModelSelection


def selected_weights(
  process: process_lib.LocalGlobalProcess,
  selection: ModelSelection,
  clients: np.ndarray | None = None,
) -> list[local_global.ModelWeights]:
  """Returns all weights of each client's chosen model; none for those not among `clients`."""
  weights = {
    client: process.merge(global_weights, state.local_weights)
    for of_group, global_weights, states in selection.groups(clients)
    for client, state in zip(of_group.tolist(), states, strict=True)
  }
  return [weights.get(client, ()) for client in range(len(selection.best_round))]
