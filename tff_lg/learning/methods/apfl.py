"""APFL: a mixture of an own model and the global one. Deng et al. 2020, Algorithm 1."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, own_model, parts, registry

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import models


@attrs.frozen
class Options:
  """Options of APFL; with a fixed weight of 0 clients predict with FedAvg's model."""

  apfl_weight: float = entries.option(
    0.5,
    "alpha: the weight of a client's own model v in its mixture alpha * v + (1 - alpha) * w",
    check=option_check.SHARE,
  )
  apfl_adaptive: bool = entries.option(
    False,
    'Clients learn their alpha by gradient steps of their own rate, starting from the given one',
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds APFL: clients train w as in FedAvg and, on the same batches, v in their mixture.

  A step moves w along the gradient of F(w), and v along that of F(alpha v + (1 - alpha) w) by v.
  An adaptive alpha moves along <v - w, the gradient at the mixture> (equation 10) and is clipped
  to [0, 1]. The training loss is the sum of both.
  """
  import numpy as np  # They take seconds to import.
  import tensorflow as tf

  network = model.with_all_global()
  n = len(network.weight_names)
  both = own_model.beside_global_model(network)
  both = both.with_extra_weights({'mixture/alpha': np.array(options.apfl_weight, np.float32)})

  def clipped(weights: Sequence) -> tuple:
    *others, alpha = weights
    return (*others, tf.clip_by_value(alpha, 0.0, 1.0))

  def before_step(model: Any, weights: tuple, received: Any, x: Any, y: Any) -> tuple:
    del model, received, x, y
    return clipped(weights)

  def objective(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    of_step = network.with_dropout_key(model.dropout_key)
    v, w, w_t = weights[:n], weights[n : 2 * n], received[n : 2 * n]
    mixture = _mix(v, tuple(map(tf.stop_gradient, w)), weights[-1])
    return settings.objective(of_step, w, w_t, x, y) + settings.objective(
      of_step, mixture, w_t, x, y
    )

  phase = learning.Phase((True,) * 2 * n + (options.apfl_adaptive,), objective=objective)
  if options.apfl_adaptive:
    phase = dataclasses.replace(
      phase, before_step=before_step, finish=lambda trained: clipped(trained.weights)
    )
  return learning.build_local_global_process(both, dataclasses.replace(settings, phases=(phase,)))


def _mix(own: Sequence, global_weights: Sequence, alpha: Any) -> tuple:
  """Returns alpha v + (1 - alpha) w; to the bit w where v is w."""
  return tuple(w + alpha * (v - w) for v, w in zip(own, global_weights, strict=True))


def _mixture(model: models.LocalGlobalModel, global_weights: Sequence, local: Sequence) -> tuple:
  """Returns the weights that a client predicts with."""
  del model
  return _mix(local[:-1], global_weights, local[-1])


def _twice(model: models.LocalGlobalModel, weights: Sequence) -> tuple:
  """Returns the own model, which begins where the global one does, and the first alpha."""
  return (*weights, *weights, model.initial_weights[-1])


def _global_model(model: models.LocalGlobalModel, global_weights: Sequence, start: Any) -> tuple:
  """Returns the global model, which a newcomer begins with as its own."""
  del start
  return _twice(model, global_weights)


registry.register(
  method.Method(
    name='apfl',
    label='APFL',
    colour='olive',
    dashes=(0, (9, 2)),
    sent="everything, as FedAvg's",
    kept='a whole model of its own, mixed with the global one, and its weight',
    source='Deng et al. 2020, [arXiv:2003.13461](https://arxiv.org/abs/2003.13461)',
    build=_build,
    options=Options,
    parts=parts.Parts(merge=_mixture, warm_start=_twice, newcomer=_global_model),
    fits_batch_norm=False,
  )
)
