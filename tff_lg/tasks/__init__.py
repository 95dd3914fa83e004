"""Tasks: what a run trains on, each one entry with its data, its network and its options.

`TASKS` is what `--task` takes and `NETWORKS` what `--model` takes. An entry is light: flags, checks
and defaults are made of it, and what it loads or builds is imported when it is used. A new task is
one module here that registers it; one from outside does the same and comes in by `--import`.

Comes in: options, a `Setting`. Goes out: `FederatedData`, and Keras models for them. May import:
`tff_lg.embeddings`, `tff_lg.heterogeneity`, `tff_lg.learning`, `tff_lg.metrics`.
"""

from tff_lg import entries
from tff_lg.tasks.task import (
  DEFAULT_PARTITION,
  NETWORKS,
  TASKS,
  Derived,
  NetworkEntry,
  NetworkSetting,
  Setting,
  TaskEntry,
  find_network,
  is_own_network,
  networks_of,
  register,
  register_network,
)

__all__ = [
  'DEFAULT_PARTITION',
  'NETWORKS',
  'TASKS',
  'Derived',
  'NetworkEntry',
  'NetworkSetting',
  'Setting',
  'TaskEntry',
  'find_network',
  'is_own_network',
  'networks_of',
  'register',
  'register_network',
]

entries.import_modules(__name__, first=('named', 'silos', 'client_files', 'table'))
