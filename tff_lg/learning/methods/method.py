"""What a method is: a function from a model and settings to a process."""

import dataclasses
from collections.abc import Callable

from tff_lg.learning import process
from tff_lg.learning import settings as settings_lib
from tff_lg.models import auxiliary as auxiliary_lib
from tff_lg.models import local_global

Method = Callable[
  [local_global.LocalGlobalModel, settings_lib.ProcessSettings], process.LocalGlobalProcess
]


@dataclasses.dataclass(frozen=True)
class MethodOptions:
  """Options that belong to single methods.

  Attributes:
    global_layers: names of the layers that are global (lg_fedavg).
    proximal_strength: mu of the proximal term (fedprox).
    mtl_strength: lambda of the penalty on the distance from the mean (mtl).
    mtl_weight_decay: lambda_2 of the penalty on the squared norm of a client's model (mtl).
    auxiliary: network on the local representation (lg_fedavg), None for none.
    global_loss_weight: lambda, what the global loss is multiplied by beside that of the
      auxiliary network (lg_fedavg).
  """

  global_layers: tuple[str, ...] = ()
  proximal_strength: float = 0.0
  mtl_strength: float = 0.0
  mtl_weight_decay: float = 0.0
  auxiliary: auxiliary_lib.AuxiliaryNetwork | None = None
  global_loss_weight: float = 1.0
