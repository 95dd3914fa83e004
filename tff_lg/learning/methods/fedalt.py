"""FedAlt: personal parameters, then shared ones. Pillutla et al. 2022."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, personal_layers, registry

if TYPE_CHECKING:
  from tff_lg import models


@attrs.frozen
class Options(personal_layers.RateOptions):
  """Options of FedAlt."""

  fedalt_personal_epochs: int | None = entries.option(
    None,
    'Epochs of the personal layers alone, before those of the others',
    check=option_check.POSITIVE,
    by_default='--client_epochs',
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds FedAlt: clients make steps on v under the u received, then on u under the new v.

  Algorithm 1 with LocalAlt. The client makes tau_v steps of rate gamma_v on v, from where it left
  v. Then it makes tau_u steps of rate gamma_u on u; the server takes the mean of u. FedRep is the
  same with more epochs of v.

  Raises:
    ValueError: epochs of v are given, but the settings' batches are not tensors.
  """
  model = personal_layers.split(model, options.personal_layers)
  settings = personal_layers.with_rate_scale(settings, options.personal_rate_scale)
  return learning.build_local_global_process(
    model, personal_layers.alternating(model, settings, options.fedalt_personal_epochs)
  )


registry.register(
  method.Method(
    name='fedalt',
    label='FedAlt',
    colour='vermillion',
    dashes=(0, (1, 1)),
    sent='the other layers u',
    kept='the layers v in `--personal_layers`; v and u are trained in turns',
    source='Pillutla et al. 2022, [arXiv:2204.03809](https://arxiv.org/abs/2204.03809)',
    build=_build,
    options=Options,
    parts=parts.SPLIT,
  )
)
