"""Per-FedAvg, first order: a model from which one step is good. Fallah et al. 2020."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, registry

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import models


@attrs.frozen
class Options:
  """Options of Per-FedAvg."""

  per_fedavg_rate: float = entries.option(
    0.01,
    "alpha: the rate of the step by which a client personalises the server's model",
    check=option_check.POSITIVE,
    more="0.01 is the paper's; beta is --client_learning_rate.",
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds Per-FedAvg: clients train the model for what it is after one step of theirs.

  The second phase is Algorithm 1. A step moves w along the gradient of F at w - alpha * gradient
  of F(w). The former uses one half of a batch and the latter the other; a middle example is in
  both. Second derivatives are left out, as in the paper's FO variant. In the first phase a client
  takes its own step: d = -alpha * gradient of F(w) over all of its examples. It predicts with
  w + d for the newest w; d is that of its last round.

  Raises:
    ValueError: the settings' batches are not tensors.
  """
  import numpy as np  # They take seconds to import.
  import tensorflow as tf

  from tff_lg.compatibility import tff

  alpha, network = options.per_fedavg_rate, model.with_all_global()
  is_w = network.weight_is_global
  n = len(is_w)
  pairs = zip(network.weight_names, network.initial_weights, strict=True)
  both = network.with_extra_weights({f'own_step/{name}': np.zeros_like(w) for name, w in pairs})

  def after_own_step(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    of_step = network.with_dropout_key(model.dropout_key)
    return settings.objective(of_step, _add(weights[:n], weights[n:]), received[:n], x, y)

  def after_a_step(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    of_step = network.with_dropout_key(model.dropout_key)
    w, w_t = weights[:n], received[:n]
    size = tf.shape(y)[0]
    half = (size + 1) // 2
    with tf.GradientTape() as tape:
      tape.watch(w)
      loss = settings.objective(of_step, w, w_t, x[:half], y[:half])
    gradients = tape.gradient(loss, w, unconnected_gradients='zero')
    step = tuple(-alpha * tf.stop_gradient(gradient) for gradient in gradients)
    return settings.objective(of_step, _add(w, step), w_t, x[size - half :], y[size - half :])

  own_step = learning.Phase(
    (False,) * n + is_w,
    batches=dataclasses.replace(learning.with_epochs(settings.batches, 1), batch_size=None),
    optimizer=tff.learning.optimizers.build_sgdm(alpha),
    objective=after_own_step,
    begin=lambda weights: (*weights[:n], *map(tf.zeros_like, weights[n:])),
  )
  of_all = learning.Phase(is_w + (False,) * n, objective=after_a_step)
  return learning.build_local_global_process(
    both, dataclasses.replace(settings, phases=(own_step, of_all))
  )


def _add(weights: Sequence, step: Sequence) -> tuple:
  return tuple(weight + change for weight, change in zip(weights, step, strict=True))


registry.register(
  method.Method(
    name='per_fedavg',
    label='Per-FedAvg',
    colour='green',
    dashes=(0, (4, 1.5, 1, 1.5, 1, 1.5)),
    sent='everything: a model to take one step from',
    kept='that step',
    source='Fallah et al. 2020, first order, [arXiv:2002.07948](https://arxiv.org/abs/2002.07948)',
    build=_build,
    options=Options,
    parts=attrs.evolve(
      parts.SPLIT, merge=lambda model, global_weights, local: _add(global_weights, local)
    ),
    fits_batch_norm=False,
  )
)
