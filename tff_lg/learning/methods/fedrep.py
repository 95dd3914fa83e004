"""FedRep: a common representation, and a head of each client's own. Collins et al. 2021."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, personal_layers, registry

if TYPE_CHECKING:
  from tff_lg import models


@attrs.frozen
class Options(personal_layers.Options):
  """Options of FedRep."""

  fedrep_head_epochs: int = entries.option(
    10,
    'Epochs of the personal layers alone, before those of the representation',
    check=option_check.POSITIVE,
    more="The paper's number is 10; --client_steps limits them, too.",
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds FedRep: clients train the head on the received body, then the body under that head.

  Algorithm 1. The head makes tau steps of equation 4 from where the client left it. Then the
  body makes its steps (equation 5), and the server averages the bodies (equation 6). The client's
  epochs are those of the body. The training loss is the mean over both.

  Raises:
    ValueError: the settings' batches are not tensors.
  """
  model = personal_layers.split(model, options.personal_layers)
  return learning.build_local_global_process(
    model, personal_layers.alternating(model, settings, options.fedrep_head_epochs)
  )


registry.register(
  method.Method(
    name='fedrep',
    label='FedRep',
    colour='purple',
    dashes=(0, (6, 1.5, 1, 1.5)),
    sent='the other layers, trained under a fixed head',
    kept='the layers in `--personal_layers`, trained first',
    source='Collins et al. 2021, [arXiv:2102.07078](https://arxiv.org/abs/2102.07078)',
    build=_build,
    options=Options,
    parts=parts.SPLIT,
  )
)
