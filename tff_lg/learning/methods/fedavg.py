"""FedAvg: every weight is global. McMahan et al. 2017, Algorithm 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tff_lg import entries, learning
from tff_lg.learning.methods import method, parts, registry

if TYPE_CHECKING:
  from tff_lg import models


def _build(
  model: models.LocalGlobalModel,
  settings: learning.ProcessSettings,
  options: entries.NoOptions,
) -> learning.LocalGlobalProcess:
  """Builds FedAvg: every client trains the whole model; the server averages all of it."""
  del options
  return learning.build_local_global_process(model.with_all_global(), settings)


registry.register(
  method.Method(
    name='fedavg',
    label='FedAvg',
    colour='green',
    dashes=(0, (7, 2, 1.5, 2)),
    sent='everything',
    kept='nothing',
    source='McMahan et al. 2017, [arXiv:1602.05629](https://arxiv.org/abs/1602.05629)',
    build=_build,
    parts=parts.SPLIT,
    has_warm_start=False,
  )
)
