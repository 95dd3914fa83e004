"""LG-FedAvg: some layers are global, the rest local. Liang et al. 2020, Algorithm 1."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, registry

if TYPE_CHECKING:
  from tff_lg import models

AUXILIARIES = ('supervised', 'autoencoder', 'jigsaw')

_NAME = 'lg_fedavg'


@attrs.frozen
class Options:
  """Options of LG-FedAvg.

  A process is built of `global_layers`, names of layers; of `auxiliary`, an `AuxiliaryNetwork`;
  and of `global_loss_weight`. A run makes the first two of all options, its task and its data.
  """

  global_layers: tuple[str, ...] | None = entries.option(
    None,
    'Layers that the server aggregates',
    by_default="the paper's",
    more='auto: after the warm start, estimates of device variance and data variance order the '
    'layers, and validation data say how many of them are local.',
  )
  local_layer_share: float | None = entries.option(
    None,
    'alpha: share of the layers, from the input on, that are local, instead of naming global ones',
    check=option_check.SHARE,
    more='1 makes the run one of --method=local_only.',
  )
  auto_rounds: int | None = entries.option(
    None,
    'Rounds for which each split is tried with --global_layers=auto',
    by_default='20, or --rounds where that is less,',
  )
  auxiliary: str | None = entries.option(
    None,
    'What a network of the client learns from the local layers below the global ones',
    choices=AUXILIARIES,
    by_default='nothing',
    more='It predicts the label (supervised), the input (autoencoder), or which permutation the '
    'tiles of an image are in (jigsaw). It is never sent, and no prediction uses it.',
  )
  global_loss_weight: float | None = entries.option(
    None,
    'lambda: of the loss L_local + lambda * L_global, where L_local is that of the network of '
    "--auxiliary: a greater one gives more weight to the whole model's, L_global",
    check=option_check.POSITIVE,
    by_default='1',
  )
  auxiliary_units: tuple[int, ...] | None = entries.option(
    None,
    'Units of each hidden layer of the network of --auxiliary',
    check=option_check.POSITIVE,
    by_default='64',
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds LG-FedAvg: clients train all weights; only those of the global layers travel.

  A client that was not sampled gets the new global layers over its local ones as
  they were, which is what the broadcast does. With an auxiliary network a client also minimises
  the loss of that network on what its local layers give, and `global_loss_weight` times the
  model's loss.

  Raises:
    ValueError: a name is not a layer, there is no layer, or the auxiliary network is on top of a
      global one.
  """
  if not options.global_layers:
    raise ValueError(
      f'lg_fedavg needs at least one global layer out of {", ".join(model.layer_names)}.'
    )
  model = model.with_global_layers(options.global_layers)
  network: Any = options.auxiliary
  if network is not None:
    model = model.with_extra_weights(network.own_weights)
    _, local_names = model.split(model.weight_names)
    others = [name for name in network.weight_names if name not in local_names]
    if others:
      raise ValueError(
        f'the auxiliary network is on top of {", ".join(others)}, expected local weights of the '
        'model only.'
      )
    weight = 1.0 if options.global_loss_weight is None else options.global_loss_weight
    objective = learning.with_auxiliary(network, weight, settings.objective)
    settings = dataclasses.replace(settings, objective=objective)
  return learning.build_local_global_process(model, settings)


def _contradictions(config: Any) -> Iterator[str]:
  if config.global_layers is not None and config.local_layer_share is not None:
    yield (
      '--global_layers and --local_layer_share both say which layers are global: give one of them.'
    )
  if config.local_layer_share == 1 and config.method != _NAME:
    yield ('--local_layer_share is 1, which leaves nothing to send: use --baselines=local_only.')
  for name in ('global_loss_weight', 'auxiliary_units'):
    if getattr(config, name) is not None and config.auxiliary is None:
      yield f'--{name} is given, but there is no --auxiliary.'


registry.register(
  method.Method(
    name=_NAME,
    label='LG-FedAvg',
    colour='blue',
    dashes='-',
    sent='the layers in `--global_layers`',
    kept='the other layers',
    source='Liang et al. 2020, [arXiv:2001.01523](https://arxiv.org/abs/2001.01523)',
    build=_build,
    options=Options,
    parts=parts.SPLIT,
    counted_as='lg',
    keeps_layers=True,
    contradictions=_contradictions,
  )
)
