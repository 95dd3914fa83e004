"""Mean-regularised multi-task learning: each client has a model of its own, held to the mean."""

import dataclasses

from tff_lg.learning import objectives, process
from tff_lg.learning import settings as settings_lib
from tff_lg.learning.methods.method import Method, MethodOptions
from tff_lg.models import local_global


def mtl(options: MethodOptions) -> Method:
  """Clients keep whole models of their own, held to their mean by a penalty.

  They minimise their losses plus lambda * sum_k ||w_k - mean||^2 + lambda_2 * sum_k ||w_k||^2.

  The first term is lambda tr(W Omega W^T) with the clients' models as the columns of W and
  Omega = (I - 11^T / m)^2. As the distances from the mean sum to zero, client k's gradient of
  it is 2 lambda (w_k - mean), which is also that of lambda ||w_k - mean||^2 for a fixed mean.
  The second is lambda_2 ||W||^2, whose gradient is 2 lambda_2 w_k.
  The mean is the server's: that of the models of the clients sampled last, as the settings'
  server optimiser, aggregator and client weighting make it. A whole model travels each way.

  Args:
    options: `mtl_strength` is lambda, with 0 every client learns alone; `mtl_weight_decay` is
      lambda_2.

  Returns:
    The method. It raises ValueError for a negative strength or weight decay.

  Evgeniou and Pontil 2004, Regularized multi-task learning; Smith et al. 2017, Federated
  Multi-Task Learning, section 3; Liang et al. 2020, table 1.
  """
  if options.mtl_strength < 0:
    raise ValueError(f'mtl strength is {options.mtl_strength}, expected a number >= 0.')

  def build(
    model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
  ) -> process.LocalGlobalProcess:
    objective = objectives.proximal(2 * options.mtl_strength, settings.objective)
    if options.mtl_weight_decay:
      objective = objectives.weight_decay(options.mtl_weight_decay, objective)
    return process.build_local_global_process(
      model.with_server_copy(), dataclasses.replace(settings, objective=objective)
    )

  return build
