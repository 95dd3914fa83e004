"""LG-FedAvg: some layers are global, the rest local. Liang et al. 2020, Algorithm 1."""

from tff_lg.learning import process
from tff_lg.learning import settings as settings_lib
from tff_lg.learning.methods.method import Method, MethodOptions
from tff_lg.models import local_global


def lg_fedavg(options: MethodOptions) -> Method:
  """Clients train all weights; only those of the global layers travel.

  A client that was not sampled gets the new global layers over its local ones as
  they were, which is what the broadcast does.

  Args:
    options: `global_layers` names the global layers.

  Returns:
    The method. It raises ValueError for a name that is no layer, or for no layer.
  """

  def build(
    model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
  ) -> process.LocalGlobalProcess:
    if not options.global_layers:
      raise ValueError(
        f'lg_fedavg needs at least one global layer out of {", ".join(model.layer_names)}.'
      )
    return process.build_local_global_process(
      model.with_global_layers(options.global_layers), settings
    )

  return build
