"""Adapting a trained model to each client alone, as TFF computations over clients.

    measure(weights@CLIENTS, public_data@SERVER) -> measured@CLIENTS
    adapt(weights@CLIENTS, measured@CLIENTS, train_data@CLIENTS, validation_data@CLIENTS)
      -> AdaptationOutput@CLIENTS
    adapt_to_epoch(weights@CLIENTS, measured@CLIENTS, train_data@CLIENTS, epoch@CLIENTS)
      -> AdaptedWeights@CLIENTS
    aggregate(weights@CLIENTS, measured@CLIENTS, train_data@CLIENTS, epoch@CLIENTS,
      client_weight@CLIENTS) -> AggregatedWeights

A client's weights are all of its model's, global and local merged, so that any trained
model of this project can be adapted. All epochs of a client are one loop in the graph.
Nothing is aggregated but by `aggregate`.
"""

import collections
import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tff_lg import metrics as metrics_lib
from tff_lg.adaptation.technique import Adaptation
from tff_lg.compatibility import tff
from tff_lg.learning import batches as batches_lib
from tff_lg.learning import client_work, evaluation
from tff_lg.learning import phases as phases_lib
from tff_lg.models import local_global


class AdaptationOutput(NamedTuple):
  """A client's adaptation, with the epoch chosen on its own validation data.

  Attributes:
    weights: all weights after the best epoch.
    best_epoch: int32; 0 is the model as it was, the earliest epoch wins among equals. It
      is 0 for a client without validation examples.
    validation: by name, the model's metrics and `loss` on the client's validation data, float32
      [len(epochs)] each, at the process's `epochs`. Zeros without validation examples.
    num_validation_examples: int32; of sequences, real positions.
    is_finite: bool; False for a client whose training gave a weight or loss that is not
      finite. It keeps the weights it started from, and their metrics at all epochs. With a patience
      it keeps the weights of its best epoch so far, and the metrics as measured.
    num_epochs: int32, epochs that it trained.
  """

  weights: tuple
  best_epoch: Any
  validation: Any
  num_validation_examples: Any
  is_finite: Any
  num_epochs: Any


class AdaptedWeights(NamedTuple):
  """A client's adaptation up to an epoch that was given.

  Attributes:
    weights: all weights after that epoch.
    is_finite: bool; if False the weights are those that the client started from.
  """

  weights: tuple
  is_finite: Any


class AggregatedWeights(NamedTuple):
  """The mean of clients' adapted models.

  Attributes:
    weights: at the server; the mean over the clients with finite weights, by client weight.
    is_finite: bool, of each client.
  """

  weights: tuple
  is_finite: Any


@dataclasses.dataclass(frozen=True)
class AdaptationProcess:
  """The computations of one adaptation with one setting.

  Attributes:
    measure: what the adaptation needs to know of public data, for each client's weights;
      () for each if it needs nothing. Clients with equal weights share the result.
    adapt: trains each client's weights and keeps the best epoch by its own validation data.
    adapt_to_epoch: the same training, up to an epoch for each client, int32, one of `epochs`
      (between two of them, the earlier counts). For clients without validation examples, and
      for an epoch chosen for all.
    aggregate: the same training, and the mean of what it gives over clients, each with a weight,
      float32: the appendix of the paper.
    epochs: those at which validation data are evaluated, from 0.
  """

  measure: tff.Computation
  adapt: tff.Computation
  adapt_to_epoch: tff.Computation
  aggregate: tff.Computation
  epochs: tuple[int, ...]


class _Progress(NamedTuple):
  """The state of the loop over epochs; `index` counts evaluations."""

  index: Any
  training: client_work.TrainingState
  best_weights: tuple
  best_index: Any
  improved_index: Any
  validation: Any
  is_finite: Any


def build_adaptation_process(
  model: local_global.LocalGlobalModel,
  adaptation: Adaptation,
  client_optimizer: tff.learning.optimizers.Optimizer,
  batches: batches_lib.TensorBatches,
  num_epochs: int,
  *,
  evaluate_every_epochs: int = 1,
  selection_metric: str = 'accuracy',
  evaluation_batches: batches_lib.Batches | None = None,
  patience: int | None = None,
) -> AdaptationProcess:
  """Builds the computations that adapt clients.

  Args:
    model: the model; its split does not matter.
    adaptation: what is minimised, and which layers train.
    client_optimizer: takes the steps; its state lasts for all epochs of a client.
    batches: of one epoch. The data's seed and `evaluate_every_epochs` give all orders.
    num_epochs: epochs at most.
    evaluate_every_epochs: epochs from one evaluation to the next, a divisor of `num_epochs`.
    selection_metric: name of the validation metric that chooses the best epoch: `loss`, or a metric
      of the model. Its entry in `tff_lg.metrics` says whether more is better.
    evaluation_batches: how validation data become batches; None for the model's default.
    patience: evaluations in a row without a better `selection_metric` or a lower loss after which
      a client of `adapt` stops. Among epochs with equal metrics, it then keeps the last,
      not the first. None to train all epochs.

  Returns:
    The process.

  Raises:
    ValueError: the batches are not those of one whole epoch, the epochs do not fit, or there
      is no such metric or layer.

  Yu et al. 2020, section 4. Unlike the paper's, the number of epochs is not fixed beforehand.
  """
  _check(batches, num_epochs, evaluate_every_epochs, patience)
  epochs = tuple(range(0, num_epochs + 1, evaluate_every_epochs))
  # A split in layers that train ("global") and layers that do not.
  split = model.with_global_layers(adaptation.trained_layers(model))
  if adaptation.trains_extra_weights:
    split = split.with_global_extra_weights()
  evaluation_batches = evaluation_batches or evaluation.default_batches(model)
  between = dataclasses.replace(batches, num_epochs=evaluate_every_epochs)
  is_statistic, _ = split.split(split.weight_is_statistic)
  phase = phases_lib.with_statistics(phases_lib.Phase(), is_statistic)

  def start(weights: tuple) -> client_work.TrainingState:
    trained, _ = split.split(weights)
    return client_work.TrainingState(
      trained,
      client_work.initialize_optimizer(client_optimizer, phase.select(trained)),
      tf.constant(0.0),
      tf.constant(0),
    )

  def build_train(weights: tuple, measured: Any, data: batches_lib.ClientTensors) -> Callable:
    """Returns a function (index, state) -> (state at the next evaluation, whether it is finite)."""
    _, frozen = split.split(weights)
    objective = adaptation.objective(measured)

    def loss_fn(trained: tuple, x: tf.Tensor, y: tf.Tensor, key: tf.Tensor) -> tf.Tensor:
      of_step = model.with_dropout_key(key)
      return objective(of_step, split.merge(trained, frozen), weights, x, y)

    def train(
      index: tf.Tensor, state: client_work.TrainingState
    ) -> tuple[client_work.TrainingState, tf.Tensor]:
      seed = tf.random.experimental.stateless_fold_in(data.seed, index)
      state = client_work.train(
        loss_fn, client_optimizer, between, state, data._replace(seed=seed), phase=phase
      )
      return state, client_work.all_finite((state.weights, state.loss_sum))

    return train

  def evaluate(weights: tuple, data: Any) -> tuple[collections.OrderedDict, tf.Tensor]:
    metrics = evaluation.evaluate_weights(model, weights, evaluation_batches, data)
    num_examples = metrics.pop('num_examples')
    if selection_metric not in metrics:
      raise ValueError(
        f'selection_metric is {selection_metric}, expected one of {", ".join(metrics)}.'
      )
    return tf.nest.map_structure(lambda value: tf.cast(value, tf.float32), metrics), num_examples

  sign = float(metrics_lib.sign(selection_metric))
  weights_type = tuple(tff.TensorType(w.dtype.type, w.shape) for w in model.initial_weights)
  data_type = batches.data_type(model.functional.input_spec)

  @tff.tensorflow.computation(weights_type, data_type)
  def measure_client(weights: Any, public_data: Any) -> Any:
    if adaptation.measure is None:
      return ()
    return adaptation.measure(model, tuple(weights), public_data)

  measured_type = measure_client.type_signature.result
  validation_type = evaluation_batches.data_type(model.functional.input_spec)

  @tff.tensorflow.computation(weights_type, measured_type, data_type, validation_type)
  def adapt_client(
    weights: Any, measured: Any, train_data: Any, validation_data: Any
  ) -> AdaptationOutput:
    weights = tuple(weights)
    before, frozen = split.split(weights)
    train = build_train(weights, measured, train_data)
    metrics, num_validation_examples = evaluate(weights, validation_data)

    def train_and_evaluate(progress: _Progress) -> tuple[_Progress]:
      training, is_finite = train(progress.index, progress.training)
      index = progress.index + 1
      metrics, _ = evaluate(split.merge(training.weights, frozen), validation_data)
      best = progress.validation[selection_metric][progress.best_index]
      is_better = sign * metrics[selection_metric] > sign * best
      has_improved = is_better
      if patience is not None:
        # Epochs not trained yet have the loss of the initial weights.
        has_improved |= metrics['loss'] < tf.reduce_min(progress.validation['loss'])
        is_better = is_finite & (sign * metrics[selection_metric] >= sign * best)
      return (
        _Progress(
          index,
          training,
          client_work.where(is_better, training.weights, progress.best_weights),
          tf.where(is_better, index, progress.best_index),
          tf.where(has_improved, index, progress.improved_index),
          tf.nest.map_structure(
            lambda curve, value: tf.where(tf.equal(tf.range(len(epochs)), index), value, curve),
            progress.validation,
            metrics,
          ),
          is_finite,
        ),
      )

    def continues(progress: _Progress) -> tf.Tensor:
      continues = tf.logical_and(progress.index < len(epochs) - 1, progress.is_finite)
      if patience is None:
        return continues
      return tf.logical_and(continues, progress.index - progress.improved_index < patience)

    curves = tf.nest.map_structure(lambda value: tf.fill([len(epochs)], value), metrics)
    zero = tf.constant(0)
    (progress,) = tf.while_loop(
      continues,
      train_and_evaluate,
      (_Progress(zero, start(weights), before, zero, zero, curves, True),),
    )
    is_kept = progress.is_finite if patience is None else tf.constant(True)
    trained = client_work.where(is_kept, progress.best_weights, before)
    return AdaptationOutput(
      weights=split.merge(trained, frozen),
      best_epoch=tf.where(is_kept, progress.best_index * evaluate_every_epochs, 0),
      validation=client_work.where(is_kept, progress.validation, curves),
      num_validation_examples=num_validation_examples,
      is_finite=progress.is_finite,
      num_epochs=progress.index * evaluate_every_epochs,
    )

  @tff.tensorflow.computation(weights_type, measured_type, data_type, np.int32)
  def adapt_client_to_epoch(
    weights: Any, measured: Any, train_data: Any, epoch: Any
  ) -> AdaptedWeights:
    weights = tuple(weights)
    before, frozen = split.split(weights)
    train = build_train(weights, measured, train_data)
    num_evaluations = epoch // evaluate_every_epochs
    _, training, is_finite = tf.while_loop(
      lambda index, _, is_finite: tf.logical_and(index < num_evaluations, is_finite),
      lambda index, state, _: (index + 1, *train(index, state)),
      (tf.constant(0), start(weights), True),
    )
    trained = client_work.where(is_finite, training.weights, before)
    return AdaptedWeights(split.merge(trained, frozen), is_finite)

  def at_clients(member: Any) -> tff.FederatedType:
    return tff.FederatedType(member, tff.CLIENTS)

  @tff.federated_computation(at_clients(weights_type), tff.FederatedType(data_type, tff.SERVER))
  def measure(weights: tff.Value, public_data: tff.Value) -> tff.Value:
    return tff.federated_map(measure_client, (weights, tff.federated_broadcast(public_data)))

  @tff.federated_computation(
    *map(at_clients, (weights_type, measured_type, data_type, validation_type))
  )
  def adapt(
    weights: tff.Value, measured: tff.Value, train_data: tff.Value, validation_data: tff.Value
  ) -> tff.Value:
    return tff.federated_map(adapt_client, (weights, measured, train_data, validation_data))

  @tff.federated_computation(*map(at_clients, (weights_type, measured_type, data_type, np.int32)))
  def adapt_to_epoch(
    weights: tff.Value, measured: tff.Value, train_data: tff.Value, epoch: tff.Value
  ) -> tff.Value:
    return tff.federated_map(adapt_client_to_epoch, (weights, measured, train_data, epoch))

  @tff.tensorflow.computation(np.float32, np.bool_)
  def weight_if_finite(client_weight: Any, is_finite: Any) -> tf.Tensor:
    return client_weight * tf.cast(is_finite, tf.float32)

  @tff.federated_computation(
    *map(at_clients, (weights_type, measured_type, data_type, np.int32, np.float32))
  )
  def aggregate(
    weights: tff.Value,
    measured: tff.Value,
    train_data: tff.Value,
    epoch: tff.Value,
    client_weight: tff.Value,
  ) -> AggregatedWeights:
    adapted = tff.federated_map(adapt_client_to_epoch, (weights, measured, train_data, epoch))
    client_weight = tff.federated_map(weight_if_finite, (client_weight, adapted.is_finite))
    return AggregatedWeights(tff.federated_mean(adapted.weights, client_weight), adapted.is_finite)

  return AdaptationProcess(measure, adapt, adapt_to_epoch, aggregate, epochs)


def _check(
  batches: batches_lib.TensorBatches, num_epochs: int, evaluate_every: int, patience: int | None
) -> None:
  if (
    not isinstance(batches, batches_lib.TensorBatches)
    or batches.num_epochs != 1
    or batches.max_steps is not None
  ):
    raise ValueError(f'batches are {batches}, expected TensorBatches of one epoch, all steps.')
  if num_epochs < 1 or evaluate_every < 1 or num_epochs % evaluate_every:
    raise ValueError(
      f'num_epochs is {num_epochs} and evaluate_every_epochs {evaluate_every}, expected positive '
      'numbers of which the second divides the first.'
    )
  if patience is not None and patience < 1:
    raise ValueError(f'patience is {patience}, expected a positive number or None.')
