"""FedNova: clients count by their steps' direction, not by how many they make. Wang et al. 2020."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, learning
from tff_lg.learning.methods import method, parts, registry, server_steps, sgd_steps

if TYPE_CHECKING:
  from tff_lg import models

_NAME = 'fednova'


def _build(
  model: models.LocalGlobalModel,
  settings: learning.ProcessSettings,
  options: entries.NoOptions,
) -> learning.LocalGlobalProcess:
  """Builds FedNova: the server goes tau_eff steps along the mean of clients' normalised updates.

  tau_i = ||a_i||_1 is the number of steps of client i, where momentum counts a step as often as it
  repeats it. The server moves x by tau_eff * sum_i p_i (x - y_i) / tau_i for tau_eff =
  sum_i p_i tau_i. It also keeps tau, the tau_eff of the round before. Clients send
  (x - y_i) * tau / tau_i and 1 - tau_i / tau. Both are as large in any round as the updates of
  FedAvg's clients, so that bounds of robust and private aggregators fit. The mean of the second
  gives tau_eff. Each client makes at least one step, so neither noise nor an attacker brings
  tau_eff below 1.

  Raises:
    ValueError: the client optimiser is not SGD, or its state stays with the client.
  """
  import numpy as np  # They take seconds to import.
  import tensorflow as tf

  del options
  sgd_steps.check_settings(_NAME, settings)
  network = model.with_all_global()
  n = len(network.weight_names)
  with_steps = network.with_extra_weights(
    {'effective/steps': np.ones([], np.float32)}, are_global=True
  )

  def finish(trained: learning.Trained) -> Sequence:
    *x, tau = trained.start
    num_steps = tf.cast(trained.num_steps, tf.float32)
    tau_i = sgd_steps.moves(_NAME, trained.optimizer_state, num_steps, 1.0)
    scale = tf.math.divide_no_nan(tau, tau_i)
    moved = [start - (start - y) * scale for start, y in zip(x, trained.weights[:n], strict=True)]
    return (*moved, tau - (1 - tau_i / tau))

  def combine(global_weights: Sequence, mean_update: Sequence) -> tuple[Sequence, Sequence]:
    *directions, change = mean_update
    tau = global_weights[-1]
    tau_eff = tf.maximum(tau * (1 - change), 1.0)
    return [direction * (tau_eff / tau) for direction in directions], [tau_eff]

  objective = learning.of_network(network, settings.objective)
  phase = learning.Phase((True,) * n + (False,), objective=objective, finish=finish)
  settings = dataclasses.replace(
    settings,
    phases=(phase,),
    server_optimizer=server_steps.combining(settings.server_optimizer, n, combine),
  )
  return learning.build_local_global_process(with_steps, settings)


def _contradictions(config: Any) -> Iterator[str]:
  yield from sgd_steps.contradictions(config, _NAME, 'counts steps')
  if config.client_weighting == 'gradient_norm':
    yield (
      f'--client_weighting=gradient_norm does not fit {_NAME}: its clients send numbers of steps, '
      'too.'
    )


registry.register(
  method.Method(
    name=_NAME,
    label='FedNova',
    colour='olive',
    dashes=(0, (3, 1, 3, 1, 1, 1)),
    sent='everything, by the number of steps that made it',
    kept='nothing',
    source='Wang et al. 2020, [arXiv:2007.07481](https://arxiv.org/abs/2007.07481)',
    build=_build,
    # What SPLIT says, but the server keeps a number beside the network's weights.
    parts=attrs.evolve(parts.SPLIT),
    fits_batch_norm=False,
    contradictions=_contradictions,
  )
)
