"""FedSGD: one gradient over all of a client's examples a round. McMahan et al. 2017."""

import dataclasses

from tff_lg.compatibility import tff
from tff_lg.learning import batches, process
from tff_lg.learning import settings as settings_lib
from tff_lg.learning.methods.method import Method, MethodOptions
from tff_lg.models import local_global


def fedsgd(options: MethodOptions) -> Method:
  """Clients send one full-batch gradient; the server takes the step.

  The settings' client optimiser, with its learning-rate schedule, therefore works
  at the server, where its state (such as momentum) lasts. A client's own step of
  rate 1 makes its update the gradient itself.

  Args:
    options: none of them is used.

  Returns:
    The method. It raises ValueError for settings whose batches are not tensors, or
    with a learning-rate schedule, which a server optimiser does not take.
  """
  del options

  def build(
    model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
  ) -> process.LocalGlobalProcess:
    if not isinstance(settings.batches, batches.TensorBatches):
      raise ValueError('fedsgd needs TensorBatches: it chooses the batch, all of the examples.')
    if settings.client_learning_rate_fn is not None:
      raise ValueError('fedsgd takes no client learning-rate schedule: clients make no steps.')
    full_batch = dataclasses.replace(settings.batches, batch_size=None, num_epochs=1)
    return process.build_local_global_process(
      model.with_all_global(),
      dataclasses.replace(
        settings,
        batches=full_batch,
        client_optimizer=tff.learning.optimizers.build_sgdm(1.0),
        server_optimizer=settings.client_optimizer,
      ),
    )

  return build
