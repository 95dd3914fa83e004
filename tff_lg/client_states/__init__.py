"""Client states between rounds: in memory, or on disk in bounded memory.

Comes in: states of clients by round, as `tff_lg.learning` makes them. Goes out: a store that gives
them back, for a checkpoint to the same bits. May import: `tff_lg.learning`. `CLIENT_STORES` has an
entry for each store; one from outside comes in by `--import`.
"""

from tff_lg import entries
from tff_lg.client_states.entry import CLIENT_STORES, MEMORY, Setting, StoreEntry, register

__all__ = ['CLIENT_STORES', 'MEMORY', 'Setting', 'StoreEntry', 'register']

# The stores themselves import TensorFlow.
entries.import_modules(
  __name__,
  without=(
    'client_state_codec',
    'client_state_file',
    'client_store',
    'disk_client_store',
    'phase_stores',
    'stored_states',
  ),
)
