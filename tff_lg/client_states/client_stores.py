"""Where a run keeps its clients' states: in memory, or on disk in its folder."""

import os
import shutil

from tff_lg.client_states import client_store, disk_client_store
from tff_lg.learning import client_work

ClientStateStore = client_store.ClientStateStore | disk_client_store.DiskClientStateStore


def create_client_store(
  kind: str,
  run_dir: str,
  phase: int,
  initial_state: client_work.ClientState,
  num_clients: int,
  read_only: bool = False,
) -> ClientStateStore:
  """Makes the store of one phase of a run, in which every client has the initial state.

  Args:
    kind: `memory` or `disk`.
    run_dir: the run folder.
    phase: its number, from 0.
    initial_state: of each client.
    num_clients: how many there are.
    read_only: for a run that has ended.

  Returns:
    The store; no file is touched yet.
  """
  if kind == 'disk':
    folder = _folder(run_dir, phase)
    return disk_client_store.DiskClientStateStore(folder, initial_state, num_clients, read_only)
  return client_store.ClientStateStore(initial_state)


def remove_client_stores(run_dir: str, before_phase: int) -> None:
  """Deletes what stores of earlier phases have left on disk."""
  for phase in range(before_phase):
    shutil.rmtree(_folder(run_dir, phase), ignore_errors=True)


def _folder(run_dir: str, phase: int) -> str:
  return os.path.join(run_dir, 'client_states', f'phase_{phase}')
