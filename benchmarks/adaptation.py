"""Seconds to adapt many small clients, as a ratio to a bare loop that does the same SGD.

  python -m benchmarks.adaptation --clients=1000 --epochs=10 --passes=3

The contenders take turns, so that what else the machine does falls on all of them.
"""

import concurrent.futures
import itertools
import statistics
import threading
import time
from collections.abc import Callable, Mapping

from absl import flags

from pipelines import launch

_CLIENTS = flags.DEFINE_integer('clients', 1000, 'Clients.', lower_bound=1)
_EPOCHS = flags.DEFINE_integer('epochs', 10, 'Epochs of each client.', lower_bound=1)
_PASSES = flags.DEFINE_integer('passes', 3, 'Times that each adapts all clients.', lower_bound=1)

_LEARNING_RATE = 0.05
_BATCH_SIZE = 10
_CLIENTS_AT_A_TIME = 2


def main() -> None:
  """Times each contender and prints a table."""
  from tff_lg.runtime import workers
  from tff_lg.simulation import execution

  workers.configure_tensorflow('auto')  # before anything else starts TensorFlow
  execution.set_execution_context()
  runners = _contenders(_CLIENTS.value, _EPOCHS.value)
  seconds: dict[str, list[float]] = {name: [] for name in runners}
  for run in runners.values():  # tracing, compiling, filling caches
    run()
  for _ in range(_PASSES.value):
    for name, run in runners.items():
      began = time.perf_counter()
      run()
      seconds[name].append(time.perf_counter() - began)
  medians = {name: statistics.median(taken) for name, taken in seconds.items()}
  first, *_ = medians.values()
  print(f'\n{_CLIENTS.value} clients, {_EPOCHS.value} epochs: median of {_PASSES.value} passes')
  for name, median in medians.items():
    print(f'  {name:<46}{median:8.3f} s {median / first:6.2f} x')


def _contenders(num_clients: int, num_epochs: int) -> Mapping[str, Callable[[], object]]:
  """Returns what adapts all clients once, by name; the others are measured against the first."""
  import numpy as np
  import tensorflow as tf

  from tff_lg import adaptation, learning, models
  from tff_lg.compatibility import tff

  rng = np.random.default_rng(0)

  def examples(num_examples: int) -> learning.ClientTensors:
    x = rng.random((num_examples, 64), np.float32)
    y = rng.integers(0, 10, num_examples).astype(np.int32)
    return learning.ClientTensors(tf.constant(x), tf.constant(y), tf.zeros([2], tf.int32))

  sizes = rng.integers(20, 61, num_clients)
  train = [examples(size) for size in sizes]
  # As of a split by 9:1, at least one.
  validation = [examples(max(size // 9, 1)) for size in sizes]
  no_validation = [examples(0)] * num_clients

  def build_network() -> tf.keras.Model:
    return models.build_mlp((64,), 10, (64, 64))

  initial_weights = [tf.constant(weight) for weight in build_network().get_weights()]

  def bare(evaluate: bool) -> Callable[[], object]:
    loops = [_bare_loop(build_network(), num_epochs, evaluate) for _ in range(_CLIENTS_AT_A_TIME)]
    turn, local = itertools.count(), threading.local()

    def choose_loop() -> None:
      local.loop = loops[next(turn)]

    threads = concurrent.futures.ThreadPoolExecutor(_CLIENTS_AT_A_TIME, initializer=choose_loop)

    def one_client(client: int) -> list[np.ndarray]:
      data = train[client], validation[client]
      weights, _ = local.loop(initial_weights, *(part[:2] for part in data))
      return [weight.numpy() for weight in weights]

    return lambda: list(threads.map(one_client, range(num_clients)))

  # Before TFF clones a model in a graph, where Keras changes its classes.
  bare_loops = {
    'bare TensorFlow loop, two clients at a time': bare(evaluate=False),
    'the same, accuracy after each epoch': bare(evaluate=True),
  }

  model = models.from_keras(
    build_network(),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )
  start = [tuple(initial_weights)] * num_clients

  def adapt(technique: adaptation.Adaptation, validation: list) -> Callable[[], object]:
    process = adaptation.build_adaptation_process(
      model,
      technique,
      tff.learning.optimizers.build_sgdm(_LEARNING_RATE),
      learning.TensorBatches(_BATCH_SIZE),
      num_epochs,
    )
    if technique.measure is None:
      measured = [()] * num_clients
    else:
      measured = process.measure(start[:1], examples(1000)) * num_clients
    return lambda: process.adapt(start, measured, train, validation)

  return {
    **bare_loops,
    'fine-tuning, no validation data': adapt(adaptation.fine_tune(), no_validation),
    'fine-tuning, best epoch chosen': adapt(adaptation.fine_tune(), validation),
    'freeze-base, best epoch chosen': adapt(adaptation.freeze_base(), validation),
    'EWC, best epoch chosen': adapt(adaptation.ewc(1.0), validation),
    'distillation, best epoch chosen': adapt(adaptation.distillation(), validation),
  }


def _bare_loop(keras_model, num_epochs: int, evaluate: bool) -> Callable:
  """Returns (weights, train, validation) -> (trained weights, last accuracy), by own variables."""
  import tensorflow as tf

  loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  variables = keras_model.trainable_variables
  x_spec, y_spec = tf.TensorSpec([None, 64]), tf.TensorSpec([None], tf.int32)
  weight_specs = [tf.TensorSpec(variable.shape) for variable in variables]

  @tf.function(input_signature=[weight_specs, (x_spec, y_spec), (x_spec, y_spec)])
  def loop(weights, train, validation):
    for variable, weight in zip(variables, weights, strict=True):
      variable.assign(weight)
    x, y = train
    num_examples, accuracy = tf.shape(y)[0], tf.constant(0.0)
    for _ in tf.range(num_epochs):
      order = tf.random.shuffle(tf.range(num_examples))
      for begin in tf.range(0, num_examples, _BATCH_SIZE):
        chosen = order[begin : begin + _BATCH_SIZE]
        with tf.GradientTape() as tape:
          loss = loss_fn(tf.gather(y, chosen), keras_model(tf.gather(x, chosen), training=True))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
          variable.assign_sub(_LEARNING_RATE * gradient)
      if evaluate:
        predicted = tf.argmax(keras_model(validation[0]), axis=1, output_type=tf.int32)
        accuracy += tf.reduce_mean(tf.cast(predicted == validation[1], tf.float32))
    return [tf.identity(variable) for variable in variables], accuracy

  loop.get_concrete_function()
  return loop


if __name__ == '__main__':
  launch.run(main)
