"""FedBN: batch normalisation stays with its client. Li et al. 2021, Algorithm 1.

Paper: FedBN: Federated Learning on Non-IID Features via Local Batch Normalization, ICLR 2021.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from absl import logging

from tff_lg import entries, learning
from tff_lg.learning.methods import method, parts, registry

if TYPE_CHECKING:
  from tff_lg import models


def _build(
  model: models.LocalGlobalModel,
  settings: learning.ProcessSettings,
  options: entries.NoOptions,
) -> learning.LocalGlobalProcess:
  """Builds FedBN: clients train all weights; layers of batch normalisation do not travel.

  These are their offsets and factors as well as their moving statistics. A network without such
  layers is trained as by FedAvg, in which statistics are averaged with all other weights.
  """
  del options
  local = model.batch_norm_layers
  if not local:
    logging.warning('fedbn: the network has no batch normalisation, so that this is fedavg.')
  names = [name for name in model.layer_names if name not in local]
  return learning.build_local_global_process(model.with_global_layers(names), settings)


registry.register(
  method.Method(
    name='fedbn',
    label='FedBN',
    colour='ink',
    dashes=(0, (6, 1.5, 1, 1.5)),
    sent='everything but layers of batch normalisation',
    kept='layers of batch normalisation, with their statistics',
    source='Li et al. 2021, [arXiv:2102.07623](https://arxiv.org/abs/2102.07623)',
    build=_build,
    parts=parts.SPLIT,
  )
)
