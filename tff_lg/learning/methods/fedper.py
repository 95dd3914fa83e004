"""FedPer: base layers are global, personalization layers local. Arivazhagan et al. 2019."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tff_lg import learning
from tff_lg.learning.methods import method, parts, personal_layers, registry

if TYPE_CHECKING:
  from tff_lg import models


def _build(
  model: models.LocalGlobalModel,
  settings: learning.ProcessSettings,
  options: personal_layers.Options,
) -> learning.LocalGlobalProcess:
  """Builds FedPer: clients train all layers; the base travels (Algorithms 1 and 2).

  This is LG-FedAvg with the split turned around: the last layers are local, not the first ones.
  """
  model = personal_layers.split(model, options.personal_layers)
  return learning.build_local_global_process(model, settings)


registry.register(
  method.Method(
    name='fedper',
    label='FedPer',
    colour='blue',
    dashes=(0, (5, 2)),
    sent='the other layers',
    kept='the layers in `--personal_layers`, the last by default',
    source='Arivazhagan et al. 2019, [arXiv:1912.00818](https://arxiv.org/abs/1912.00818)',
    build=_build,
    options=personal_layers.Options,
    parts=parts.SPLIT,
  )
)
