"""Adapting a trained model to each client alone, as TFF computations over clients.

    measure(weights@CLIENTS, public_data@SERVER) -> measured@CLIENTS
    adapt(weights@CLIENTS, measured@CLIENTS, train_data@CLIENTS, validation_data@CLIENTS)
      -> AdaptationOutput@CLIENTS
    adapt_to_epoch(weights@CLIENTS, measured@CLIENTS, train_data@CLIENTS, epoch@CLIENTS)
      -> AdaptedWeights@CLIENTS
    aggregate(weights@CLIENTS, measured@CLIENTS, train_data@CLIENTS, epoch@CLIENTS,
      client_weight@CLIENTS) -> AggregatedWeights

A client's weights are all of its model's, global and local merged, so that any trained
model of this project can be adapted. Nothing is aggregated but by `aggregate`.
"""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tff_lg.adaptation import client_adaptation
from tff_lg.adaptation.technique import Adaptation
from tff_lg.compatibility import tff
from tff_lg.learning import batches as batches_lib
from tff_lg.learning import evaluation
from tff_lg.models import local_global


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
  # A split in layers that train ("global") and layers that do not.
  split = model.with_global_layers(adaptation.trained_layers(model))
  if adaptation.trains_extra_weights:
    split = split.with_global_extra_weights()
  evaluation_batches = evaluation_batches or evaluation.default_batches(model)
  client = client_adaptation.ClientAdaptation(
    model,
    split,
    adaptation,
    client_optimizer,
    dataclasses.replace(batches, num_epochs=evaluate_every_epochs),
    evaluation_batches,
    epochs=tuple(range(0, num_epochs + 1, evaluate_every_epochs)),
    selection_metric=selection_metric,
    patience=patience,
  )
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
  ) -> client_adaptation.AdaptationOutput:
    return client.adapt(tuple(weights), measured, train_data, validation_data)

  @tff.tensorflow.computation(weights_type, measured_type, data_type, np.int32)
  def adapt_client_to_epoch(
    weights: Any, measured: Any, train_data: Any, epoch: Any
  ) -> client_adaptation.AdaptedWeights:
    return client.adapt_to_epoch(tuple(weights), measured, train_data, epoch)

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

  return AdaptationProcess(measure, adapt, adapt_to_epoch, aggregate, client.epochs)


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
