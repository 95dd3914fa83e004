"""Shared parts of methods whose clients keep a whole model of their own beside the global one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tff_lg.learning.methods import parts

if TYPE_CHECKING:
  from tff_lg import models


def beside_global_model(network: models.LocalGlobalModel) -> models.LocalGlobalModel:
  """Returns a model whose network is the client's own; the global one's weights come after it."""
  pairs = zip(network.weight_names, network.initial_weights, strict=True)
  copy = {f'global_model/{name}': weight for name, weight in pairs}
  return network.with_global_layers(()).with_extra_weights(copy, are_global=True)


def _own(model: models.LocalGlobalModel, global_weights: Sequence, local: Sequence) -> tuple:
  """Returns what a client predicts with: its own model."""
  del model, global_weights
  return tuple(local)


def _twice(model: models.LocalGlobalModel, weights: Sequence) -> tuple:
  """Returns the weights twice: the own model begins where the global one does."""
  del model
  return (*weights, *weights)


def _global_model(model: models.LocalGlobalModel, global_weights: Sequence, start: Any) -> tuple:
  """Returns the global model, which a newcomer begins with as its own."""
  del start
  return _twice(model, global_weights)


# Clients predict with their own models.
PARTS = parts.Parts(merge=_own, warm_start=_twice, newcomer=_global_model)
