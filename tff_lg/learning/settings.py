"""Everything that makes one stateful process differ from another, in one value."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import TypeAlias

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.learning import batches as batches_lib
from tff_lg.learning import client_weighting as client_weighting_lib
from tff_lg.learning import objectives
from tff_lg.learning import phases as phases_lib
from tff_lg.learning.methods import parts as parts_lib

Aggregator: TypeAlias = (
  tff.aggregators.WeightedAggregationFactory | tff.aggregators.UnweightedAggregationFactory
)

# (updates@CLIENTS, is_attacking@CLIENTS, seed@CLIENTS) -> updates@CLIENTS, called while the round
# is traced: it may map, sum and broadcast. An update is the tuple of initial minus final global
# weights; a seed is an int32 [2] of the client and round. Only what it gives for clients that are
# attacking is used.
UpdateAttack = Callable[[tff.Value, tff.Value, tff.Value], tff.Value]


@dataclasses.dataclass(frozen=True)
class ProcessSettings:
  """Settings of `build_local_global_process`; a method changes a few of them.

  Attributes:
    client_optimizer: trains a client's copy of the model.
    server_optimizer: applies the mean update to the global weights; with learning
      rate 1 the new weights are the clients' mean.
    batches: how a client's data become batches in training.
    evaluation_batches: the same in evaluation; each example once. None for as many
      examples as fit into memory, see `evaluation.default_batches`.
    aggregator: of the clients' updates; an unweighted one ignores client weights.
    client_weighting: how much each client counts.
    objective: what a client minimises.
    client_learning_rate_fn: round number, from 0, to learning rate; None keeps the
      optimiser's own.
    server_learning_rate_fn: the same of the server optimiser.
    reset_client_optimizer: whether the client optimiser starts afresh each round, as
      in the papers, or its state stays with the client.
    update_attack: what malicious clients send in place of their updates; None for no
      malicious clients. Needs `TensorBatches`, whose data say who is malicious.
    parts: what the global and local weights are to clients.
    phases: what a client trains in a round, one after another.
    newcomer_phases: what a client does alone that took no part, before it predicts; their
      optimisers begin afresh. None by default.
  """

  client_optimizer: tff.learning.optimizers.Optimizer
  batches: batches_lib.Batches
  server_optimizer: tff.learning.optimizers.Optimizer = dataclasses.field(
    default_factory=lambda: tff.learning.optimizers.build_sgdm(1.0)
  )
  evaluation_batches: batches_lib.Batches | None = None
  aggregator: Aggregator = dataclasses.field(
    default_factory=lambda: tff.aggregators.MeanFactory(no_nan_division=True)
  )
  client_weighting: client_weighting_lib.ClientWeighting = client_weighting_lib.by_num_examples
  objective: objectives.Objective = objectives.supervised
  client_learning_rate_fn: Callable[[tf.Tensor], tf.Tensor] | None = None
  server_learning_rate_fn: Callable[[tf.Tensor], tf.Tensor] | None = None
  reset_client_optimizer: bool = True
  update_attack: UpdateAttack | None = None
  parts: parts_lib.Parts = parts_lib.SPLIT
  phases: tuple[phases_lib.Phase, ...] = (phases_lib.Phase(),)
  newcomer_phases: tuple[phases_lib.Phase, ...] = ()

  def __post_init__(self) -> None:
    if self.update_attack is not None and not isinstance(self.batches, batches_lib.TensorBatches):
      raise ValueError(
        f'update_attack is given with {type(self.batches).__name__}, expected TensorBatches, '
        'whose data say which clients are malicious.'
      )


def with_statistics(
  settings: ProcessSettings, weight_is_statistic: Sequence[bool]
) -> ProcessSettings:
  """Returns settings whose steps set moving statistics; the same where there are none."""
  if not any(weight_is_statistic):
    return settings
  phases, newcomer_phases = (
    tuple(phases_lib.with_statistics(phase, weight_is_statistic) for phase in some)
    for some in (settings.phases, settings.newcomer_phases)
  )
  return dataclasses.replace(settings, phases=phases, newcomer_phases=newcomer_phases)
