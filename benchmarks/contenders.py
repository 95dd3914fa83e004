"""What is timed against each other: each makes a function that runs one round."""

from collections.abc import Callable

import tensorflow as tf
import tensorflow_federated as tff

from benchmarks import workloads
from tff_lg import learning

# Runs one round; what it returns keeps the work from being skipped.
Round = Callable[[], object]

LEARNING_RATE = 0.05


def stock_fed_avg(workload: workloads.Workload) -> Round:
  """`tff.learning.algorithms.build_weighted_fed_avg` on tf.data data sets."""
  process = tff.learning.algorithms.build_weighted_fed_avg(
    workload.model().functional, tff.learning.optimizers.build_sgdm(LEARNING_RATE)
  )
  data = [
    tf.data.Dataset.from_tensor_slices(client)
    .shuffle(workload.num_examples, seed=0)
    .batch(workload.batch_size)
    for client in workload.clients()
  ]
  state = process.initialize()

  def one_round() -> object:
    nonlocal state
    state = process.next(state, data).state
    return state

  return one_round


def our_fed_avg(workload: workloads.Workload) -> Round:
  """The stateful process with every weight global, on tensors."""
  model = workload.model()
  process = learning.build_local_global_process(
    model,
    learning.ProcessSettings(
      client_optimizer=tff.learning.optimizers.build_sgdm(LEARNING_RATE),
      batches=learning.TensorBatches(workload.batch_size),
    ),
  )
  data = [learning.ClientTensors(*client) for client in workload.clients()]
  server_state = process.initialize(model.initial_weights)
  client_states = [process.initialize_client(model.initial_weights)] * len(data)

  def one_round() -> object:
    nonlocal server_state
    server_state = process.next(server_state, client_states, data).server_state
    return server_state

  return one_round


def bare_loop(workload: workloads.Workload) -> Round:
  """The same SGD in one tf.function a client, one client after the other, and a mean."""
  keras_model = workload.build_keras_model()
  loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  variables = keras_model.trainable_variables
  clients = [tuple(map(tf.constant, client)) for client in workload.clients()]
  weights = [tf.identity(variable) for variable in variables]

  @tf.function
  def train(x: tf.Tensor, y: tf.Tensor) -> None:
    order = tf.random.shuffle(tf.range(workload.num_examples))
    for start in tf.range(0, workload.num_examples, workload.batch_size):
      chosen = order[start : start + workload.batch_size]
      with tf.GradientTape() as tape:
        loss = loss_fn(tf.gather(y, chosen), keras_model(tf.gather(x, chosen), training=True))
      for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(LEARNING_RATE * gradient)

  def one_round() -> object:
    nonlocal weights
    sums = [tf.zeros_like(weight) for weight in weights]
    for x, y in clients:
      for variable, weight in zip(variables, weights, strict=True):
        variable.assign(weight)
      train(x, y)
      sums = [total + variable for total, variable in zip(sums, variables, strict=True)]
    weights = [total / len(clients) for total in sums]
    return weights[0].numpy()

  return one_round


CONTENDERS = {
  'bare tf.function loop': bare_loop,
  'our process': our_fed_avg,
  'stock TFF': stock_fed_avg,
}
