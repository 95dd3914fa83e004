"""FedProx: FedAvg with a proximal term. Li et al. 2020, Algorithm 2."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, registry

if TYPE_CHECKING:
  from tff_lg import models


@attrs.frozen
class Options:
  """Options of FedProx."""

  proximal_strength: float = entries.option(
    0.01, 'mu of the proximal term', check=option_check.NOT_NEGATIVE
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds FedAvg whose clients also minimise mu / 2 * ||w - w_server||^2."""
  objective = learning.proximal(options.proximal_strength, settings.objective)
  return learning.build_local_global_process(
    model.with_all_global(), dataclasses.replace(settings, objective=objective)
  )


registry.register(
  method.Method(
    name='fedprox',
    label='FedProx',
    colour='purple',
    dashes=(0, (2, 1.5)),
    sent='everything, with a proximal term',
    kept='nothing',
    source='Li et al. 2020, [arXiv:1812.06127](https://arxiv.org/abs/1812.06127)',
    build=_build,
    options=Options,
    parts=parts.SPLIT,
  )
)
