"""The server's part of a round: it aggregates updates, makes a step and measures the round."""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.learning import client_work
from tff_lg.learning import settings as settings_lib
from tff_lg.models import local_global


class ServerState(NamedTuple):
  """The state that the server keeps between rounds.

  Attributes:
    global_weights: the model's global weights.
    optimizer_state: of the server optimiser.
    aggregator_state: of the aggregator.
    round_num: int32, rounds done.
  """

  global_weights: tuple
  optimizer_state: Any
  aggregator_state: Any
  round_num: int


class RoundMetrics(NamedTuple):
  """The output of a round over all its clients.

  Attributes:
    loss: float32, mean training loss over the examples of the clients taken in.
    num_examples: int32, examples trained on by them, each epoch counted.
    num_clients: int32, clients taken into the round: those that made a step, with a finite
      update. A client that dropped out, or has no examples, is not among them.
    num_clients_left_out: int32, clients whose update was not finite.
    aggregator: the aggregator's measurements.
    aggregate_is_finite: bool, whether what the aggregator made of the updates is. Otherwise the
      server takes zeros for it.
    weights_are_finite: bool, whether the next global weights are.
    step_size: float32, the largest absolute value of the server's step, the next global weights
      minus the last.
  """

  loss: float
  num_examples: int
  num_clients: int
  num_clients_left_out: int
  aggregator: Any
  aggregate_is_finite: bool
  weights_are_finite: bool
  step_size: float


class ServerOptimizer(NamedTuple):
  """The computations that make a step of the mean update.

  Attributes:
    initialize: global_weights -> optimizer_state.
    next: (global_weights, optimizer_state, mean_update, round_num) -> (global_weights,
      optimizer_state, of_step); `of_step` is the last three of `RoundMetrics`.
  """

  initialize: tff.Computation
  next: tff.Computation


def build_server_optimizer(
  model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
) -> ServerOptimizer:
  """Builds the computations of the server's optimiser.

  Args:
    model: its split says which weights are global.
    settings: have the optimiser, and its learning rate by round.

  Returns:
    The computations. Statistics, such as those of batch normalisation, become the clients' mean,
    whatever the optimiser is. An update that is not finite counts as zeros.
  """
  optimizer = settings.server_optimizer
  averaged, _ = model.split(model.weight_is_statistic)
  global_types, _ = model.split(
    tuple(tff.TensorType(w.dtype.type, w.shape) for w in model.initial_weights)
  )

  @tff.tensorflow.computation(global_types)
  def initialize(global_weights: Any) -> Any:
    return client_work.initialize_optimizer(optimizer, tuple(global_weights))

  @tff.tensorflow.computation(
    global_types, initialize.type_signature.result, global_types, np.int32
  )
  def next_fn(
    global_weights: Any, optimizer_state: Any, mean_update: Any, round_num: tf.Tensor
  ) -> tuple:
    # The mean of initial minus final weights is a gradient for the server. Updates are
    # finite, so a mean that is not is one over nobody, or it overflows.
    mean_update = tuple(mean_update)
    is_finite = client_work.all_finite(mean_update)
    optimizer_state = client_work.with_learning_rate(
      optimizer, optimizer_state, settings.server_learning_rate_fn, round_num
    )
    gradients = client_work.or_zeros(is_finite, mean_update)
    before = tuple(global_weights)
    optimizer_state, after = optimizer.next(optimizer_state, before, gradients)
    global_weights = tuple(
      # Statistics are averaged, whatever optimiser moves the others.
      weight - gradient if is_averaged else moved
      for weight, gradient, moved, is_averaged in zip(
        before, gradients, after, averaged, strict=True
      )
    )
    step = tuple(new - old for new, old in zip(global_weights, before, strict=True))
    is_sound = is_finite, client_work.all_finite(global_weights)
    return global_weights, optimizer_state, (*is_sound, client_work.largest(step))

  return ServerOptimizer(initialize, next_fn)


def build_aggregation(
  aggregator: settings_lib.Aggregator, global_types: tuple
) -> tff.templates.AggregationProcess:
  """Builds the aggregation of global weights.

  Args:
    aggregator: makes it, weighted or not.
    global_types: of the global weights.

  Returns:
    The aggregation, which is always given client weights.
  """
  if isinstance(aggregator, tff.aggregators.UnweightedAggregationFactory):
    aggregator = tff.aggregators.as_weighted_aggregator(aggregator)
  return aggregator.create(tff.to_type(global_types), tff.TensorType(np.float32))


def measure_round(
  client_metrics: tff.Value, measurements: tff.Value, of_step: tff.Value
) -> tff.Value:
  """Returns the metrics of a round, in a federated computation.

  Args:
    client_metrics: `ClientMetrics` of the cohort, at clients.
    measurements: the aggregator's, at the server.
    of_step: what the server's step was found to be, see `ServerOptimizer`, at the server.

  Returns:
    `RoundMetrics`, at the server.
  """
  sums = tff.federated_sum(tff.federated_map(_metric_sums, client_metrics))
  return tff.federated_map(_round_metrics, (sums, measurements, of_step))


class _Sums(NamedTuple):
  """Summable parts of the round's metrics."""

  loss: Any
  num_examples: Any
  num_clients: Any
  num_clients_left_out: Any


# Without types they are traced where they are used, and the import starts no thread of TensorFlow.
@tff.tensorflow.computation
def _metric_sums(metrics: Any) -> _Sums:
  finite = tf.cast(metrics.update_is_finite, tf.int32)
  num_examples = metrics.num_examples * finite
  loss = tf.where(metrics.update_is_finite, metrics.loss, 0.0)
  taken = tf.cast(num_examples > 0, tf.int32)
  return _Sums(loss * tf.cast(num_examples, tf.float32), num_examples, taken, 1 - finite)


@tff.tensorflow.computation
def _round_metrics(sums: Any, measurements: Any, of_step: Any) -> RoundMetrics:
  return RoundMetrics(
    tf.math.divide_no_nan(sums.loss, tf.cast(sums.num_examples, tf.float32)),
    sums.num_examples,
    sums.num_clients,
    sums.num_clients_left_out,
    measurements,
    *of_step,
  )
