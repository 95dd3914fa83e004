"""FedALA: the last layers are mixed, number by number, of two. Zhang et al. 2023.

Paper: FedALA: Adaptive Local Aggregation for Personalized Federated Learning, AAAI 2023.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, personal_layers, registry

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import models

_OWN, _WEIGHT = 'own', 'mixing_weight'


@attrs.frozen
class Options:
  """Options of FedALA."""

  fedala_layers: tuple[str, ...] | None = entries.option(
    None,
    "Layers that a client mixes from the server's and its own of the round before",
    by_default='the last layer',
  )
  fedala_rate: float = entries.option(
    1.0,
    'eta: learning rate of the mixing weights',
    check=option_check.POSITIVE,
    more="1 is that of the paper's code.",
  )
  fedala_epochs: int = entries.option(
    1,
    'Epochs in which a client learns its mixing weights, at the start of a round',
    check=option_check.POSITIVE,
    more='--client_steps limits them, too.',
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds FedALA: clients learn how much of the server's last layers to take, then train all.

  In the first phase the higher layers are own + (received - own) * W, elementwise, and all others
  the server's. W starts from one, makes steps along the gradient, and is clipped to [0, 1]; it
  stays with the client. The second phase trains all weights from there, as in FedAvg. Clients
  predict with the newest mixture.

  In the paper, the first phase uses a random share of the data. Once, after the client's first
  training, it is repeated until it converges. Here it is the same in all rounds, on all data.

  Raises:
    ValueError: a name is not a layer or all are named, or the settings' batches are not tensors.
  """
  import numpy as np  # They take seconds to import.
  import tensorflow as tf

  from tff_lg.compatibility import tff

  # The layers that stay in a model split so are the ones that are mixed.
  split = personal_layers.split(model, options.fedala_layers, 'fedala_layers')
  is_mixed = [not is_global for is_global in split.weight_is_global]
  network = model.with_all_global()
  n, num_mixed = len(is_mixed), sum(is_mixed)
  pairs = zip(network.weight_names, network.initial_weights, is_mixed, strict=True)
  heads = {name: weight for name, weight, mixed in pairs if mixed}
  everything = network.with_extra_weights(
    {f'{_OWN}/{name}': weight for name, weight in heads.items()}
    | {f'{_WEIGHT}/{name}': np.ones_like(weight) for name, weight in heads.items()}
  )

  def clipped(weights: Sequence) -> tuple:
    return (
      *weights[: n + num_mixed],
      *(tf.clip_by_value(weight, 0.0, 1.0) for weight in weights[n + num_mixed :]),
    )

  def of_mixture(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    of_step = network.with_dropout_key(model.dropout_key)
    mixture = _mix(is_mixed, weights[:n], weights[n:])
    return settings.objective(of_step, mixture, received[:n], x, y)

  def take_mixture(trained: learning.Trained) -> Sequence:
    weights = clipped(trained.weights)
    return (*_mix(is_mixed, weights[:n], weights[n:]), *weights[n:])

  def keep_own(trained: learning.Trained) -> Sequence:
    of_network, weights = trained.weights[:n], trained.weights[n + num_mixed :]
    return (*of_network, *_mixed_ones(is_mixed, of_network), *weights)

  mixing = learning.Phase(
    (False,) * (n + num_mixed) + (True,) * num_mixed,
    batches=learning.with_epochs(settings.batches, options.fedala_epochs),
    optimizer=tff.learning.optimizers.build_sgdm(options.fedala_rate),
    objective=of_mixture,
    before_step=lambda model, weights, received, x, y: clipped(weights),
    finish=take_mixture,
  )
  training = learning.Phase(
    (True,) * n + (False,) * 2 * num_mixed,
    objective=learning.of_network(network, settings.objective),
    finish=keep_own,
  )
  return learning.build_local_global_process(
    everything, dataclasses.replace(settings, phases=(mixing, training))
  )


def _mixed_ones(is_mixed: Sequence[bool], weights: Sequence) -> tuple:
  return tuple(weight for weight, mixed in zip(weights, is_mixed, strict=True) if mixed)


def _mix(is_mixed: Sequence[bool], received: Sequence, local: Sequence) -> tuple:
  """Returns own + (received - own) * W where weights are mixed, else what was received."""
  num_mixed = len(local) // 2
  pairs = iter(zip(local[:num_mixed], local[num_mixed:], strict=True))
  mixture = []
  for weight, mixed in zip(received, is_mixed, strict=True):
    if mixed:
      own, share = next(pairs)
      weight = own + (weight - own) * share
    mixture.append(weight)
  return tuple(mixture)


def _is_mixed(model: models.LocalGlobalModel) -> list[bool]:
  """Tells for each weight of the network if one of the client's own stands beside it."""
  names = set(model.weight_names)
  return [f'{_OWN}/{name}' in names for name in model.network_weights(model.weight_names)]


def _mixture(model: models.LocalGlobalModel, global_weights: Sequence, local: Sequence) -> tuple:
  """Returns the weights that a client predicts with."""
  return _mix(_is_mixed(model), global_weights, local)


def _begin(model: models.LocalGlobalModel, weights: Sequence) -> tuple:
  """Returns a client's first own layers: those of the network, with weights of one."""
  own = _mixed_ones(_is_mixed(model), weights)
  return (*weights, *own, *model.extra_weights[len(own) :])


def _newcomer(model: models.LocalGlobalModel, global_weights: Sequence, start: Any) -> tuple:
  """Returns the server's layers, which a newcomer begins with as its own."""
  del start
  return _begin(model, global_weights)


registry.register(
  method.Method(
    name='fedala',
    label='FedALA',
    colour='vermillion',
    dashes=(0, (3, 1.5, 1, 1.5)),
    sent='everything',
    kept='the layers in `--fedala_layers`, and how much of each number it takes from the server',
    source='Zhang et al. 2023, [arXiv:2212.01197](https://arxiv.org/abs/2212.01197)',
    build=_build,
    options=Options,
    parts=parts.Parts(merge=_mixture, warm_start=_begin, newcomer=_newcomer),
  )
)
