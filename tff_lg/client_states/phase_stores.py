"""Makes and removes the stores of the phases of a run."""

import os
import shutil

from tff_lg.client_states import client_store, disk_client_store, entry
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
    kind: a name in `CLIENT_STORES`.
    run_dir: the run folder.
    phase: its number, from 0.
    initial_state: of each client.
    num_clients: how many there are.
    read_only: for a run that has ended.

  Returns:
    The store; no file is touched yet.
  """
  setting = entry.Setting(
    folder=_folder(run_dir, phase),
    initial_state=initial_state,
    num_clients=num_clients,
    read_only=read_only,
  )
  return entry.CLIENT_STORES[kind].build(setting)


def remove_client_stores(run_dir: str, before_phase: int) -> None:
  """Deletes what stores of earlier phases have left on disk."""
  for phase in range(before_phase):
    shutil.rmtree(_folder(run_dir, phase), ignore_errors=True)


def _folder(run_dir: str, phase: int) -> str:
  return os.path.join(run_dir, 'client_states', f'phase_{phase}')
