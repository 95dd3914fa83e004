"""Client states on disk: memory does not grow with the number of clients, but for two numbers each.

A state is stored under (client, round after which the client had it), beside those of earlier
rounds. Two arrays in memory say which of them is a client's present state, and which belongs to its
chosen model. So a lost state is known to be missing. A checkpoint stores both arrays as a snapshot,
and drops states that no kept checkpoint's snapshot names. A run that resumes from a checkpoint
drops what was written after it, by the journal: the keys of states by round.
"""

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import overload

import numpy as np

from tff_lg.client_states import client_state_codec as codec_lib
from tff_lg.client_states import client_state_file as file_lib
from tff_lg.client_states.client_store import CLIENTS_AT_A_TIME
from tff_lg.learning import client_work

# The round of the state of a client never written.
_NEVER = -1


class StoredStates(Sequence[client_work.ClientState]):
  """States of some clients, each as of a round; read when they are asked for.

  Attributes:
    rounds: int64 [n], those after which the clients had them.
  """

  def __init__(
    self, store: 'DiskClientStateStore', clients: np.ndarray, rounds: np.ndarray
  ) -> None:
    """Holds the states that `clients`, int64 [n], had after `rounds`, int64 [n]."""
    self._store, self._clients, self.rounds = store, clients, rounds

  def __len__(self) -> int:
    return len(self._clients)

  @overload
  def __getitem__(self, index: int) -> client_work.ClientState: ...

  @overload
  def __getitem__(self, index: slice) -> 'StoredStates': ...

  def __getitem__(self, index: int | slice) -> 'client_work.ClientState | StoredStates':
    if isinstance(index, slice):
      return StoredStates(self._store, self._clients[index], self.rounds[index])
    return self._store.read(int(self._clients[index]), int(self.rounds[index]))


class StoredChoice:
  """The state of each client's chosen model, by the round after which the client had it.

  Attributes:
    rounds: int64 [num_clients].
  """

  def __init__(self, store: 'DiskClientStateStore', num_clients: int) -> None:
    """Starts without any."""
    self._store = store
    self.rounds = np.full(num_clients, _NEVER)

  def take(self, clients: np.ndarray, states: StoredStates) -> None:
    """Chooses the states of these clients out of those of all clients."""
    self.rounds[clients] = states.rounds[clients]

  def get(self, clients: np.ndarray) -> StoredStates:
    """Returns chosen states of these clients, by index, in their order."""
    return StoredStates(self._store, clients, self.rounds[clients])

  def to_arrays(self) -> dict[str, np.ndarray]:
    """Returns nothing: the store's snapshot has it."""
    return {}

  def load_arrays(
    self, arrays: Mapping[str, np.ndarray], clients: Sequence[int], like: client_work.ClientState
  ) -> None:
    """Does nothing: the store has restored it."""


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
      read_only: for a run that has ended: nothing is written, not even LMDB's lock.
    """
    self.initial_state = initial_state
    self.chosen = StoredChoice(self, num_clients)
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
    return StoredStates(self, indices, rounds)

  def put(
    self, round_num: int, clients: Sequence[int], states: Sequence[client_work.ClientState]
  ) -> None:
    """Replaces the states of these clients by those after a round."""
    values = []
    for client, state in zip(clients, states, strict=True):
      values += [
        (self._file.states, _key(client, round_num), self._codec.encode(state)),
        (self._file.journal, _key(round_num, client), b''),
      ]
    if not values or not self._codec.num_bytes:
      return
    if not self._file.id:
      self._file.create()
    self._file.put(values)
    self._rounds[list(clients)] = round_num

  def read(self, client: int, round_num: int) -> client_work.ClientState:
    """Returns the state that a client had after a round in which it was put."""
    if round_num == _NEVER:
      return self.initial_state
    what = f'the state of client {client} after round {round_num}'
    return self._codec.decode(self._file.load(self._file.states, _key(client, round_num), what))

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
      self._file.put([(self._file.snapshots, _key(round_num), content)])
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
    if self._read_only:
      return
    later = _key(round_num + 1)
    journal = self._file.keys(self._file.journal, later)
    # What names the states goes last: who is killed meanwhile finds the rest by it.
    self._file.delete(self._file.states, [key[8:] + key[:8] for key in journal])
    self._file.delete(self._file.journal, journal)
    self._file.delete(self._file.snapshots, self._file.keys(self._file.snapshots, later))

  def settle(self, checkpoints: Collection[int]) -> None:
    """Drops states that none of the checkpoints of these rounds needs.

    Only the clients' numbers of rounds are examined.
    """
    if not self._file.id:
      return
    known = [int.from_bytes(key, 'big') for key in self._file.keys(self._file.snapshots)]
    snapshots = {round_num: self._load_snapshot(round_num) for round_num in known}
    kept = [snapshots.pop(round_num) for round_num in known if round_num in checkpoints]
    journal = self._file.keys(self._file.journal)
    candidates = [np.frombuffer(b''.join(journal), '>u8').reshape(-1, 2).T[::-1].astype(np.int64)]
    everyone = np.arange(len(self._rounds))
    candidates += [np.stack([everyone, rounds]) for both in snapshots.values() for rounds in both]
    unneeded: set[bytes] = set()
    for clients, rounds in candidates:
      is_needed = rounds == _NEVER
      for of_kept in kept:
        is_needed |= (of_kept[:, clients] == rounds).any(axis=0)
      unneeded.update(map(_key, clients[~is_needed].tolist(), rounds[~is_needed].tolist()))
    self._file.delete(self._file.states, sorted(unneeded))
    later = _key(min(checkpoints) + 1)
    self._file.delete(self._file.journal, [key for key in journal if key < later])
    self._file.delete(self._file.snapshots, list(map(_key, snapshots)))

  def close(self) -> None:
    """Ends the use of the files."""
    self._file.close()

  def _load_snapshot(self, round_num: int) -> np.ndarray:
    """Returns rounds of all clients' present and chosen states, int64 [2, num_clients]."""
    what = f'what the checkpoint of round {round_num} refers to'
    content = self._file.load(self._file.snapshots, _key(round_num), what)
    return np.frombuffer(content, '<i8').reshape(2, -1).astype(np.int64)


def _key(*numbers: int) -> bytes:
  """Returns numbers as bytes that are in the same order."""
  return struct.pack(f'>{len(numbers)}Q', *numbers)
