"""Evaluating each client's own model: global weights from the server, local its own."""

import collections
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.learning import batches as batches_lib
from tff_lg.models import local_global

# Examples that an ensemble predicts at a time, at most: sums need a static shape, and a client
# holds the activations of all of them.
ENSEMBLE_BATCH_SIZE = 250

# Numbers in the output for a batch of an evaluation; with a vocabulary as classes they are many.
_OUTPUTS_IN_A_BATCH = 2**22

# Of probabilities before their logarithm is taken: one client's zero is no veto.
_LEAST_PROBABILITY = 1e-7


# (global_weights, local_weights) -> the network's weights.
Merge = Callable[[tuple, tuple], tuple]


class EnsembleSums(NamedTuple):
  """Sums over clients of their models' predictions for a batch of common examples.

  Attributes:
    probability: float32 [ENSEMBLE_BATCH_SIZE, num_classes], sum of probabilities.
    log_probability: float32 [ENSEMBLE_BATCH_SIZE, num_classes], sum of their logarithms.
    vote: float32 [ENSEMBLE_BATCH_SIZE, num_classes], number of clients that predict the class.
  """

  probability: np.ndarray
  log_probability: np.ndarray
  vote: np.ndarray


def evaluate_weights(
  model: local_global.LocalGlobalModel,
  weights: tuple,
  batches: batches_lib.Batches,
  data: Any,
) -> collections.OrderedDict[str, Any]:
  """Evaluates a model with given weights, in the graph.

  Args:
    model: the model.
    weights: of the network, or all of the model's.
    batches: how the data become batches.
    data: one client's, as `batches` types them.

  Returns:
    `loss` (mean over examples), `num_examples` and the model's own metrics; zero for no
    examples. For sequences, each real position is an example.
  """
  functional = model.functional

  def step(state: Any, x: tf.Tensor, y: tf.Tensor) -> Any:
    metrics_state, loss_sum, num_examples = state
    output = model.predict(weights, x, training=False)
    batch_size = model.count_examples(y)
    loss = functional.loss(output, y)
    metrics_state = functional.update_metrics_state(
      metrics_state,
      labels=y,
      batch_output=tff.learning.models.BatchOutput(
        loss=loss, predictions=output, num_examples=batch_size
      ),
    )
    loss_sum += loss * tf.cast(batch_size, tf.float32)
    return metrics_state, loss_sum, num_examples + batch_size

  metrics_state, loss_sum, num_examples = batches.fold(
    data, (functional.initialize_metrics_state(), 0.0, 0), step
  )
  metrics = collections.OrderedDict(functional.finalize_metrics(metrics_state))
  metrics['loss'] = tf.math.divide_no_nan(loss_sum, tf.cast(num_examples, tf.float32))
  metrics['num_examples'] = num_examples
  return metrics


def default_batches(model: local_global.LocalGlobalModel) -> batches_lib.TensorBatches:
  """Returns batches for evaluation: 512 examples, or as many as give 16 MB of output."""
  fitting = _OUTPUTS_IN_A_BATCH // model.outputs_per_example
  return batches_lib.TensorBatches(min(max(fitting, 1), 512), shuffle=False)


class EnsembleOutput(NamedTuple):
  """Predictions for a batch of common examples.

  Attributes:
    sums: `EnsembleSums`, at the server.
    predicted: of each client, int32 [ENSEMBLE_BATCH_SIZE], the class its model predicts.
  """

  sums: EnsembleSums
  predicted: list[np.ndarray]


def build_evaluation(
  model: local_global.LocalGlobalModel,
  merge: Merge,
  server_state_type: tff.FederatedType,
  client_state_type: tff.Type,
  batches: batches_lib.Batches,
) -> tff.Computation:
  """Builds each client's evaluation of its own model on its own data.

  Args:
    model: the model and its split.
    merge: gives the weights that a client predicts with.
    server_state_type: type of the process's server state, at the server.
    client_state_type: type of one client's state.
    batches: how a client's data become batches.

  Returns:
    A computation (server_state, client_states, data) -> an OrderedDict a client of
    `loss` (mean over examples), `num_examples` and the model's own metrics. They
    are zero for a client without examples.
  """

  @tff.tensorflow.computation(
    server_state_type.member.global_weights,
    client_state_type,
    batches.data_type(model.functional.input_spec),
  )
  def evaluate_client(global_weights: Any, client_state: Any, data: Any) -> collections.OrderedDict:
    weights = merge(tuple(global_weights), tuple(client_state.local_weights))
    return evaluate_weights(model, weights, batches, data)

  @tff.federated_computation(
    server_state_type,
    tff.FederatedType(client_state_type, tff.CLIENTS),
    tff.FederatedType(evaluate_client.type_signature.parameter[2], tff.CLIENTS),
  )
  def evaluate(server_state: tff.Value, client_states: tff.Value, data: tff.Value) -> tff.Value:
    weights_at_clients = tff.federated_broadcast(server_state.global_weights)
    return tff.federated_map(evaluate_client, (weights_at_clients, client_states, data))

  return evaluate


def build_output(
  model: local_global.LocalGlobalModel,
  merge: Merge,
  server_state_type: tff.FederatedType,
  client_state_type: tff.Type,
) -> tff.Computation:
  """Builds what a client's own model puts out, for `build_predictions` and `build_ensemble`.

  Args:
    model: the model and its split.
    merge: gives the weights that a client predicts with.
    server_state_type: type of the process's server state, at the server.
    client_state_type: type of one client's state.

  Returns:
    A computation (global_weights, client_state, x) -> output for any number of examples.
  """
  x_type = tff.types.tensorflow_to_type(model.functional.input_spec[0])

  @tff.tensorflow.computation(server_state_type.member.global_weights, client_state_type, x_type)
  def output_client(global_weights: Any, client_state: Any, x: Any) -> tf.Tensor:
    weights = merge(tuple(global_weights), tuple(client_state.local_weights))
    return model.predict(weights, x, training=False)

  return output_client


def build_class_outputs(
  model: local_global.LocalGlobalModel,
  server_state_type: tff.FederatedType,
  output_client: tff.Computation,
) -> tuple[tff.Computation, tff.Computation]:
  """Builds `predict` and `ensemble` of a process.

  Args:
    model: says whether its output has a dimension of classes, and what makes predictions of it.
    server_state_type: type of the process's server state, at the server.
    output_client: as `build_output` makes it.

  Returns:
    What `build_predictions` and `build_ensemble` give. Where the output has no dimension of classes
    there is no ensemble, and without `to_predictions` no prediction; a call raises ValueError.
  """
  is_probabilities = model.outputs_probabilities
  if not model.has_classes:
    if model.to_predictions is None:
      return _refuse_to_predict, _refuse_to_predict
    return (
      build_predictions(output_client, server_state_type, model.to_predictions),
      _refuse_to_predict,
    )
  return (
    build_predictions(
      output_client, server_state_type, (lambda p: p) if is_probabilities else tf.nn.softmax
    ),
    build_ensemble(output_client, server_state_type, outputs_probabilities=is_probabilities),
  )


def build_predictions(
  output_client: tff.Computation,
  server_state_type: tff.FederatedType,
  to_predictions: Callable[[tf.Tensor], tf.Tensor],
) -> tff.Computation:
  """Builds each client's predictions for examples of its own.

  Args:
    output_client: as `build_output` makes it.
    server_state_type: type of the process's server state, at the server.
    to_predictions: makes predictions of that output.

  Returns:
    A computation (server_state, client_states, x@CLIENTS) -> predictions@CLIENTS, such as
    probabilities, float32 [n, num_classes], for the n examples x of each client, in one batch.
  """
  _, client_state_type, x_type = output_client.type_signature.parameter

  @tff.tensorflow.computation(output_client.type_signature.result)
  def predictions(output: Any) -> tf.Tensor:
    return to_predictions(output)

  @tff.federated_computation(
    server_state_type,
    tff.FederatedType(client_state_type, tff.CLIENTS),
    tff.FederatedType(x_type, tff.CLIENTS),
  )
  def predict(server_state: tff.Value, client_states: tff.Value, x: tff.Value) -> tff.Value:
    weights_at_clients = tff.federated_broadcast(server_state.global_weights)
    output = tff.federated_map(output_client, (weights_at_clients, client_states, x))
    return tff.federated_map(predictions, output)

  return predict


def build_ensemble(
  output_client: tff.Computation,
  server_state_type: tff.FederatedType,
  *,
  outputs_probabilities: bool,
) -> tff.Computation:
  """Builds all clients' predictions on examples that all of them see, and their sums.

  It measures, in a simulation, how well the clients' models do, alone and together; it is not
  part of any method.

  Args:
    output_client: as `build_output` makes it.
    server_state_type: type of the process's server state, at the server.
    outputs_probabilities: whether that output is probabilities; else it is logits.

  Returns:
    A computation (server_state, client_states, x@SERVER) -> EnsembleOutput for at most
    ENSEMBLE_BATCH_SIZE examples x. Values after the last example are zero.

  Liang et al. 2020, section 5.1 (New Test).
  """
  _, client_state_type, x_type = output_client.type_signature.parameter

  @tff.tensorflow.computation(output_client.type_signature.result)
  def to_ensemble_output(output: Any) -> EnsembleOutput:
    if outputs_probabilities:
      log_probability = tf.math.log(tf.maximum(output, _LEAST_PROBABILITY))
    else:
      log_probability = tf.nn.log_softmax(output)
    predicted = tf.argmax(log_probability, axis=1, output_type=tf.int32)
    vote = tf.one_hot(predicted, log_probability.shape[1])
    sums = EnsembleSums(tf.exp(log_probability), log_probability, vote)
    return tf.nest.map_structure(_pad_ensemble_batch, EnsembleOutput(sums, predicted))

  @tff.federated_computation(
    server_state_type,
    tff.FederatedType(client_state_type, tff.CLIENTS),
    tff.FederatedType(x_type, tff.SERVER),
  )
  def ensemble(server_state: tff.Value, client_states: tff.Value, x: tff.Value) -> EnsembleOutput:
    weights_at_clients = tff.federated_broadcast(server_state.global_weights)
    x_at_clients = tff.federated_broadcast(x)
    output = tff.federated_map(output_client, (weights_at_clients, client_states, x_at_clients))
    output = tff.federated_map(to_ensemble_output, output)
    return EnsembleOutput(tff.federated_sum(output.sums), output.predicted)

  return ensemble


def _refuse_to_predict(*arguments: Any) -> NoReturn:
  """Stands for predictions of classes where there are none."""
  del arguments
  raise ValueError(
    'The model gives one number for an example, of shape [], and no probabilities of classes: '
    'expected logits or probabilities of shape [num_classes]; evaluate() needs no classes.'
  )


def _pad_ensemble_batch(tensor: tf.Tensor) -> tf.Tensor:
  """Returns the tensor with zeros up to ENSEMBLE_BATCH_SIZE rows."""
  # Padded after the network: a batch of static size would make Grappler fold what Keras layers
  # compute of shapes alone into constants as large as activations.
  padding = [[0, ENSEMBLE_BATCH_SIZE - tf.shape(tensor)[0]]] + [[0, 0]] * (tensor.shape.rank - 1)
  return tf.ensure_shape(tf.pad(tensor, padding), [ENSEMBLE_BATCH_SIZE, *tensor.shape[1:]])
