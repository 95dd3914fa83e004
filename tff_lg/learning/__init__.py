"""Learning: the one stateful federated process, and the methods that set it.

Comes in: a `LocalGlobalModel` and `ProcessSettings` (optimisers, aggregator, client
weighting, objective, batches). Goes out: a `LocalGlobalProcess`, TFF computations
that `tff_lg.training` drives. May import: `tff_lg.models`, `tff_lg.optimizers`.

Names are imported when they are first used: whoever only reads the entries of
`tff_lg.learning.methods` does not import TensorFlow.
"""

from typing import TYPE_CHECKING

from tff_lg import lazy_names

if TYPE_CHECKING:
  from tff_lg.learning.batches import ClientTensors, DatasetBatches, TensorBatches
  from tff_lg.learning.client_weighting import CLIENT_WEIGHTINGS
  from tff_lg.learning.client_work import ClientState
  from tff_lg.learning.methods import METHODS, SPLIT, Method, Parts, option, register
  from tff_lg.learning.objectives import (
    of_network,
    proximal,
    supervised,
    weight_decay,
    with_auxiliary,
  )
  from tff_lg.learning.phases import Phase, Trained, with_epochs
  from tff_lg.learning.process import (
    LocalGlobalProcess,
    RoundOutput,
    build_local_global_process,
  )
  from tff_lg.learning.server import ServerState
  from tff_lg.learning.settings import ProcessSettings, UpdateAttack

__all__ = [
  'CLIENT_WEIGHTINGS',
  'METHODS',
  'SPLIT',
  'ClientState',
  'ClientTensors',
  'DatasetBatches',
  'LocalGlobalProcess',
  'Method',
  'Parts',
  'Phase',
  'ProcessSettings',
  'RoundOutput',
  'ServerState',
  'TensorBatches',
  'Trained',
  'UpdateAttack',
  'build_local_global_process',
  'of_network',
  'option',
  'proximal',
  'register',
  'supervised',
  'weight_decay',
  'with_auxiliary',
  'with_epochs',
]

__getattr__ = lazy_names.importer(
  __name__,
  __all__,
  (
    'methods',
    'batches',
    'client_weighting',
    'objectives',
    'phases',
    'settings',
    'client_work',
    'server',
    'process',
  ),
)
