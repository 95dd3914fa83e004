"""Mean-regularised multi-task learning: each client has a model of its own, held to the mean."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, registry

if TYPE_CHECKING:
  from tff_lg import models


@attrs.frozen
class Options:
  """Options of multi-task learning; with strength 0 every client learns alone."""

  mtl_strength: float = entries.option(
    0.1,
    "lambda: the penalty lambda * ||w - mean||^2 on the distance of a client's own model w from "
    'the mean of all',
    check=option_check.NOT_NEGATIVE,
  )
  mtl_weight_decay: float | None = entries.option(
    None,
    "lambda_2: the penalty lambda_2 * ||w||^2 on a client's own model w",
    check=option_check.NOT_NEGATIVE,
    by_default='0',
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds MTL: clients keep whole models of their own, held to their mean by a penalty.

  They minimise their losses plus lambda * sum_k ||w_k - mean||^2 + lambda_2 * sum_k ||w_k||^2.

  The first term is lambda tr(W Omega W^T) with the clients' models as the columns of W and
  Omega = (I - 11^T / m)^2. The distances from the mean sum to zero, so client k's gradient of it is
  2 lambda (w_k - mean). That is also the gradient of lambda ||w_k - mean||^2 for a fixed mean.
  The second is lambda_2 ||W||^2, whose gradient is 2 lambda_2 w_k.
  The mean is the server's: that of the models of the clients sampled last, as the settings'
  server optimiser, aggregator and client weighting make it. A whole model travels each way.

  Evgeniou and Pontil 2004, Regularized multi-task learning; Smith et al. 2017, Federated
  Multi-Task Learning, section 3; Liang et al. 2020, table 1.
  """
  objective = learning.proximal(2 * options.mtl_strength, settings.objective)
  if options.mtl_weight_decay:
    objective = learning.weight_decay(options.mtl_weight_decay, objective)
  return learning.build_local_global_process(
    model.with_server_copy(), dataclasses.replace(settings, objective=objective)
  )


def _contradictions(config: Any) -> Iterator[str]:
  if config.client_weighting == 'gradient_norm':
    yield (
      '--client_weighting=gradient_norm does not fit mtl: what its clients send is how far they '
      'are from the mean, no gradient.'
    )


registry.register(
  method.Method(
    name='mtl',
    label='MTL',
    colour='ink',
    dashes=(0, (4, 1.5, 4, 1.5, 1, 1.5)),
    sent='the mean of all models',
    kept='everything: each model is drawn to the mean',
    source='mean-regularised multi-task learning, as in Liang et al.',
    build=_build,
    options=Options,
    parts=parts.SERVER_COPY,
    contradictions=_contradictions,
  )
)
