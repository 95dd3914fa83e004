"""Freeze-base: only the top trains. Yu et al. 2020, section 4 (FB)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries
from tff_lg.adaptation.technique import Adaptation, TechniqueEntry, register

if TYPE_CHECKING:
  from tff_lg.models import local_global


@attrs.frozen
class Options:
  """Options of freeze-base."""

  trained_layers: tuple[str, ...] = entries.option(
    (), 'Layers that train', by_default='the output layer'
  )


def freeze_base(trained_layers: Sequence[str] | None = None) -> Adaptation:
  """Trains the top layer, or the layers named, by the model's own loss; the rest is frozen.

  The paper's code leaves a part of the text model's first recurrent layer to train; here
  everything below the top is frozen.

  Args:
    trained_layers: names of the layers that train; None for the model's last layer with
      weights. Name the layer where the output is an earlier one (tied embeddings).

  Returns:
    The adaptation. Building a process with it raises ValueError for a name that is not a
    layer with weights.

  Yu et al. 2020, Salvaging Federated Learning by Local Adaptation, section 4.
  """

  def choose_layers(model: local_global.LocalGlobalModel) -> tuple[str, ...]:
    if trained_layers is None:
      return model.layer_names[-1:]
    unknown = [layer for layer in trained_layers if layer not in model.layer_names]
    if unknown or not trained_layers:
      raise ValueError(
        f'trained_layers has {", ".join(unknown) or "no name"}, expected some of '
        f'{", ".join(model.layer_names)}.'
      )
    return tuple(trained_layers)

  return Adaptation(trained_layers=choose_layers)


def _build(options: Options, setting: Mapping[str, Any]) -> Adaptation:
  del setting
  return freeze_base(options.trained_layers or None)


def _defaults(config: Any, source: Any) -> Mapping[str, Any]:
  del config
  # Tied to the input, the output is no layer of its own.
  return {'trained_layers': ('embedding',)} if source.tied_embeddings else {}


register(
  TechniqueEntry(
    name='freeze_base',
    label='Base frozen',
    minimises='the same, by the output layer only',
    build=_build,
    options=Options,
    defaults=_defaults,
  )
)
