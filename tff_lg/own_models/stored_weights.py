"""Weights of clients' own networks in files, of which one is in memory at a time."""

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from tff_lg.learning import client_work


class StoredWeights:
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

  def get(self, clients: np.ndarray) -> 'StoredStates':
    """Returns the states of these clients, by index, in their order."""
    return StoredStates(self, clients)

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns nothing: the files have it."""
    return {}

  def load_arrays(
    self, arrays: Mapping[str, np.ndarray], clients: Sequence[int], like: client_work.ClientState
  ) -> None:
    """Does nothing: the files have it."""

  def read(self, client: int) -> client_work.ClientState:
    """Returns a client's state; all weights are local."""
    path, row = self._places[client]
    return client_work.ClientState(tuple(weight[row] for weight in self._load(path)), ())

  def _read(self, path: str) -> list[np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
      return [file[str(index)] for index in range(self._num_weights)]


class StoredStates(Sequence):
  """States of some clients, each read when it is asked for."""

  def __init__(self, weights: StoredWeights, clients: np.ndarray) -> None:
    """Takes the clients, by index; nothing is read."""
    self._weights, self._clients = weights, clients

  def __len__(self) -> int:
    """Returns how many clients there are."""
    return len(self._clients)

  def __getitem__(self, index: int | slice) -> 'client_work.ClientState | StoredStates':
    """Returns a client's state, or those of a slice, still to be read."""
    if isinstance(index, slice):
      return StoredStates(self._weights, self._clients[index])
    return self._weights.read(int(self._clients[index]))
