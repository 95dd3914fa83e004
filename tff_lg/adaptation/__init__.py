"""Local adaptation: each client continues from a trained model, alone.

Comes in: a `LocalGlobalModel`, an `Adaptation`, an optimiser, batches; then clients' weights
(global and local merged) and data. Goes out: an `AdaptationProcess`, TFF computations that
give each client's adapted weights and validation metrics. `ADAPTATIONS` has an entry for each
technique that `--adaptation` takes; a new one is one file, one from outside comes in by
`--import`. May import: `tff_lg.learning`, `tff_lg.metrics`.

Entries are light: other names are imported when they are first used, and TensorFlow with them.
"""

from typing import TYPE_CHECKING

from tff_lg import entries, lazy_names
from tff_lg.adaptation.technique import (
  ADAPTATIONS,
  RATE_FACTORS,
  Adaptation,
  TechniqueEntry,
  register,
)

# In the order that tables have, and --adaptation by default.
# isort: off
from tff_lg.adaptation.fine_tune import fine_tune
from tff_lg.adaptation.freeze_base import freeze_base
from tff_lg.adaptation.ewc import ewc
from tff_lg.adaptation.distillation import distillation
# isort: on

if TYPE_CHECKING:
  from tff_lg.adaptation.choice import Choice, choose
  from tff_lg.adaptation.client_adaptation import AdaptationOutput, AdaptedWeights
  from tff_lg.adaptation.fisher import fisher_diagonal
  from tff_lg.adaptation.process import AdaptationProcess, build_adaptation_process

__all__ = [
  'ADAPTATIONS',
  'RATE_FACTORS',
  'Adaptation',
  'AdaptationOutput',
  'AdaptationProcess',
  'AdaptedWeights',
  'Choice',
  'TechniqueEntry',
  'build_adaptation_process',
  'choose',
  'distillation',
  'ewc',
  'fine_tune',
  'fisher_diagonal',
  'freeze_base',
  'register',
]

# They import TensorFlow or NumPy.
_LAZY = ('choice', 'client_adaptation', 'fisher', 'process')
entries.import_modules(__name__, without=_LAZY)
__getattr__ = lazy_names.importer(__name__, __all__, _LAZY)
