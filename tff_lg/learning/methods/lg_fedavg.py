"""LG-FedAvg: some layers are global, the rest local. Liang et al. 2020, Algorithm 1."""

import dataclasses

from tff_lg.learning import objectives, process
from tff_lg.learning import settings as settings_lib
from tff_lg.learning.methods.method import Method, MethodOptions
from tff_lg.models import local_global


def lg_fedavg(options: MethodOptions) -> Method:
  """Clients train all weights; only those of the global layers travel.

  A client that was not sampled gets the new global layers over its local ones as
  they were, which is what the broadcast does.

  Args:
    options: `global_layers` names the global layers. With `auxiliary` a client also
      minimises the loss of a network of its own on what its local layers give, and
      `global_loss_weight` times the model's loss.

  Returns:
    The method. It raises ValueError for a name that is no layer, for no layer, or if the
    auxiliary network is on top of a global one.
  """

  def build(
    model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
  ) -> process.LocalGlobalProcess:
    if not options.global_layers:
      raise ValueError(
        f'lg_fedavg needs at least one global layer out of {", ".join(model.layer_names)}.'
      )
    model = model.with_global_layers(options.global_layers)
    network = options.auxiliary
    if network is not None:
      model = model.with_extra_weights(network.own_weights)
      _, local_names = model.split(model.weight_names)
      others = [name for name in network.weight_names if name not in local_names]
      if others:
        raise ValueError(
          f'the auxiliary network is on top of {", ".join(others)}, expected local weights of the '
          'model only.'
        )
      objective = objectives.with_auxiliary(network, options.global_loss_weight, settings.objective)
      settings = dataclasses.replace(settings, objective=objective)
    return process.build_local_global_process(model, settings)

  return build
