"""CPU seconds until a network trains: import, build, two rounds and an evaluation; as ratios.

  python -m benchmarks.startup --networks=mlp,lenet,resnet18

A round is of two clients with one step on 8 examples each. Each network is measured in a
process of its own, against what Keras needs to trace one training step of the same network.
"""

import multiprocessing
import resource
import sys
from collections.abc import Callable, Mapping
from typing import Any

from absl import flags

from pipelines import launch

_NETWORKS = flags.DEFINE_list('networks', None, 'Which networks, by name; all by default.')

_EXAMPLES = 8
PHASES = ('import', 'build', 'first round', 'second round', 'first evaluation')


def _network_builders() -> Mapping[str, Callable[[], Any]]:
  """Returns, by name, what builds a Keras model, in the sizes of the project's tasks."""
  from tff_lg import models

  return {
    'mlp': lambda: models.build_mlp((28, 28, 1), 10),
    'lenet': models.build_lenet,
    'reference_lenet': models.build_reference_lenet,
    'resnet18': models.build_resnet18,
    'gated': lambda: models.build_cgau((1024,), 2),
    'cgau': lambda: models.build_cgau((1024,), 2, conditioning='local'),
    'lstm': lambda: models.build_lstm(4000, 20),
    'bilstm': lambda: models.build_bilstm(4000, 20, 5),
    'vqa': lambda: models.build_vqa(512, 20, 4000, 1000),
  }


def _cpu_seconds() -> float:
  usage = resource.getrusage(resource.RUSAGE_SELF)
  return usage.ru_utime + usage.ru_stime


def measure_keras(name: str) -> float:
  """Returns the CPU seconds to trace one training step with Keras; for a process of its own."""
  import tensorflow as tf

  keras_model = _network_builders()[name]()
  loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  variables = keras_model.trainable_variables

  def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
      loss = loss_fn(y, keras_model(x, training=True))
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
      variable.assign_sub(0.1 * tf.convert_to_tensor(gradient))  # An embedding has slices.
    return loss

  x_spec = tf.TensorSpec(keras_model.input_shape, keras_model.input.dtype)
  y_spec = tf.TensorSpec(keras_model.output_shape[:-1], tf.int32)
  began = _cpu_seconds()
  tf.function(step).get_concrete_function(x_spec, y_spec)
  return _cpu_seconds() - began


def measure_start(name: str) -> tuple[list[float], float]:
  """Returns CPU seconds of each phase and the peak of memory in GiB; for a process of its own."""
  import numpy as np
  import tensorflow as tf

  from tff_lg import learning, models, runtime
  from tff_lg.compatibility import tff

  runtime.set_local_execution_context()
  times = [0.0, _cpu_seconds()]
  keras_model = _network_builders()[name]()
  x = np.ones((_EXAMPLES, *keras_model.input_shape[1:]), keras_model.input.dtype.as_numpy_dtype)
  y = np.ones((_EXAMPLES, *keras_model.output_shape[1:-1]), np.int32)
  model = models.from_keras(
    keras_model,
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
    label_spec=tf.TensorSpec([None, *y.shape[1:]], tf.int32),
  )
  process = learning.build_local_global_process(
    model,
    learning.ProcessSettings(
      client_optimizer=tff.learning.optimizers.build_sgdm(0.05),
      batches=learning.TensorBatches(_EXAMPLES),
    ),
  )
  times.append(_cpu_seconds())
  data = [learning.ClientTensors(x, y)] * 2
  server_state = process.initialize(model.initial_weights)
  client_states = [process.initialize_client(model.initial_weights)] * 2
  for _ in range(2):
    output = process.next(server_state, client_states, data)
    server_state, client_states = output.server_state, output.client_states
    times.append(_cpu_seconds())
  process.evaluate(server_state, client_states, data)
  times.append(_cpu_seconds())
  peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
  return [after - before for before, after in zip(times[:-1], times[1:], strict=True)], peak


def _in_own_process(function: Callable[[str], Any], name: str) -> Any:
  with multiprocessing.get_context('spawn').Pool(1) as pool:
    return pool.apply(function, (name,))


def main() -> None:
  """Measures each network and prints a table."""
  known = list(_network_builders())
  names = _NETWORKS.value or known
  unknown = [name for name in names if name not in known]
  if unknown:
    sys.exit(f'startup: --networks has {unknown[0]}, expected some of {", ".join(known)}.')
  print(f'{"network":<16}{"Keras":>8}' + ''.join(f'{phase:>18}' for phase in PHASES), end='')
  print(f'{"in all":>16}{"peak":>11}')
  for name in names:
    unit = _in_own_process(measure_keras, name)
    seconds, peak = _in_own_process(measure_start, name)
    print(f'{name:<16}{unit:6.2f} s', end='')
    print(''.join(f'{taken / unit:16.2f} x' for taken in seconds), end='')
    print(f'{sum(seconds):14.1f} s{peak:7.2f} GiB', flush=True)


if __name__ == '__main__':
  launch.run(main)
