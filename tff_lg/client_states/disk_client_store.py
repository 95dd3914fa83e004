"""Client states on disk: memory does not grow with the number of clients, but for two numbers each.

A state is stored under (round after which the client had it, client), beside those of other rounds.
Two arrays in memory say which of them is a client's present state, and which belongs to its chosen
model. So a lost state is known to be missing. A checkpoint stores both arrays as a snapshot, and
drops states that no kept checkpoint's snapshot names. A run that resumes from a checkpoint drops
what was written after it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from tff_lg.client_states import client_state_codec as codec_lib
from tff_lg.client_states import client_state_file as file_lib
from tff_lg.client_states.client_store import CLIENTS_AT_A_TIME
from tff_lg.client_states.stored_states import StoredChoice, StoredStates
from tff_lg.learning import client_work

# The round of the state of a client never written.
_NEVER = -1
# What a snapshot is stored under in place of a client.
_EVERYONE = -1


class _ChosenStates(StoredChoice):
  """The state of each client's chosen model, by the round after which the client had it."""

  def __init__(self, store: 'DiskClientStateStore', num_clients: int) -> None:
    self._store, self.rounds = store, np.full(num_clients, _NEVER)

  def take(self, clients: np.ndarray, states: StoredStates) -> None:
    """Chooses the states of these clients out of those of all clients."""
    self.rounds[clients] = states.keys[clients, 0]

  def get(self, clients: np.ndarray) -> StoredStates:
    """Returns chosen states of these clients, by index, in their order."""
    return StoredStates(self._store.read, np.stack([self.rounds[clients], clients], axis=1))


class DiskClientStateStore:
  """Holds the state of each client on disk; one never written has the initial state and no space.

  The first `put` makes the folder, or clears it. Each is one transaction, on disk when it
  returns. Whatever cannot be read is a `client_state_file.ClientStoreError`, a full disk an
  `OSError` with `errno.ENOSPC`.

  Attributes:
    initial_state: of a client never written.
    chosen: for the states of chosen models.
  """

  def __init__(
    self,
    folder: str,
    initial_state: client_work.ClientState,
    num_clients: int,
    read_only: bool = False,
  ) -> None:
    """Makes a store in which every client has the initial state; touches no file yet.

    Args:
      folder: of this store alone.
      initial_state: of each client.
      num_clients: whose states can be put; those of greater indices can be read.
      read_only: for a run that has ended: nothing is written.
    """
    self.initial_state = initial_state
    self.chosen = _ChosenStates(self, num_clients)
    self._codec = codec_lib.StateCodec(initial_state)
    self._file = file_lib.ClientStateFile(folder, self._codec.schema, read_only)
    self._read_only = read_only
    self._rounds = np.full(num_clients, _NEVER)

  def get(self, clients: Sequence[int] | np.ndarray) -> list[client_work.ClientState]:
    """Returns the states of these clients, by index, in their order."""
    return list(self.snapshot(clients))

  def snapshot(self, clients: Sequence[int] | np.ndarray) -> StoredStates:
    """Returns a snapshot of the states, to be read before the next checkpoint."""
    indices = np.asarray(clients, np.int64)
    is_known = indices < len(self._rounds)
    rounds = np.where(is_known, self._rounds[np.where(is_known, indices, 0)], _NEVER)
    return StoredStates(self.read, np.stack([rounds, indices], axis=1))

  def put(
    self, round_num: int, clients: Sequence[int], states: Sequence[client_work.ClientState]
  ) -> None:
    """Replaces the states of these clients by those after a round."""
    if not len(clients) or not self._codec.num_bytes:
      return
    if not self._file.id:
      self._file.create()
    keys = [(round_num, int(client)) for client in clients]
    self._file.put(zip(keys, map(self._codec.encode, states), strict=True))
    self._rounds[list(clients)] = round_num

  def read(self, key: Sequence[int]) -> client_work.ClientState:
    """Returns the state after a round of a client, both in the key, which was put then."""
    round_num, client = key
    if round_num == _NEVER:
      return self.initial_state
    what = f'the state of client {client} after round {round_num}'
    return self._codec.decode(self._file.load((round_num, client), what))

  def written(self) -> Iterator[tuple[list[int], list[client_work.ClientState]]]:
    """Yields all clients ever written with their states, some at a time."""
    clients = np.flatnonzero(self._rounds != _NEVER)
    for start in range(0, len(clients), CLIENTS_AT_A_TIME):
      part = clients[start : start + CLIENTS_AT_A_TIME]
      yield part.tolist(), self.get(part)

  def to_arrays(self, round_num: int) -> dict[str, np.ndarray]:
    """Stores which states the checkpoint of this round needs.

    Args:
      round_num: rounds done.

    Returns:
      `store_id`, by which the checkpoint finds them; empty while nothing was ever put.
    """
    if self._file.id:
      content = np.stack([self._rounds, self.chosen.rounds]).astype('<i8').tobytes()
      self._file.put([((round_num, _EVERYONE), content)])
    return {'store_id': np.array(self._file.id)}

  def load_arrays(self, arrays: Mapping[str, np.ndarray], round_num: int) -> None:
    """Restores the states of a checkpoint; drops those of later rounds.

    Args:
      arrays: what `to_arrays` gave for it.
      round_num: its round.

    Raises:
      client_state_file.ClientStoreError: the store is missing, damaged, of another type, another
        one, or has no such round.
    """
    expected_id = str(arrays['store_id'])
    if not expected_id:
      return
    self._file.open(expected_id)
    self._rounds, self.chosen.rounds = self._load_snapshot(round_num)
    if not self._read_only:
      keys = self._file.keys()
      self._file.delete(keys[keys[:, 0] > round_num])

  def settle(self, checkpoints: Collection[int]) -> None:
    """Drops states that none of the checkpoints of these rounds needs."""
    if not self._file.id:
      return
    keys = self._file.keys()
    rounds, clients = keys.T
    is_snapshot = clients == _EVERYONE
    is_needed = is_snapshot & np.isin(rounds, list(checkpoints))
    for round_num in rounds[is_needed].tolist():
      of_clients = self._load_snapshot(round_num)[:, clients]
      is_needed |= ~is_snapshot & (of_clients == rounds).any(axis=0)
    self._file.delete(keys[~is_needed])

  def close(self) -> None:
    """Ends the use of the files."""
    self._file.close()

  def _load_snapshot(self, round_num: int) -> np.ndarray:
    """Returns rounds of all clients' present and chosen states, int64 [2, num_clients]."""
    what = f'what the checkpoint of round {round_num} refers to'
    content = self._file.load((round_num, _EVERYONE), what)
    return np.frombuffer(content, '<i8').reshape(2, -1).astype(np.int64)
