"""Where a run is kept: in memory, or in its folder, from which a killed run resumes."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tff_lg import checkpoints, data_fingerprint, file_names, files, folder_lock
from tff_lg.client_states import CLIENT_STORES, MEMORY, phase_stores
from tff_lg.models import local_global
from tff_lg.training import client_data, communication, plan, run_state
from tff_lg.training import selection as selection_lib


class Restored(NamedTuple):
  """A run at its newest checkpoint.

  Attributes:
    state: where it is, its clients' store open.
    arrays: of the checkpoint, by name.
    meta: plain values of the checkpoint.
  """

  state: run_state.RunState
  arrays: Mapping[str, np.ndarray]
  meta: Mapping[str, Any]


class RunStorage:
  """Makes the states of a run's phases; saves and restores them if there is a run folder.

  Attributes:
    run_dir: the run folder; None in memory.
    keep_before: the newest checkpoint before this round is kept, too; None for no such round.
  """

  def __init__(
    self,
    phases: Sequence[plan.Phase],
    num_clients: int,
    run_dir: str | None = None,
    client_store: str = MEMORY,
    kept_round: int | None = None,
  ) -> None:
    """Prepares the storage; nothing is read or written.

    Args:
      phases: of the run.
      num_clients: how many clients there are.
      run_dir: the run folder; None for a run in memory, which keeps no checkpoint.
      client_store: where client states are between rounds, a name in `CLIENT_STORES`.
      kept_round: whose checkpoint stays, besides the newest ones.

    Raises:
      ValueError: states are to be on disk, but there is no run folder.
    """
    if run_dir is None and CLIENT_STORES[client_store].needs_folder:
      raise ValueError(f'client_store is {client_store}, which needs a run_dir.')
    self._phases, self._num_clients = tuple(phases), num_clients
    self.run_dir, self._client_store = run_dir, client_store
    self._clients: phase_stores.ClientStateStore | None = None
    self._lock: folder_lock.FolderLock | None = None
    self._folder_watch: files.FolderWatch | None = None
    self._checkpoints: checkpoints.CheckpointManager | None = None
    if run_dir is not None:
      self._checkpoints = checkpoints.CheckpointManager(
        os.path.join(run_dir, file_names.CHECKPOINTS), kept_round=kept_round
      )
    self.keep_before: int | None = None

  def open(self, clients: client_data.Clients) -> None:
    """Makes the run folder if need be, and notices from now on if it is deleted.

    Locks it until `unlock`, and compares the clients' data with those that its run began with. If
    this thread holds the lock, whoever took it has compared them.

    Args:
      clients: of the run.

    Raises:
      ValueError: another process writes there, or the data are others; one sentence.
    """
    if self.run_dir is None:
      return
    if not folder_lock.is_held(self.run_dir):
      self._lock = folder_lock.FolderLock(self.run_dir, 'run_dir')
      found = clients.fingerprint()
      data_fingerprint.check(self.run_dir, found, 'run_dir')
      data_fingerprint.write(self.run_dir, found)
    self._folder_watch = files.FolderWatch(self.run_dir)

  def unlock(self) -> None:
    """Releases the lock that `open` has taken."""
    if self._lock is not None:
      self._lock.release()

  def check(self) -> None:
    """Refuses a run folder that is gone meanwhile; files.FolderGoneError."""
    if self._folder_watch is not None:
      self._folder_watch.check()

  def close(self) -> None:
    """Closes the clients' store that was opened last."""
    if self._clients is not None:
      self._clients.close()

  def start(
    self,
    phase: int,
    weights: local_global.ModelWeights,
    round_num: int | None = None,
    read_only: bool = False,
  ) -> run_state.RunState:
    """Returns the state in which a phase begins.

    Args:
      phase: its index.
      weights: of everybody.
      round_num: rounds done before; by default all rounds of the phases before.
      read_only: whether nobody changes the clients' states.
    """
    if round_num is None:
      round_num = sum(before.num_rounds for before in self._phases[:phase])
    process = self._phases[phase].process
    self._clients = phase_stores.create_client_store(
      self._client_store,
      self.run_dir or '',
      phase,
      process.initialize_client(weights),
      self._num_clients,
      read_only,
    )
    return run_state.RunState(
      round_num=round_num,
      phase=phase,
      phase_start=round_num,
      start_weights=weights,
      server_state=process.initialize(weights),
      clients=self._clients,
      selection=selection_lib.ModelSelection(process, self._num_clients, self._clients.chosen),
      traffic=communication.RoundTraffic(),
    )

  def save(
    self, state: run_state.RunState, arrays: Mapping[str, np.ndarray], meta: Mapping[str, Any]
  ) -> None:
    """Writes a checkpoint of a state, with more arrays and plain values; in memory nothing."""
    if self._checkpoints is None:
      return
    of_state, plain = state.to_checkpoint()
    self._checkpoints.keep_before = self.keep_before
    self._checkpoints.save(state.round_num, of_state | dict(arrays), plain | dict(meta))
    self._settle(state)

  def restore(self, read_only: bool = True) -> Restored | None:
    """Loads the newest checkpoint; None without one.

    Args:
      read_only: whether nobody resumes the run in this folder.

    Raises:
      checkpoints.CheckpointError: the checkpoint, or its clients' store, is damaged.
    """
    loaded = None if self._checkpoints is None else self._checkpoints.load_latest()
    if loaded is None:
      return None
    round_num, arrays, meta = loaded
    # Checkpoints of older versions do not say where their phase began.
    began = meta.get('phase_start')
    state = self.start(meta['phase'], run_state.start_weights(arrays), began, read_only)
    state.load_checkpoint(round_num, arrays, meta)
    if not read_only:
      self._settle(state)
    return Restored(state, arrays, meta)

  def remove_from(self, round_num: int) -> None:
    """Removes the checkpoints after so many rounds and more."""
    if self._checkpoints is not None:
      self._checkpoints.remove_from(round_num)

  def kept(self) -> str:
    """Returns a sentence on what is kept; empty in memory."""
    if self._checkpoints is None:
      return ''
    saved = self._checkpoints.rounds()
    return f'The checkpoint of round {saved[-1]} is kept.' if saved else 'No checkpoint is kept.'

  def _settle(self, state: run_state.RunState) -> None:
    """Frees what no checkpoint that is kept needs."""
    saved = self._checkpoints.rounds() if self._checkpoints else []
    state.clients.settle(saved)
    if state.phase and saved[0] > state.phase_start:
      phase_stores.remove_client_stores(self.run_dir or '', state.phase)
