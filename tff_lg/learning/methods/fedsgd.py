"""FedSGD: one gradient over all of a client's examples per round. McMahan et al. 2017."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tff_lg import entries, learning
from tff_lg.learning.methods import method, parts, registry

if TYPE_CHECKING:
  from tff_lg import models

_NAME = 'fedsgd'


def _build(
  model: models.LocalGlobalModel,
  settings: learning.ProcessSettings,
  options: entries.NoOptions,
) -> learning.LocalGlobalProcess:
  """Builds FedSGD: clients send one full-batch gradient; the server takes the step.

  The settings' client optimiser, with its learning-rate schedule, therefore works
  at the server, in place of the server's, and its state (such as momentum) lasts.
  A client's own step of rate 1 makes its update the gradient itself.

  Raises:
    ValueError: the settings' batches are not tensors.
  """
  from tff_lg.compatibility import tff  # It takes seconds to import.

  del options
  if not isinstance(settings.batches, learning.TensorBatches):
    raise ValueError('fedsgd needs TensorBatches: it chooses the batch, all of the examples.')
  return learning.build_local_global_process(
    model.with_all_global(),
    dataclasses.replace(
      settings,
      batches=dataclasses.replace(settings.batches, batch_size=None, num_epochs=1),
      client_optimizer=tff.learning.optimizers.build_sgdm(1.0),
      client_learning_rate_fn=None,
      server_optimizer=settings.client_optimizer,
      server_learning_rate_fn=settings.client_learning_rate_fn,
    ),
  )


def _contradictions(config: Any) -> Iterator[str]:
  """Returns the options without effect if each client sends one gradient."""
  if config.method != _NAME:
    return
  if config.client_steps is not None:
    yield '--client_steps does not fit --method=fedsgd: each client sends one gradient.'
  if config.client_epochs or config.batch_size:
    yield (
      '--client_epochs and --batch_size do not fit --method=fedsgd: each client sends one '
      'gradient over all of its examples.'
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
