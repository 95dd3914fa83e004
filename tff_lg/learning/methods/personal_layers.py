"""Shared parts of methods with personal layers: the split, the rate, steps of each part."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import attrs

from tff_lg import entries, learning, option_check

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import models


@attrs.frozen
class Options:
  """Options of methods whose clients keep a few layers."""

  personal_layers: tuple[str, ...] | None = entries.option(
    None, 'Layers that stay with their client', by_default='the last layer'
  )


@attrs.frozen
class RateOptions(Options):
  """Options of methods that also have a learning rate for personal layers."""

  personal_rate_scale: float = entries.option(
    1.0,
    'Learning rate of personal layers as a multiple of that of the others, gamma_v / gamma_u',
    check=option_check.POSITIVE,
  )


def split(
  model: models.LocalGlobalModel,
  personal_layers: tuple[str, ...] | None,
  option: str = 'personal_layers',
) -> models.LocalGlobalModel:
  """Returns the model whose personal layers are local and all others global.

  Args:
    model: to split.
    personal_layers: names; None for the last layer.
    option: that has the names.

  Raises:
    ValueError: a name is not a layer, or no layer would be global.
  """
  names = model.layer_names
  personal = personal_layers or names[-1:]
  unknown = [name for name in personal if name not in names]
  others = [name for name in names if name not in personal]
  if unknown or not others:
    raise ValueError(
      f'{option} is {",".join(personal)}, expected some of {", ".join(names)}, not all.'
    )
  return model.with_global_layers(others)


def alternating(
  model: models.LocalGlobalModel,
  settings: learning.ProcessSettings,
  personal_epochs: int | None = None,
) -> learning.ProcessSettings:
  """Returns settings by which clients train personal layers first, and then the others.

  Args:
    model: has personal layers as local weights.
    settings: to change.
    personal_epochs: of the first phase; None for as many as of the second.

  Raises:
    ValueError: `personal_epochs` is given, but the settings' batches are not tensors.
  """
  is_global = model.weight_is_global
  batches = personal_epochs and learning.with_epochs(settings.batches, personal_epochs)
  of_personal = learning.Phase(tuple(not one for one in is_global), batches=batches or None)
  return dataclasses.replace(settings, phases=(of_personal, learning.Phase(is_global)))


def with_rate_scale(settings: learning.ProcessSettings, scale: float) -> learning.ProcessSettings:
  """Returns settings whose gradients of local weights are multiplied.

  With SGD, with momentum or without, this is a learning rate of their own.
  """
  if scale == 1:
    return settings

  def objective(
    model: models.LocalGlobalModel, weights: tuple, received: tuple, x: tf.Tensor, y: tf.Tensor
  ) -> tf.Tensor:
    import tensorflow as tf  # It takes seconds to import.

    scaled = tuple(
      weight if is_global else scale * weight + tf.stop_gradient(weight - scale * weight)
      for weight, is_global in zip(weights, model.weight_is_global, strict=True)
    )
    return settings.objective(model, scaled, received, x, y)

  return dataclasses.replace(settings, objective=objective)
