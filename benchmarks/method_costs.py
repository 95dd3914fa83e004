"""Measures what a round costs a client, by method: the first columns of a table in docs/METHODS.md.

  python -m benchmarks.method_costs

Prints one row per registered method. It has the examples that a client trains on, each epoch
counted, its FLOPs, and its bytes, both ways, as multiples of FedAvg's. The setting is that of
`python -m pipelines.train --fast`: digits, a network of dense layers, and default options. For
FedBN, the network has batch normalisation after its first layer, for both methods.
"""

import functools
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from pipelines import launch
from tff_lg import config as config_lib
from tff_lg import learning, models, simulation
from tff_lg.learning import costs
from tff_lg.simulation import run_phases
from tff_lg.training import communication

_NUM_CLIENTS, _NUM_EXAMPLES, _NUM_PIXELS, _NUM_CLASSES = 10, 100, 64, 10


class Cost(NamedTuple):
  """The cost of a round to a client.

  Attributes:
    examples: trained on, each epoch counted.
    flops: of the matrix products of its steps, see `tff_lg.learning.costs`.
    num_bytes: received and sent.
  """

  examples: float
  flops: float
  num_bytes: float


@functools.cache
def build_model(*, normalizes: bool) -> models.LocalGlobalModel:
  """Builds the model, every weight global.

  Args:
    normalizes: whether the network has batch normalisation after its first layer.
  """
  network = models.build_mlp((_NUM_PIXELS,), _NUM_CLASSES, _config('fedavg').hidden_units)
  if normalizes:
    flatten, first, *others = network.layers
    start = tf.keras.layers.InputLayer((_NUM_PIXELS,))
    normalization = tf.keras.layers.BatchNormalization()
    network = tf.keras.Sequential([start, flatten, first, normalization, *others])
  return models.from_keras(
    network,
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )


@functools.cache
def build(method: str, *, normalizes: bool) -> learning.LocalGlobalProcess:
  """Builds a method's process with its default options; see `build_model`."""
  model = build_model(normalizes=normalizes)
  return run_phases.build_phases(_config(method), model, num_clients=_NUM_CLIENTS)[-1].process


def _config(method: str) -> config_lib.TrainConfig:
  config = config_lib.TrainConfig(task='digits', method=method, baselines=(), rounds=1)
  return config_lib.resolve(config_lib.fast(config))


@functools.cache
def count(method: str, *, normalizes: bool) -> tuple[costs.StepCost, int]:
  """Counts the cost of a method's steps, and a client's bytes in a round; see `build`."""
  process = build(method, normalizes=normalizes)
  return process.step_cost(), communication.count_round(process, 1, 1).bytes


def compare(method: str, examples: float) -> Cost:
  """Counts a method's cost as a multiple of FedAvg's.

  Args:
    method: its name.
    examples: the multiple that it trains on.
  """
  (steps, num_bytes), (of_fedavg, bytes_of_fedavg) = (
    count(each, normalizes=method == 'fedbn') for each in (method, 'fedavg')
  )
  flops = steps.flops_per_example / of_fedavg.flops_per_example
  return Cost(examples, examples * flops, num_bytes / bytes_of_fedavg)


def measure(method: str) -> Cost:
  """Runs a round of a method and of FedAvg, and compares them."""
  rng = np.random.default_rng(0)
  data = learning.ClientTensors(
    rng.random((_NUM_EXAMPLES, _NUM_PIXELS), np.float32),
    rng.integers(0, _NUM_CLASSES, _NUM_EXAMPLES).astype(np.int32),
  )
  examples = []
  for name in (method, 'fedavg'):
    process = build(name, normalizes=method == 'fedbn')
    weights = process.model.initial_weights
    states = [process.initialize_client(weights)]
    examples.append(process.next(process.initialize(weights), states, [data]).metrics.num_examples)
  return compare(method, examples[0] / examples[1])


def row(method: str, cost: Cost) -> str:
  """Returns the first cells of a method's row."""
  return f'| `{method}` | ' + ' | '.join(f'{number:.3g}' for number in cost) + ' |'


def main() -> None:
  """Prints the rows."""
  simulation.set_execution_context()
  print('| method | examples | FLOPs | bytes |\n|---|---|---|---|')
  for method in learning.METHODS:
    print(row(method, measure(method)), flush=True)


if __name__ == '__main__':
  launch.run(main)
