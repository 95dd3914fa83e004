"""Seconds to train clients' own networks, as a ratio to one federated run of equal work.

  python -m benchmarks.own_models --clients=1000 --epochs=20 --passes=3

The federated run is FedAvg with random cohorts of ten clients, until as many examples have been
visited. Own networks train without patience, so that each client visits its examples as often. Each
builds its own computations, as a run does. The contenders take turns, so that other work of the
machine falls on all of them; CPU seconds are more reliable where there is much.
"""

import dataclasses
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping

from absl import flags

from pipelines import launch

_CLIENTS = flags.DEFINE_integer('clients', 1000, 'Clients.', lower_bound=1)
_EXAMPLES = flags.DEFINE_integer('examples', 60, 'Training examples per client.', lower_bound=1)
_EPOCHS = flags.DEFINE_integer('epochs', 20, 'Epochs per client.', lower_bound=1)
_PASSES = flags.DEFINE_integer('passes', 3, 'Times that each is timed.', lower_bound=1)

_COHORT = 10
_LEARNING_RATE = 0.05
_BATCH_SIZE = 10


def main() -> None:
  """Times each contender and prints a table."""
  from tff_lg.runtime import workers
  from tff_lg.simulation import execution

  workers.configure_tensorflow('auto')  # before anything else starts TensorFlow
  execution.set_execution_context()
  runners = _contenders(_CLIENTS.value, _EXAMPLES.value, _EPOCHS.value)
  clocks = (time.perf_counter, time.process_time)
  seconds: dict[str, list[list[float]]] = {name: [] for name in runners}
  for _ in range(_PASSES.value):
    for name, run in runners.items():
      began = [clock() for clock in clocks]
      run()
      seconds[name].append([clock() - start for clock, start in zip(clocks, began, strict=True)])
  medians = {
    name: [statistics.median(taken) for taken in zip(*passes, strict=True)]
    for name, passes in seconds.items()
  }
  first, *_ = medians.values()
  print(
    f'\n{_CLIENTS.value} clients of {_EXAMPLES.value} examples, {_EPOCHS.value} epochs: median of '
    f'{_PASSES.value} passes'
  )
  for name, median in medians.items():
    ratios = (value / of_first for value, of_first in zip(median, first, strict=True))
    elapsed, cpu = (f'{s:8.1f} s {r:6.2f} x' for s, r in zip(median, ratios, strict=True))
    print(f'  {name:<50}{elapsed}   CPU {cpu}')


def _contenders(
  num_clients: int, num_examples: int, num_epochs: int
) -> Mapping[str, Callable[[], object]]:
  """Returns what visits all clients' examples, by name; the first is the unit of the others."""
  import numpy as np
  import tensorflow as tf

  from tff_lg import config as config_lib
  from tff_lg import learning, models, own_models
  from tff_lg.compatibility import tff

  rng = np.random.default_rng(0)

  def examples(size: int) -> learning.ClientTensors:
    x = rng.random((size, 64), np.float32)
    y = rng.integers(0, 10, size).astype(np.int32)
    return learning.ClientTensors(tf.constant(x), tf.constant(y))

  train = [examples(num_examples) for _ in range(num_clients)]
  # As of a split by 9:1, at least one.
  validation = [examples(max(num_examples // 9, 1)) for _ in range(num_clients)]
  without_validation = [examples(0)] * num_clients
  model = models.from_keras(
    models.build_mlp((64,), 10, (64, 64)),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )

  def federated() -> None:
    process = learning.build_local_global_process(
      model,
      learning.ProcessSettings(
        tff.learning.optimizers.build_sgdm(_LEARNING_RATE, 0.5),
        learning.TensorBatches(_BATCH_SIZE),
      ),
    )
    state = process.initialize(model.initial_weights)
    client_state = process.initialize_client(model.initial_weights)
    for _ in range(num_clients * num_epochs // _COHORT):
      cohort = [train[client] for client in rng.choice(num_clients, _COHORT, replace=False)]
      state = process.next(state, [client_state] * _COHORT, cohort).server_state

  options = config_lib.resolve(
    config_lib.TrainConfig(
      method='local_only',
      baselines=(),
      batch_size=_BATCH_SIZE,
      client_learning_rate=_LEARNING_RATE,
      local_only_epochs=num_epochs,
      local_only_patience=num_epochs,
      local_only_learning_rate=(_LEARNING_RATE,),
    )
  ).local_learning_options

  def own(options: config_lib.LocalLearningOptions, validation: list) -> Callable[[], object]:
    def run() -> None:
      with tempfile.TemporaryDirectory() as folder:
        trained = own_models.train_networks(
          options, model, {'train': train, 'validation': validation}, np.arange(num_clients), folder
        )
      if (trained.num_epochs != num_epochs).any():
        raise RuntimeError('Own networks stopped before the last epoch: the work is not equal.')

    return run

  tuned = dataclasses.replace(options, local_only_learning_rate=None)
  return {
    'FedAvg, ten clients a round': federated,
    'own networks, one learning rate': own(options, validation),
    'the same, no validation data': own(options, without_validation),
    'own networks, learning rate tuned on 20 clients': own(tuned, validation),
  }


if __name__ == '__main__':
  launch.run(main)
