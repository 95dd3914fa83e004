"""Stores of client states as entries: what `--client_store` takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries

if TYPE_CHECKING:
  from tff_lg.learning import client_work


@attrs.frozen(kw_only=True)
class Setting:
  """The setting of a store: one phase of a run, in which every client has the initial state.

  Attributes:
    folder: the phase's own, in the run folder; it may not exist yet.
    initial_state: of each client.
    num_clients: how many there are.
    read_only: whether the run has ended.
  """

  folder: str
  initial_state: client_work.ClientState
  num_clients: int
  read_only: bool


@attrs.frozen(kw_only=True)
class StoreEntry(entries.Entry):
  """A store; its label is for the help. See `register`.

  Attributes:
    build: (setting) -> the store, with the methods of `client_store.ClientStateStore`; no file is
      touched yet.
    needs_folder: whether it cannot do without a run folder.
  """

  build: Callable[[Setting], Any]
  needs_folder: bool = False


# What `--client_store` takes, with everything that is known about it.
CLIENT_STORES: entries.Registry[StoreEntry] = entries.Registry('client_store')
register = CLIENT_STORES.register
# Of a run that says nothing of it.
MEMORY = 'memory'


def _in_memory(setting: Setting) -> Any:
  from tff_lg.client_states import client_store  # It imports TensorFlow.

  return client_store.ClientStateStore(setting.initial_state)


def _on_disk(setting: Setting) -> Any:
  from tff_lg.client_states import disk_client_store

  return disk_client_store.DiskClientStateStore(
    setting.folder, setting.initial_state, setting.num_clients, setting.read_only
  )


register(StoreEntry(name=MEMORY, label='in memory and in each checkpoint', build=_in_memory))
register(StoreEntry(name='disk', label='in the run folder', build=_on_disk, needs_folder=True))
