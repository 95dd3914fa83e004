"""SCAFFOLD: control variates against client drift. Karimireddy et al. 2020, Algorithm 1."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, registry, sgd_steps
from tff_lg.optimizers import OPTIMIZERS

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import models

_NAME = 'scaffold'


@attrs.frozen
class Options:
  """Options of SCAFFOLD."""

  cohort_share: float | None = entries.option(
    None,
    'Share of all clients that a round samples, |S| / N. The control variate of the server moves '
    'by this share towards the mean of those sampled',
    check=option_check.SHARE,
    by_default="the run's",
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds SCAFFOLD: clients add c - c_i to gradients; control variates travel or stay.

  Steps are those of line 10. Then c_i+ = c_i - c + (x - y) / (K * eta), option II of line 12. That
  is the mean of the client's gradients, where momentum counts one as often as it repeats it. The
  server receives the change of c_i times |S| / N (line 17).

  Raises:
    ValueError: the client optimiser is not SGD, or its state stays with the client.
  """
  import numpy as np  # They take seconds to import.
  import tensorflow as tf

  sgd_steps.check_settings(_NAME, settings)
  share = 1.0 if options.cohort_share is None else options.cohort_share
  network = model.with_all_global()
  n = len(network.weight_names)
  zeros = [np.zeros_like(weight) for weight in network.initial_weights]

  def named(of_whom: str) -> dict[str, np.ndarray]:
    names = (f'{of_whom}/{name}' for name in network.weight_names)
    return dict(zip(names, zeros, strict=True))

  # x, then c, then c_i, the only local ones.
  all_weights = network.with_extra_weights(named('server_control'), are_global=True)
  all_weights = all_weights.with_extra_weights(named('client_control'))
  of_network = learning.of_network(network, settings.objective)

  def objective(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    loss = of_network(model, weights, received, x, y)
    # Its value is 0, its gradient by the weight c - c_i.
    corrections = [
      tf.reduce_sum((c - c_i) * (weight - tf.stop_gradient(weight)))
      for weight, c, c_i in zip(weights[:n], weights[n : 2 * n], weights[2 * n :], strict=True)
    ]
    return loss + tf.add_n(corrections)

  def finish(trained: learning.Trained) -> Sequence:
    rate = trained.optimizer_state['learning_rate']
    num_steps = tf.cast(trained.num_steps, tf.float32)
    scale = sgd_steps.moves(_NAME, trained.optimizer_state, num_steps, rate)
    start, end = trained.start[:n], trained.weights[:n]
    controls = list(zip(trained.start[n : 2 * n], trained.start[2 * n :], strict=True))
    new = [
      c_i - c + tf.math.divide_no_nan(x - y, scale)
      for x, y, (c, c_i) in zip(start, end, controls, strict=True)
    ]
    heard = [c + share * (c_new - c_i) for c_new, (c, c_i) in zip(new, controls, strict=True)]
    return (*end, *heard, *new)

  phase = learning.Phase((True,) * n + (False,) * 2 * n, objective=objective, finish=finish)
  return learning.build_local_global_process(
    all_weights, dataclasses.replace(settings, phases=(phase,))
  )


def _contradictions(config: Any) -> Iterator[str]:
  yield from sgd_steps.contradictions(config, _NAME, 'makes control variates of the steps')
  takes_mean = OPTIMIZERS[config.server_optimizer].takes_mean
  if not takes_mean or config.server_learning_rate not in (None, 1):
    fitting = ' or '.join(name for name, entry in OPTIMIZERS.items() if entry.takes_mean)
    yield (
      f'{_NAME} takes means of control variates: --server_optimizer has to be {fitting} of '
      'learning rate 1.'
    )
  if config.client_weighting == 'gradient_norm':
    yield (
      f'--client_weighting=gradient_norm does not fit {_NAME}: its clients send control variates, '
      'too.'
    )


def _model_of_server(
  model: models.LocalGlobalModel, global_weights: Sequence, local: Sequence
) -> tuple:
  """Returns what a client predicts with: the server's model."""
  return model.network_weights(model.merge(global_weights, local))


registry.register(
  method.Method(
    name=_NAME,
    label='SCAFFOLD',
    colour='muted',
    dashes=(0, (6, 1.5, 1.5, 1.5)),
    sent='everything, and as many control variates',
    kept="the client's control variates",
    source='Karimireddy et al. 2020, [arXiv:1910.06378](https://arxiv.org/abs/1910.06378)',
    build=_build,
    options=Options,
    # What SPLIT says, but the server keeps more than global weights of the network.
    parts=attrs.evolve(parts.SPLIT, merge=_model_of_server),
    contradictions=_contradictions,
  )
)
