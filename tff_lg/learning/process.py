"""The one stateful federated process that every method is a setting of.

    initialize(model_weights@SERVER) -> server_state@SERVER
    initialize_client(model_weights) -> client_state
    next(server_state@SERVER, client_states@CLIENTS, data@CLIENTS) -> RoundOutput
    evaluate(server_state@SERVER, client_states@CLIENTS, data@CLIENTS) -> metrics@CLIENTS
    predict(server_state@SERVER, client_states@CLIENTS, x@CLIENTS) -> probabilities@CLIENTS

TFF has no client state of its own. A client's state is a CLIENTS-placed value that goes into a
round and comes out of it; the simulation keeps it in between. Only the client's update of the
*global* weights and its weight are aggregated, which `upload_type` states and a test checks.
"""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.learning import client_work, costs, evaluation, newcomers, server
from tff_lg.learning import settings as settings_lib
from tff_lg.learning.methods import parts as parts_lib
from tff_lg.models import local_global


class RoundOutput(NamedTuple):
  """The result of `next`.

  Attributes:
    server_state: the next `ServerState`, at the server.
    client_states: the next `ClientState` of each client, in the order of the cohort.
    metrics: `RoundMetrics`, at the server.
    client_metrics: `ClientMetrics` of each client.
  """

  server_state: server.ServerState
  client_states: list[client_work.ClientState]
  metrics: server.RoundMetrics
  client_metrics: list[client_work.ClientMetrics]


@dataclasses.dataclass(frozen=True)
class LocalGlobalProcess:
  """The computations of one method; see the module's docstring for their types.

  Attributes:
    model: the model with the method's split.
    initialize: the server's first state from a full set of model weights.
    initialize_client: a client's first state from a full set of model weights.
    next: one round.
    evaluate: each client's own model on each client's own data.
    predict: each client's own model's probabilities for examples of its own.
    settle: None, or what clients do alone that took no part, before they predict: (global_weights
      @SERVER, client_states@CLIENTS, data@CLIENTS) -> client_states@CLIENTS.
    ensemble: the clients' predictions on common data, and their sums. Neither this nor `predict`
      can be called for a model without classes.
    download_type: what the server sends to a client each round.
    upload_type: what a client sends to the server each round.
    parts: what the global and local weights are to clients.
    step_cost: () -> what the steps of a round cost a client; the first call traces them.
  """

  model: local_global.LocalGlobalModel
  initialize: tff.Computation
  initialize_client: tff.Computation
  next: tff.Computation
  evaluate: tff.Computation
  predict: tff.Computation
  ensemble: tff.Computation
  download_type: tff.Type
  upload_type: tff.Type
  parts: parts_lib.Parts
  settle: tff.Computation | None = None
  step_cost: Callable[[], costs.StepCost] | None = None

  def merge(self, global_weights: Sequence, local_weights: Sequence) -> tuple:
    """Returns the network's weights that a client predicts with."""
    return self.parts.merge(self.model, global_weights, local_weights)

  def warm_start(self, weights: Sequence) -> tuple:
    """Returns all weights that rounds begin with after a warm start gave the network's."""
    return self.parts.warm_start(self.model, weights)

  def newcomer(self, global_weights: Sequence, start_weights: Sequence) -> tuple:
    """Returns all weights that a client begins with which took no part.

    Args:
      global_weights: the server's.
      start_weights: all weights that the rounds began with.
    """
    return self.parts.newcomer(self.model, global_weights, start_weights)


def build_local_global_process(
  model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
) -> LocalGlobalProcess:
  """Builds the process for a model and its split.

  Args:
    model: its split decides what travels. With all weights global it is FedAvg, with none local
      learning, with some LG-FedAvg.
    settings: optimisers, aggregator, client weighting, objective, batches.

  Returns:
    The process. With every weight global it equals
    `tff.learning.algorithms.build_weighted_fed_avg` with the same settings. If every client
    drops out of a round, its mean update is zero. With plain SGD at the server the global weights
    then stay; with momentum and the like they keep moving.

  McMahan et al. 2017, Algorithm 1; Liang et al. 2020, Algorithm 1.
  """
  settings = settings_lib.with_statistics(settings, model.weight_is_statistic)
  weight_types = tuple(tff.TensorType(w.dtype.type, w.shape) for w in model.initial_weights)
  global_types, local_types = model.split(weight_types)
  data_type = settings.batches.data_type(model.functional.input_spec)
  work = client_work.build_client_work(model, settings)
  server_optimizer = server.build_server_optimizer(model, settings)

  @tff.tensorflow.computation(weight_types)
  def initialize_client(model_weights: Any) -> client_work.ClientState:
    optimizer_state = (
      ()
      if settings.reset_client_optimizer
      else client_work.initialize_optimizers(settings, tuple(model_weights))
    )
    return client_work.ClientState(model.split(model_weights)[1], optimizer_state)

  @tff.tensorflow.computation(weight_types)
  def select_global(model_weights: Any) -> tuple:
    return model.split(model_weights)[0]

  aggregate = server.build_aggregation(settings.aggregator, global_types)
  attack = _build_attack(settings.update_attack, global_types)

  @tff.federated_computation(tff.FederatedType(weight_types, tff.SERVER))
  def initialize(model_weights: tff.Value) -> tff.Value:
    global_weights = tff.federated_map(select_global, model_weights)
    return tff.federated_zip(
      server.ServerState(
        global_weights,
        tff.federated_map(server_optimizer.initialize, global_weights),
        aggregate.initialize(),
        tff.federated_value(np.int32(0), tff.SERVER),
      )
    )

  server_state_type = initialize.type_signature.result
  client_state_type = initialize_client.type_signature.result
  round_num_type = tff.TensorType(np.int32)

  @tff.tensorflow.computation(global_types, client_state_type, data_type, round_num_type)
  def run_client(global_weights: Any, client_state: Any, data: Any, round_num: Any) -> Any:
    return work(
      tuple(global_weights),
      client_work.ClientState(tuple(client_state.local_weights), client_state.optimizer_state),
      data,
      round_num,
    )

  @tff.tensorflow.computation(round_num_type)
  def increment(round_num: Any) -> tf.Tensor:
    return round_num + 1

  @tff.federated_computation(
    server_state_type,
    tff.FederatedType(client_state_type, tff.CLIENTS),
    tff.FederatedType(data_type, tff.CLIENTS),
  )
  def next_fn(server_state: tff.Value, client_states: tff.Value, data: tff.Value) -> RoundOutput:
    weights_at_clients = tff.federated_broadcast(server_state.global_weights)
    round_num_at_clients = tff.federated_broadcast(server_state.round_num)
    output = tff.federated_map(
      run_client, (weights_at_clients, client_states, data, round_num_at_clients)
    )
    update, client_metrics = attack(output, data) if attack else (output.update, output.metrics)
    aggregated = aggregate.next(server_state.aggregator_state, update, output.client_weight)
    updated = tff.federated_map(
      server_optimizer.next,
      (
        server_state.global_weights,
        server_state.optimizer_state,
        aggregated.result,
        server_state.round_num,
      ),
    )
    new_state = tff.federated_zip(
      server.ServerState(
        updated[0],
        updated[1],
        aggregated.state,
        tff.federated_map(increment, server_state.round_num),
      )
    )
    metrics = server.measure_round(client_metrics, aggregated.measurements, updated[2])
    return RoundOutput(new_state, output.client_state, metrics, client_metrics)

  def merge(global_weights: tuple, local_weights: tuple) -> tuple:
    return settings.parts.merge(model, global_weights, local_weights)

  output_client = evaluation.build_output(model, merge, server_state_type, client_state_type)
  predict, ensemble = evaluation.build_class_outputs(model, server_state_type, output_client)
  return LocalGlobalProcess(
    model=model,
    initialize=initialize,
    initialize_client=initialize_client,
    next=next_fn,
    evaluate=evaluation.build_evaluation(
      model,
      merge,
      server_state_type,
      client_state_type,
      settings.evaluation_batches or evaluation.default_batches(model),
    ),
    predict=predict,
    ensemble=ensemble,
    download_type=tff.to_type((global_types, round_num_type) if global_types else ()),
    upload_type=tff.to_type((global_types, tff.TensorType(np.float32)) if global_types else ()),
    parts=settings.parts,
    settle=newcomers.build_settling(model, settings, global_types, client_state_type, data_type),
    step_cost=functools.cache(functools.partial(costs.of_steps, model, settings)),
  )


def _build_attack(
  update_attack: settings_lib.UpdateAttack | None, global_types: tuple
) -> Callable[[tff.Value, tff.Value], tuple[tff.Value, tff.Value]] | None:
  """Returns (client_output, data) -> what clients send and its metrics; None without an attack.

  A malicious client without weight, such as one that dropped out, does not attack. One whose
  attack would overflow sends its own update, so that what arrives is always finite.
  """
  if update_attack is None or not global_types:
    return None

  @tff.tensorflow.computation(np.bool_, np.float32)
  def takes_part(is_malicious: Any, client_weight: Any) -> tf.Tensor:
    return tf.logical_and(is_malicious, client_weight > 0)

  @tff.tensorflow.computation
  def choose(is_attacking: Any, attacked: Any, honest: Any, metrics: Any) -> tuple:
    attacked, honest = tuple(attacked), tuple(honest)
    changed = tf.logical_and(is_attacking, client_work.all_finite(attacked))
    sent = client_work.where(changed, attacked, honest)
    return sent, metrics._replace(update_size=client_work.largest(sent))

  def attack(output: tff.Value, data: tff.Value) -> tuple[tff.Value, tff.Value]:
    is_attacking = tff.federated_map(takes_part, (data.is_malicious, output.client_weight))
    attacked = update_attack(output.update, is_attacking, data.seed)
    chosen = tff.federated_map(choose, (is_attacking, attacked, output.update, output.metrics))
    return chosen[0], chosen[1]

  return attack
