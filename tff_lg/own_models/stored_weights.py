"""Weights of clients' own networks in files, of which one is in memory at a time."""

import functools
from collections.abc import Sequence

import numpy as np

from tff_lg.client_states.stored_states import StoredChoice, StoredStates
from tff_lg.learning import client_work


class StoredWeights(StoredChoice):
  """Reads each client's weights when they are needed, as `selection.ModelSelection` wants them."""

  def __init__(self, paths: Sequence[str], clients: Sequence[np.ndarray], num_weights: int) -> None:
    """Takes the files; nothing is read.

    Args:
      paths: npz files with arrays `0`, `1` and so on, one row per client.
      clients: of each file, indices of its clients in the order of the rows.
      num_weights: arrays of a client.
    """
    self._num_weights = num_weights
    self._places = {
      client: (path, row)
      for path, of_file in zip(paths, clients, strict=True)
      for row, client in enumerate(of_file.tolist())
    }
    self._load = functools.lru_cache(1)(self._read)

  def take(self, clients: np.ndarray, states: object) -> None:
    """Does nothing: which model of a client counts was decided when it was trained."""

  def get(self, clients: np.ndarray) -> StoredStates:
    """Returns the states of these clients, by index, in their order."""
    return StoredStates(self.read, clients)

  def read(self, client: int) -> client_work.ClientState:
    """Returns a client's state; all weights are local."""
    path, row = self._places[client]
    return client_work.ClientState(tuple(weight[row] for weight in self._load(path)), ())

  def _read(self, path: str) -> list[np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
      return [file[str(index)] for index in range(self._num_weights)]
