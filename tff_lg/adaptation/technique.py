"""Adaptations: a loss around the starting weights, and which layers train."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries

if TYPE_CHECKING:
  from tff_lg.learning import batches as batches_lib
  from tff_lg.learning import objectives
  from tff_lg.models import local_global

# Of learning rates that are tried, as multiples of the source run's for clients.
RATE_FACTORS: tuple[float, ...] = (1.0, 0.1, 0.01)


def _plain_objective(measured: tuple) -> objectives.Objective:
  from tff_lg.learning import objectives  # It takes seconds to import.

  del measured
  return objectives.supervised


def _all_layers(model: local_global.LocalGlobalModel) -> tuple[str, ...]:
  return model.layer_names


@dataclasses.dataclass(frozen=True)
class Adaptation:
  """The way in which a client continues from a trained model, alone.

  Attributes:
    objective: what `measure` gave, () without one, to what the client minimises. The
      objective's initial weights are the ones that the adaptation starts from.
    trained_layers: model to the names of the layers that train; the others keep their bits.
    trains_extra_weights: whether the model's extra weights train, where the objective uses them.
    measure: (model, weights, public data) -> tensors that the objective needs beside the
      weights, measured once before the adaptation; None for nothing. It is traced.
  """

  objective: Callable[[Any], objectives.Objective] = _plain_objective
  trained_layers: Callable[[local_global.LocalGlobalModel], tuple[str, ...]] = _all_layers
  trains_extra_weights: bool = False
  measure: (
    Callable[[local_global.LocalGlobalModel, tuple, batches_lib.ClientTensors], Any] | None
  ) = None


def _no_changes(*configs: Any) -> Mapping[str, Any]:
  del configs
  return {}


@attrs.frozen(kw_only=True)
class TechniqueEntry(entries.Entry):
  """A technique of adaptation; see `register`.

  Attributes:
    minimises: what, from the federated weights G, for the table of techniques.
    build: (options, setting) -> the adaptation; the setting has a value for each of `tried`.
    rates: the option with its learning rates, `learning_rate` for those of all techniques; None
      for one that trains nothing.
    rate_factors: these rates by default, as multiples of the source run's for clients; alike for
      techniques that share the option.
    tried: its options that are tuples of which, as of learning rates, the best is chosen.
    defaults: (config, config of the source run) -> what options that are None or empty stand for.
    is_default: whether it is among those that `--adaptation` has by default.
    fast: (config) -> its options in a small run, by name.
  """

  minimises: str
  build: Callable[[Any, Mapping[str, Any]], Adaptation]
  rates: str | None = 'learning_rate'
  rate_factors: tuple[float, ...] = RATE_FACTORS
  tried: tuple[str, ...] = ()
  defaults: Callable[[Any, Any], Mapping[str, Any]] = _no_changes
  is_default: bool = True
  fast: Callable[[Any], Mapping[str, Any]] = _no_changes

  @property
  def trains(self) -> bool:
    """Whether it trains weights."""
    return self.rates is not None


# What `--adaptation` takes, with everything that is known about it.
ADAPTATIONS: entries.Registry[TechniqueEntry] = entries.Registry('adaptation')
register = ADAPTATIONS.register
