"""What an adaptation is: a loss around the starting weights, and which layers train."""

import dataclasses
from collections.abc import Callable
from typing import Any

from tff_lg.learning import batches as batches_lib
from tff_lg.learning import objectives
from tff_lg.models import local_global


def _plain_objective(measured: tuple) -> objectives.Objective:
  del measured
  return objectives.supervised


def _all_layers(model: local_global.LocalGlobalModel) -> tuple[str, ...]:
  return model.layer_names


@dataclasses.dataclass(frozen=True)
class Adaptation:
  """How a client goes on from a trained model, alone.

  Attributes:
    objective: what `measure` gave, () without one, to what the client minimises. The
      objective's initial weights are the ones that the adaptation starts from.
    trained_layers: model to the names of the layers that train; the others keep their bits.
    trains_extra_weights: whether the model's extra weights train, where the objective uses them.
    measure: (model, weights, public data) -> tensors that the objective needs beside the
      weights, measured once before the adaptation; None for nothing. It is traced.
  """

  objective: Callable[[Any], objectives.Objective] = _plain_objective
  trained_layers: Callable[[local_global.LocalGlobalModel], tuple[str, ...]] = _all_layers
  trains_extra_weights: bool = False
  measure: (
    Callable[[local_global.LocalGlobalModel, tuple, batches_lib.ClientTensors], Any] | None
  ) = None


@dataclasses.dataclass(frozen=True)
class AdaptationOptions:
  """Options that belong to single adaptations.

  Attributes:
    trained_layers: names of the layers that train, none for the last one (freeze_base).
    ewc_strength: lambda (ewc).
    fisher_batch_size: examples whose mean gradient is squared, 1 by definition (ewc).
    distillation_alpha: alpha (distillation).
    distillation_temperature: K (distillation).
    distillation_scaled_term: which term alpha K^2 multiplies, `teacher` as in the paper's code
      or `labels` as in its equation (distillation).
  """

  trained_layers: tuple[str, ...] = ()
  ewc_strength: float = 50.0
  fisher_batch_size: int = 1
  distillation_alpha: float = 0.95
  distillation_temperature: float = 6.0
  distillation_scaled_term: str = 'teacher'
