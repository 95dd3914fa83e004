"""FedBABU: only the body is trained together; heads are fine-tuned. Oh et al. 2022, Algorithm 1."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from tff_lg import entries, learning, option_check
from tff_lg.learning.methods import method, parts, personal_layers, registry

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import models


@attrs.frozen
class Options(personal_layers.Options):
  """Options of FedBABU."""

  fedbabu_head_epochs: int = entries.option(
    5,
    'Epochs for which a client fine-tunes the personal layers that it predicts with',
    check=option_check.POSITIVE,
    more='--client_steps limits them, too.',
  )


def _build(
  model: models.LocalGlobalModel, settings: learning.ProcessSettings, options: Options
) -> learning.LocalGlobalProcess:
  """Builds FedBABU: clients train the body under a head that never changes.

  Algorithm 1 is the second phase. The first is the evaluation's fine-tuning. In each of its rounds
  a client tunes a head on the received body, from the initial head, and predicts with it. Tuned
  heads do not affect the body. Weights are body, tuned head and, as extra ones, the initial head.

  Raises:
    ValueError: the settings' batches are not tensors.
  """
  model = personal_layers.split(model, options.personal_layers)
  is_global = model.weight_is_global
  names, heads = model.split(model.weight_names)[1], model.split(model.initial_weights)[1]
  copies = {f'initial_head/{name}': head for name, head in zip(names, heads, strict=True)}
  both = model.with_extra_weights(copies)

  def with_initial_head(weights: Sequence) -> tuple:
    network, head = both.network_weights(weights), weights[len(is_global) :]
    return model.merge(model.split(network)[0], head)

  def begin(weights: Sequence) -> tuple:
    return (*with_initial_head(weights), *weights[len(is_global) :])

  def objective(
    of_step: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    of_body = model.with_dropout_key(of_step.dropout_key)
    return settings.objective(
      of_body, with_initial_head(weights), with_initial_head(received), x, y
    )

  others = (False,) * len(copies)
  of_head = learning.Phase(
    (*(not one for one in is_global), *others),
    batches=learning.with_epochs(settings.batches, options.fedbabu_head_epochs),
    begin=begin,
  )
  of_body = learning.Phase((*is_global, *others), objective=objective)
  return learning.build_local_global_process(
    both, dataclasses.replace(settings, phases=(of_head, of_body))
  )


def _with_initial_head(model: models.LocalGlobalModel, weights: Sequence) -> tuple:
  """Returns the weights with the head that never changes: the one that the rounds begin with."""
  is_global = model.network_weights(model.weight_is_global)
  pairs = zip(weights, is_global, strict=True)
  return (*weights, *(weight for weight, of_body in pairs if not of_body))


registry.register(
  method.Method(
    name='fedbabu',
    label='FedBABU',
    colour='green',
    dashes=(0, (1.5, 1.5)),
    sent='the other layers, trained under the head that all began with',
    kept='the layers in `--personal_layers`, fine-tuned for prediction only',
    source='Oh et al. 2022, [arXiv:2106.06042](https://arxiv.org/abs/2106.06042)',
    build=_build,
    options=Options,
    parts=attrs.evolve(parts.SPLIT, warm_start=_with_initial_head),
  )
)
