"""Local adaptation: each client goes on from a trained model, alone.

Comes in: a `LocalGlobalModel`, an `Adaptation`, an optimiser, batches; then clients' weights
(global and local merged) and data. Goes out: an `AdaptationProcess`, TFF computations that
give each client's adapted weights and validation metrics. `ADAPTATIONS` finds a technique by
the name that `--adaptation` takes; a new one is one file and one line here. May import:
`tff_lg.models`, `tff_lg.learning`, `tff_lg.data`.
"""

from collections.abc import Callable, Mapping

from tff_lg.adaptation.choice import Choice, choose
from tff_lg.adaptation.distillation import distillation
from tff_lg.adaptation.ewc import ewc
from tff_lg.adaptation.fine_tune import fine_tune
from tff_lg.adaptation.fisher import fisher_diagonal
from tff_lg.adaptation.freeze_base import freeze_base
from tff_lg.adaptation.process import (
  AdaptationOutput,
  AdaptationProcess,
  AdaptedWeights,
  build_adaptation_process,
)
from tff_lg.adaptation.technique import Adaptation, AdaptationOptions

ADAPTATIONS: Mapping[str, Callable[[AdaptationOptions], Adaptation]] = {
  'fine_tune': lambda options: fine_tune(),
  'freeze_base': lambda options: freeze_base(options.trained_layers or None),
  'ewc': lambda options: ewc(options.ewc_strength, options.fisher_batch_size),
  'distillation': lambda options: distillation(
    options.distillation_alpha,
    options.distillation_temperature,
    options.distillation_scaled_term,
  ),
}

__all__ = [
  'ADAPTATIONS',
  'Adaptation',
  'AdaptationOptions',
  'AdaptationOutput',
  'AdaptationProcess',
  'AdaptedWeights',
  'Choice',
  'build_adaptation_process',
  'choose',
  'distillation',
  'ewc',
  'fine_tune',
  'fisher_diagonal',
  'freeze_base',
]
