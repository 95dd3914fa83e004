"""FedSim: personal and shared parameters at once. Pillutla et al. 2022."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tff_lg import learning
from tff_lg.learning.methods import method, parts, personal_layers, registry

if TYPE_CHECKING:
  from tff_lg import models


def _build(
  model: models.LocalGlobalModel,
  settings: learning.ProcessSettings,
  options: personal_layers.RateOptions,
) -> learning.LocalGlobalProcess:
  """Builds FedSim: clients make steps of rates gamma_u and gamma_v on u and v at once.

  Algorithm 1 with LocalSim. With one rate for both this is FedPer.
  """
  model = personal_layers.split(model, options.personal_layers)
  settings = personal_layers.with_rate_scale(settings, options.personal_rate_scale)
  return learning.build_local_global_process(model, settings)


registry.register(
  method.Method(
    name='fedsim',
    label='FedSim',
    colour='vermillion',
    dashes=(0, (8, 2, 1, 2, 1, 2)),
    sent='the other layers u',
    kept='the layers v in `--personal_layers`; v and u are trained at once',
    source='Pillutla et al. 2022, [arXiv:2204.03809](https://arxiv.org/abs/2204.03809)',
    build=_build,
    options=personal_layers.RateOptions,
    parts=parts.SPLIT,
  )
)
