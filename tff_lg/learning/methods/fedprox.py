"""FedProx: FedAvg with a proximal term. Li et al. 2020, Algorithm 2."""

import dataclasses

from tff_lg.learning import objectives, process
from tff_lg.learning import settings as settings_lib
from tff_lg.learning.methods.method import Method, MethodOptions
from tff_lg.models import local_global


def fedprox(options: MethodOptions) -> Method:
  """FedAvg whose clients also minimise mu / 2 * ||w - w_server||^2.

  Args:
    options: `proximal_strength` is mu.

  Returns:
    The method.
  """

  def build(
    model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
  ) -> process.LocalGlobalProcess:
    objective = objectives.proximal(options.proximal_strength, settings.objective)
    return process.build_local_global_process(
      model.with_all_global(), dataclasses.replace(settings, objective=objective)
    )

  return build
