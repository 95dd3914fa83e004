"""How the parts of a method's weights behave where nobody trains.

A method trains the weights of its model, each of which is global or local. Evaluation, warm
starts, held-out clients, new devices and adaptation ask its `Parts` what these weights mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
  from tff_lg import models


@attrs.frozen
class Parts:
  """The roles of a method's global and local weights; functions of tuples of weights.

  Attributes:
    merge: (model, global_weights, local_weights) -> the network's weights that a client predicts
      with. Called in graphs too.
    warm_start: (model, network_weights) -> all weights of the model, in its order, that rounds
      begin with after a warm start has trained a network.
    newcomer: (model, global_weights, start_weights) -> all weights of the model with which a client
      begins that took no part. It is given the server's weights and those at the start of rounds.
  """

  merge: Callable[[models.LocalGlobalModel, Sequence, Sequence], tuple]
  warm_start: Callable[[models.LocalGlobalModel, Sequence], tuple]
  newcomer: Callable[[models.LocalGlobalModel, Sequence, Sequence], tuple]


def _trained(model: models.LocalGlobalModel, global_weights: Sequence, local: Sequence) -> tuple:
  return model.network_weights(model.merge(global_weights, local))


def _with_extra_weights(model: models.LocalGlobalModel, weights: Sequence) -> tuple:
  return (*weights, *model.extra_weights)


# Each weight of the network is either global or local; extra weights are local. A newcomer has the
# server's global weights over the local ones that everybody began with.
SPLIT = Parts(
  merge=_trained,
  warm_start=_with_extra_weights,
  newcomer=lambda model, global_weights, start_weights: tuple(start_weights),
)

# All weights are local, and the server has a copy of all of them, with which a newcomer begins.
SERVER_COPY = Parts(
  merge=_trained,
  warm_start=_with_extra_weights,
  newcomer=lambda model, global_weights, start_weights: tuple(global_weights),
)
