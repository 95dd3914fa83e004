"""pFedMe: personal models under Moreau envelopes. T. Dinh et al. 2020, Algorithm 1."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, own_model, registry

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import models


@attrs.frozen
class Options:
  """Options of pFedMe."""

  pfedme_strength: float = entries.option(
    15.0,
    'lambda: the penalty lambda / 2 * ||theta - w||^2 on the distance of a personal model theta '
    'from w',
    check=option_check.POSITIVE,
    more="15 is the paper's. The clients' learning rate times lambda is the share of the way that "
    'w goes to theta in a step: keep it below 1.',
  )
  pfedme_steps: int = entries.option(
    5,
    'K: gradient steps on theta for each batch',
    check=option_check.POSITIVE,
    more="5 is the paper's.",
  )
  pfedme_personal_rate: float = entries.option(
    0.05, 'Learning rate of the steps on theta', check=option_check.POSITIVE
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds pFedMe: clients move w towards personal models, with which they predict.

  For each batch theta makes K steps on F(theta) + lambda / 2 * ||theta - w||^2 (line 7, equation
  7). It starts where the batch before left it, or from w in a round's first batch. Then w makes one
  step of the client optimiser along lambda (w - theta), the gradient of the Moreau envelope (line
  8). The server's learning rate is beta of line 11. The training loss is the envelope.
  """
  import tensorflow as tf  # It takes seconds to import.

  network = model.with_all_global()
  n = len(network.weight_names)
  strength, rate = options.pfedme_strength, options.pfedme_personal_rate
  # The network's weights are theta; w comes after them.
  both = own_model.beside_global_model(network)

  def before_step(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> Sequence:
    of_step = network.with_dropout_key(model.dropout_key)
    theta, w = weights[:n], weights[n:]
    for _ in range(options.pfedme_steps):
      with tf.GradientTape() as tape:
        tape.watch(theta)
        loss = settings.objective(of_step, theta, received[n:], x, y)
      gradients = tape.gradient(loss, theta, unconnected_gradients='zero')
      theta = tuple(
        of_theta - rate * (gradient + strength * (of_theta - of_w))
        for of_theta, gradient, of_w in zip(theta, gradients, w, strict=True)
      )
    return (*theta, *w)

  def envelope(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    of_step = network.with_dropout_key(model.dropout_key)
    theta, w = weights[:n], weights[n:]
    squares = [tf.reduce_sum(tf.square(one - other)) for one, other in zip(theta, w, strict=True)]
    penalty = strength / 2 * tf.add_n(squares)
    return settings.objective(of_step, theta, received[n:], x, y) + penalty

  phase = learning.Phase(
    both.weight_is_global,
    objective=envelope,
    begin=lambda weights: (*weights[n:], *weights[n:]),
    before_step=before_step,
  )
  return learning.build_local_global_process(both, dataclasses.replace(settings, phases=(phase,)))


registry.register(
  method.Method(
    name='pfedme',
    label='pFedMe',
    colour='ink',
    dashes=(0, (1, 1)),
    sent='everything: the model w in the middle of all',
    kept='a whole personal model, trained around w in each round',
    source='T. Dinh et al. 2020, [arXiv:2006.08848](https://arxiv.org/abs/2006.08848)',
    build=_build,
    options=Options,
    parts=own_model.PARTS,
    fits_batch_norm=False,
  )
)
