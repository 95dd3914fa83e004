"""Client states by client, in memory: what stays with each client between rounds."""

from collections.abc import Mapping, Sequence

import numpy as np
import tensorflow as tf

from tff_lg.learning import client_work


class ClientStateStore:
  """Holds the state of each client; one never written has the initial state.

  States are never changed in place, so that a copy of the store's mapping is a
  snapshot that costs no memory for clients that stay as they were.
  """

  def __init__(self, initial_state: client_work.ClientState) -> None:
    """Makes a store in which every client has the initial state."""
    self._initial_state = initial_state
    self._states: dict[int, client_work.ClientState] = {}

  def get(self, clients: Sequence[int]) -> list[client_work.ClientState]:
    """States of these clients, by index, in their order."""
    return [self._states.get(client, self._initial_state) for client in clients]

  def put(self, clients: Sequence[int], states: Sequence[client_work.ClientState]) -> None:
    """Replaces the states of these clients."""
    self._states.update(zip(clients, states, strict=True))

  def copy(self) -> 'ClientStateStore':
    """A store with the same states, for a run that goes its own way from here."""
    result = ClientStateStore(self._initial_state)
    result.put(list(self._states), list(self._states.values()))
    return result

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Everything that differs from the initial state, by name, for a checkpoint."""
    return {
      f'{client}/{index}': leaf
      for client, state in self._states.items()
      for index, leaf in enumerate(tf.nest.flatten(state))
    }

  def load_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
    """Restores what `to_arrays` gave."""
    leaves: dict[int, dict[int, np.ndarray]] = {}
    for name, leaf in arrays.items():
      client, index = map(int, name.split('/'))
      leaves.setdefault(client, {})[index] = leaf
    self._states = {
      client: tf.nest.pack_sequence_as(self._initial_state, [of[i] for i in sorted(of)])
      for client, of in leaves.items()
    }
