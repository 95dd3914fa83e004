"""Client states by client, in memory: what stays with each client between rounds.

`disk_client_store` has the same interface with the states on disk.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import tensorflow as tf

from tff_lg.learning import client_work

# Clients whose states, and data, are in memory at a time where all of them are gone through: enough
# to keep any number of cores and devices busy, and with 4 MB each, a large model, they take 1 GB.
CLIENTS_AT_A_TIME = 256


class ChosenStates:
  """The state of each client's chosen model, in memory.

  Only references are kept, so a state that did not change since costs nothing.
  """

  def __init__(self) -> None:
    """Starts without any."""
    self._states: dict[int, client_work.ClientState] = {}

  def take(self, clients: np.ndarray, states: Sequence[client_work.ClientState]) -> None:
    """Chooses the states of these clients out of those of all clients."""
    for client in clients.tolist():
      self._states[client] = states[client]

  def get(self, clients: np.ndarray) -> Sequence[client_work.ClientState]:
    """Returns chosen states of these clients, by index, in their order."""
    return [self._states[client] for client in clients.tolist()]

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns everything, by name, for a checkpoint."""
    return _to_arrays(self._states)

  def load_arrays(
    self, arrays: Mapping[str, np.ndarray], clients: Sequence[int], like: client_work.ClientState
  ) -> None:
    """Restores what `to_arrays` gave of these clients; `like` shows the structure."""
    # One without arrays is like all of its kind.
    self._states = dict.fromkeys(clients, like) | _from_arrays(arrays, like)


class ClientStateStore:
  """Holds the state of each client; one never written has the initial state.

  States are never changed in place: whoever has one has it as it was.

  Attributes:
    initial_state: of a client never written.
    chosen: for the states of chosen models.
  """

  def __init__(self, initial_state: client_work.ClientState) -> None:
    """Makes a store in which every client has the initial state."""
    self.initial_state = initial_state
    self.chosen = ChosenStates()
    self._states: dict[int, client_work.ClientState] = {}

  def get(self, clients: Sequence[int]) -> list[client_work.ClientState]:
    """Returns the states of these clients, by index, in their order."""
    return [self._states.get(client, self.initial_state) for client in clients]

  def snapshot(self, clients: Sequence[int]) -> Sequence[client_work.ClientState]:
    """Returns a snapshot of the states: later calls of `put` do not change it."""
    return self.get(clients)

  def put(
    self, round_num: int, clients: Sequence[int], states: Sequence[client_work.ClientState]
  ) -> None:
    """Replaces the states of these clients by those after a round."""
    del round_num
    self._states.update(zip(clients, states, strict=True))

  def written(self) -> Iterator[tuple[list[int], list[client_work.ClientState]]]:
    """Yields all clients ever written with their states, some at a time."""
    yield list(self._states), list(self._states.values())

  def to_arrays(self, round_num: int) -> dict[str, np.ndarray]:
    """Returns all that differs from the initial state, by name, for the checkpoint of a round."""
    del round_num
    return _to_arrays(self._states)

  def load_arrays(self, arrays: Mapping[str, np.ndarray], round_num: int) -> None:
    """Restores what `to_arrays` gave."""
    del round_num
    self._states = _from_arrays(arrays, self.initial_state)

  def settle(self, checkpoints: Sequence[int]) -> None:
    """Frees what none of the checkpoints of these rounds needs, which in memory is nothing."""

  def close(self) -> None:
    """Ends the use of the store, which in memory takes nothing."""


def _to_arrays(states: Mapping[int, client_work.ClientState]) -> dict[str, np.ndarray]:
  return {
    f'{client}/{index}': leaf
    for client, state in states.items()
    for index, leaf in enumerate(tf.nest.flatten(state))
  }


def _from_arrays(
  arrays: Mapping[str, np.ndarray], like: client_work.ClientState
) -> dict[int, client_work.ClientState]:
  leaves: dict[int, dict[int, np.ndarray]] = {}
  for name, leaf in arrays.items():
    client, index = map(int, name.split('/'))
    leaves.setdefault(client, {})[index] = leaf
  return {
    client: tf.nest.pack_sequence_as(like, [of[i] for i in sorted(of)])
    for client, of in leaves.items()
  }
