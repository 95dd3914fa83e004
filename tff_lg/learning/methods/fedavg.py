"""FedAvg: every weight is global. McMahan et al. 2017, Algorithm 1."""

from tff_lg.learning import process
from tff_lg.learning import settings as settings_lib
from tff_lg.learning.methods.method import Method, MethodOptions
from tff_lg.models import local_global


def fedavg(options: MethodOptions) -> Method:
  """Every client trains the whole model; the server averages all of it.

  Args:
    options: none of them is used.

  Returns:
    The method.
  """
  del options

  def build(
    model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
  ) -> process.LocalGlobalProcess:
    return process.build_local_global_process(model.with_all_global(), settings)

  return build
