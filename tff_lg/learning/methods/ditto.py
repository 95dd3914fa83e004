"""Ditto: FedAvg, and beside it a model of each client's own. Li et al. 2021, Algorithm 1.

Paper: Ditto: Fair and Robust Federated Learning Through Personalization, arXiv:2012.04221.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, own_model, registry

if TYPE_CHECKING:
  from tff_lg import models


@attrs.frozen
class Options:
  """Options of Ditto; with strength 0 the own models are those of local learning."""

  ditto_strength: float = entries.option(
    0.1,
    "lambda: the penalty lambda / 2 * ||v - w||^2 on the distance of a client's own model v from "
    'the global model w',
    check=option_check.NOT_NEGATIVE,
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds Ditto: clients train w as in FedAvg, and on the same batches a model v of their own.

  They minimise F(w), of which the server hears, and F(v) + lambda / 2 * ||v - w_t||^2, where w_t
  is the global model as the round begins. No gradient of the one reaches the other, so that w is
  FedAvg's with any optimiser that treats each number alone. Clients predict with v. The training
  loss is the sum of both.
  """
  import tensorflow as tf  # It takes seconds to import.

  network = model.with_all_global()
  num_weights = len(network.weight_names)
  # The network's weights are v; those of the server come after them.
  both = own_model.beside_global_model(network)

  def objective(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    of_step = network.with_dropout_key(model.dropout_key)
    own, w = weights[:num_weights], weights[num_weights:]
    w_t = received[num_weights:]
    squares = [tf.reduce_sum(tf.square(one - other)) for one, other in zip(own, w_t, strict=True)]
    own_loss = settings.objective(of_step, own, w_t, x, y)
    penalty = options.ditto_strength / 2 * tf.add_n(squares)
    return settings.objective(of_step, w, w_t, x, y) + own_loss + penalty

  return learning.build_local_global_process(
    both, dataclasses.replace(settings, objective=objective)
  )


registry.register(
  method.Method(
    name='ditto',
    label='Ditto',
    colour='muted',
    dashes=(0, (1, 1.2)),
    sent="everything, as FedAvg's",
    kept='a whole model of its own, drawn to the global one',
    source='Li et al. 2021, [arXiv:2012.04221](https://arxiv.org/abs/2012.04221)',
    build=_build,
    options=Options,
    parts=own_model.PARTS,
  )
)
