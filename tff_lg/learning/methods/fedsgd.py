"""FedSGD: one gradient over all of a client's examples a round. McMahan et al. 2017."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tff_lg import learning
from tff_lg.learning.methods import method, parts, registry

if TYPE_CHECKING:
  from tff_lg import models

_NAME = 'fedsgd'


def _build(
  model: models.LocalGlobalModel,
  settings: learning.ProcessSettings,
  options: method.NoOptions,
) -> learning.LocalGlobalProcess:
  """Clients send one full-batch gradient; the server takes the step.

  The settings' client optimiser, with its learning-rate schedule, therefore works
  at the server, where its state (such as momentum) lasts. A client's own step of
  rate 1 makes its update the gradient itself.

  Raises:
    ValueError: the settings' batches are not tensors, or have a learning-rate schedule, which a
      server optimiser does not take.
  """
  from tff_lg.compatibility import tff  # It takes seconds to import.

  del options
  if not isinstance(settings.batches, learning.TensorBatches):
    raise ValueError('fedsgd needs TensorBatches: it chooses the batch, all of the examples.')
  if settings.client_learning_rate_fn is not None:
    raise ValueError('fedsgd takes no client learning-rate schedule: clients make no steps.')
  return learning.build_local_global_process(
    model.with_all_global(),
    dataclasses.replace(
      settings,
      batches=dataclasses.replace(settings.batches, batch_size=None, num_epochs=1),
      client_optimizer=tff.learning.optimizers.build_sgdm(1.0),
      server_optimizer=settings.client_optimizer,
    ),
  )


def _contradictions(config: Any) -> Iterator[str]:
  """What has no effect where each client sends one gradient."""
  if config.client_learning_rate_decay:
    yield "--client_learning_rate_decay does not fit fedsgd: its steps are the server's."
  if config.method != _NAME:
    return
  if config.client_steps is not None:
    yield '--client_steps does not fit --method=fedsgd: each client sends one gradient.'
  if config.client_epochs or config.batch_size:
    yield (
      '--client_epochs and --batch_size do not fit --method=fedsgd: each client sends one '
      'gradient over all of its examples.'
    )
  if config.server_learning_rate != 1 or config.server_momentum:
    yield (
      '--server_learning_rate and --server_momentum do not fit --method=fedsgd: its steps are '
      'set by --client_learning_rate and --client_momentum.'
    )


registry.register(
  method.Method(
    name=_NAME,
    label='FedSGD',
    colour='olive',
    dashes=(0, (3, 1.5, 1, 1.5, 1, 1.5)),
    sent='everything, one full-batch gradient a round',
    kept='nothing',
    source='the same',
    build=_build,
    parts=parts.SPLIT,
    makes_steps=False,
    contradictions=_contradictions,
  )
)
