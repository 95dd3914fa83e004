"""The contenders in timing: each makes a function that runs one round."""

import concurrent.futures
import functools
import itertools
import threading
from collections.abc import Callable, Mapping

import tensorflow as tf

from benchmarks import workloads
from tff_lg import learning, runtime
from tff_lg.compatibility import tff

# Runs one round; what it returns keeps the work from being skipped.
Round = Callable[[], object]

LEARNING_RATE = 0.05
_CLIENTS_AT_A_TIME = 2


def on_context(make_context: Callable[[], tff.framework.SyncContext]) -> Callable:
  """Makes a contender build and run on a context."""

  def decorate(build: Callable[[workloads.Workload], Round]) -> Callable:
    def build_on_context(workload: workloads.Workload) -> Round:
      context = make_context()
      with tff.framework.get_context_stack().install(context):
        run = build(workload)

      def one_round() -> object:
        with tff.framework.get_context_stack().install(context):
          return run()

      return one_round

    return build_on_context

  return decorate


def stock_fed_avg(workload: workloads.Workload) -> Round:
  """Builds `tff.learning.algorithms.build_weighted_fed_avg` on tf.data data sets."""
  process = tff.learning.algorithms.build_weighted_fed_avg(
    workload.model().functional, tff.learning.optimizers.build_sgdm(LEARNING_RATE)
  )
  data = [
    tf.data.Dataset.from_tensor_slices(client)
    .shuffle(workload.num_examples, seed=0)
    .batch(workload.batch_size)
    for client in workload.clients()
  ]
  cohorts = workload.cohorts(data)
  state = process.initialize()

  def one_round() -> object:
    nonlocal state
    state = process.next(state, next(cohorts)).state
    return state

  return one_round


def our_fed_avg(workload: workloads.Workload) -> Round:
  """Builds the stateful process with every weight global, on tensors."""
  model = workload.model()
  process = learning.build_local_global_process(
    model,
    learning.ProcessSettings(
      client_optimizer=tff.learning.optimizers.build_sgdm(LEARNING_RATE),
      batches=learning.TensorBatches(workload.batch_size),
    ),
  )
  cohorts = workload.cohorts([learning.ClientTensors(*client) for client in workload.clients()])
  server_state = process.initialize(model.initial_weights)
  client_states = [process.initialize_client(model.initial_weights)] * workload.num_clients

  def one_round() -> object:
    nonlocal server_state
    server_state = process.next(server_state, client_states, next(cohorts)).server_state
    return server_state

  return one_round


def bare_loop(workload: workloads.Workload) -> Round:
  """Makes the same SGD in one tf.function per client, two at a time, and their mean."""
  cohorts = workload.cohorts(workload.clients())
  trainers = [_bare_trainer(workload) for _ in range(_CLIENTS_AT_A_TIME)]
  turn, local = itertools.count(), threading.local()

  def choose_trainer() -> None:
    local.train = trainers[next(turn)]

  threads = concurrent.futures.ThreadPoolExecutor(_CLIENTS_AT_A_TIME, initializer=choose_trainer)
  weights = [
    tf.constant(weight.numpy()) for weight in workload.build_keras_model().trainable_weights
  ]

  def one_round() -> object:
    nonlocal weights
    start = weights
    trained = threads.map(lambda client: local.train(start, *client), next(cohorts))
    sums = functools.reduce(lambda a, b: [x + y for x, y in zip(a, b, strict=True)], trained)
    weights = [total / workload.num_clients for total in sums]
    return weights[0].numpy()

  return one_round


def _bare_trainer(workload: workloads.Workload) -> Callable[..., list[tf.Tensor]]:
  """Returns (weights, x, y) -> trained weights, with variables of its own."""
  keras_model = workload.build_keras_model()
  loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  variables = keras_model.trainable_variables

  @tf.function
  def train(weights: list[tf.Tensor], x: tf.Tensor, y: tf.Tensor) -> list[tf.Tensor]:
    for variable, weight in zip(variables, weights, strict=True):
      variable.assign(weight)
    order = tf.random.shuffle(tf.range(workload.num_examples))
    for start in tf.range(0, workload.num_examples, workload.batch_size):
      chosen = order[start : start + workload.batch_size]
      with tf.GradientTape() as tape:
        loss = loss_fn(tf.gather(y, chosen), keras_model(tf.gather(x, chosen), training=True))
      for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
        variable.assign_sub(LEARNING_RATE * gradient)
    return [tf.identity(variable) for variable in variables]

  return train


_TFF_RUNTIME = functools.cache(tff.backends.native.create_sync_local_cpp_execution_context)
_LOCAL_RUNTIME = functools.cache(runtime.create_local_execution_context)
_STACKING_RUNTIME = functools.cache(
  functools.partial(runtime.create_local_execution_context, stacked_clients=5)
)

OURS = 'our process on our runtime'

# The first is what the others are measured against.
CONTENDERS: Mapping[str, Callable[[workloads.Workload], Round]] = {
  'bare TensorFlow loop, two clients at a time': bare_loop,
  OURS: on_context(_LOCAL_RUNTIME)(our_fed_avg),
  'the same, five clients stacked': on_context(_STACKING_RUNTIME)(our_fed_avg),
  "stock TFF's FedAvg on our runtime": on_context(_LOCAL_RUNTIME)(stock_fed_avg),
  "stock TFF's FedAvg on its own runtime": on_context(_TFF_RUNTIME)(stock_fed_avg),
}
