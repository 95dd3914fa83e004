"""Fair representations: income is to be predicted, race and sex are not to be told.

Ten devices with rows of UCI Adult. Local layers give a representation h, later layers
predict income from it, and an adversary guesses race and sex from it. Every device first
trains alone, with an adversary that only listens. From there each method goes on for some
rounds of one epoch: `local_only`; `fedavg`, where network and adversary are global;
`lg_fedavg`, where the layers above h are global and the adversary is local. The server's first
weights are the devices' mean. Strength 0 is a method whose adversary only listens: what the
paper calls LG-FedAvg, without adversary. Liang et al. 2020, section on fair representations.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_lg import data as data_lib
from tff_lg import learning, models
from tff_lg.simulation import communication, seeds

PARTITIONS = ('iid', 'non_iid')
_LOCAL_LAYERS, _GLOBAL_LAYERS = ('hidden_1', 'hidden_2', 'hidden_3'), ('hidden_4', 'output')
# The paper's: of the network, whose adversary has no dropout, and of the devices' SGD, whose
# momentum starts afresh each round.
_UNITS, _DROPOUT = (32, 32, 32, 32), 0.2
_BATCH_SIZE, _LEARNING_RATE, _MOMENTUM = 32, 0.1, 0.5
_NUM_ATTRIBUTES = len(data_lib.ADULT_ATTRIBUTES)


class _Split(NamedTuple):
  """A method: its global layers, whether its adversary is global, and whether it ever acts."""

  layers: tuple[str, ...]
  adversary_is_global: bool
  adversary_acts: bool = True


_SPLITS: Mapping[str, _Split] = {
  'local_only': _Split((), False, adversary_acts=False),
  'fedavg': _Split((*_LOCAL_LAYERS, *_GLOBAL_LAYERS), True),
  'lg_fedavg': _Split(_GLOBAL_LAYERS, False),
}


@dataclasses.dataclass(frozen=True)
class FairConfig:
  """Settings of the experiment; defaults are the paper's.

  Attributes:
    data_dir: folder with the files of Adult; None for the synthetic table.
    partitions: of `PARTITIONS`. `non_iid` is rows sorted by income, in ten shards a device.
    lambdas: strengths of the adversary, tried beside 0.
    seeds: each repeats everything, from the draw of the rows on.
    num_clients: devices, all in every round.
    train_rows: training rows of all devices together.
    pretrain_epochs: epochs that each device trains alone.
    rounds: joint rounds of one epoch.
  """

  data_dir: str | None = None
  partitions: tuple[str, ...] = PARTITIONS
  lambdas: tuple[float, ...] = (1.0,)
  seeds: tuple[int, ...] = (0,)
  num_clients: int = 10
  train_rows: int = 15_000
  pretrain_epochs: int = 10
  rounds: int = 10

  def __post_init__(self) -> None:
    for name, values in (('lambdas', self.lambdas), ('seeds', self.seeds)):
      if not values or len(set(values)) < len(values) or not min(values) >= 0:
        found = ','.join(map(str, values)) or 'empty'
        raise ValueError(f'--{name} is {found}, expected different numbers, 0 or more.')
    if not np.isfinite(self.lambdas).all() or 0 in self.lambdas:
      found = ','.join(map(str, self.lambdas))
      raise ValueError(f'--lambdas is {found}, expected numbers above 0: 0 is always tried.')
    names = set(self.partitions)
    if not names or not names <= set(PARTITIONS) or len(names) < len(self.partitions):
      found = ','.join(self.partitions) or 'empty'
      raise ValueError(
        f'--partitions is {found}, expected some of {",".join(PARTITIONS)}, each once.'
      )
    if self.train_rows < 10 * self.num_clients:
      raise ValueError(
        f'--train_rows is {self.train_rows}, expected at least {10 * self.num_clients}, ten a '
        'device.'
      )

  @property
  def num_runs(self) -> int:
    """How many runs `run_fair` yields."""
    of_a_seed = len(self.partitions) * (1 + 2 * (1 + len(self.lambdas)))
    return of_a_seed * len(self.seeds)


class DeviceOutputs(NamedTuple):
  """What a device's own model and adversary say of n rows.

  Attributes:
    h: representation, float32 [n, 32].
    probability: float32 [n], of an income above 50K.
    guesses: float32 [n, 2], the adversary's probability of each attribute being 1.
    y: int32 [n], the income's class.
    attributes: int32 [n, 2].
  """

  h: np.ndarray
  probability: np.ndarray
  guesses: np.ndarray
  y: np.ndarray
  attributes: np.ndarray


class FairRun(NamedTuple):
  """One method on one partition.

  Attributes:
    partition: of `PARTITIONS`.
    method: `local_only`, `fedavg` or `lg_fedavg`.
    strength: lambda, 0 where the adversary only listens.
    seed: of everything random.
    train: of each device after the last round, on its training rows.
    test_by_round: the same on its test rows, as the joint rounds begin and after each.
    traffic: communication of the joint rounds, and of the upload that they begin with.
    left_out: updates of the joint rounds that were not finite; such a device stays as it was.
  """

  partition: str
  method: str
  strength: float
  seed: int
  train: tuple[DeviceOutputs, ...]
  test_by_round: tuple[tuple[DeviceOutputs, ...], ...]
  traffic: communication.RoundTraffic
  left_out: int


def run_fair(config: FairConfig) -> Iterator[FairRun]:
  """Runs local learning, FedAvg and LG-FedAvg, the latter two at each strength and at 0.

  Runs of one seed and partition share data, initial weights and what devices learn alone.

  Args:
    config: the settings.

  Yields:
    The runs, one at a time, in the order seed, partition, method, strength.

  Raises:
    data_lib.DataError: the files of Adult are missing or damaged.
  """
  processes: dict[tuple, learning.LocalGlobalProcess] = {}

  def process(method: str, strength: float, epochs: int = 1) -> learning.LocalGlobalProcess:
    settings = (method, strength, epochs)
    if settings not in processes:
      processes[settings] = _build_process(*settings, num_inputs)
    return processes[settings]

  for seed in config.seeds:
    source = data_lib.load_adult(
      config.data_dir, seeds.derive_seed(seed, seeds.Purpose.PARTITION), config.train_rows
    )
    num_inputs = source.train.x.shape[1]
    look = _build_outputs(num_inputs)
    for partition in config.partitions:
      train, test = _spread(config, source, partition, seed)
      model, _ = _build_model(num_inputs, seed, 0.0, _SPLITS['local_only'])
      initial = [model.initial_weights] * config.num_clients
      alone = process('local_only', 0.0, config.pretrain_epochs)
      *_, (start, _) = _rounds(alone, initial, train, seed, range(1))
      for method, split in _SPLITS.items():
        for strength in (0.0, *(config.lambdas if split.adversary_acts else ())):
          joint = process(method, strength)
          states = list(_rounds(joint, start, train, seed, range(1, 1 + config.rounds)))
          yield FairRun(
            partition,
            method,
            strength,
            seed,
            train=tuple(map(look, states[-1][0], train)),
            test_by_round=tuple(tuple(map(look, weights, test)) for weights, _ in states),
            traffic=communication.count_round(joint, 0, config.num_clients)
            + communication.count_round(joint, config.num_clients, config.num_clients)
            * config.rounds,
            left_out=sum(left_out for _, left_out in states),
          )


def _spread(
  config: FairConfig, source: data_lib.Source, partition: str, seed: int
) -> tuple[list[learning.ClientTensors], ...]:
  """Each device's training and test rows, labels with attributes."""
  partitioner = {
    'iid': lambda: data_lib.partitioners.iid(config.num_clients),
    'non_iid': lambda: data_lib.partitioners.shards(config.num_clients, 10),
  }[partition]()
  clients = data_lib.partition_clients(
    source,
    partitioner,
    validation_fraction=0.0,  # Nothing is chosen: every strength is shown, after the last round.
    seed=seeds.derive_seed(seed, seeds.Purpose.PARTITION, 1),
  ).clients
  return tuple(
    [
      learning.ClientTensors(part.x, np.column_stack([part.y, part.attributes]))
      for part in (getattr(client, name) for client in clients)
    ]
    for name in ('train', 'test')
  )


def _keras_model(num_inputs: int, seed: int) -> tf.keras.Model:
  return models.build_mlp(
    (num_inputs,),
    2,
    _UNITS,
    seed=seeds.derive_seed(seed, seeds.Purpose.INITIALISATION),
    dropout_rate=_DROPOUT,
  )


def _build_model(
  num_inputs: int, seed: int, strength: float, split: _Split
) -> tuple[models.LocalGlobalModel, models.Adversary]:
  """The network with the adversary's weights, split, and the adversary."""
  adversary = models.build_adversary(
    _keras_model(num_inputs, seed),
    _GLOBAL_LAYERS,
    _NUM_ATTRIBUTES,
    strength=strength,
    learning_rate=_LEARNING_RATE,
    seed=seeds.derive_seed(seed, seeds.Purpose.INITIALISATION, 1),
  )
  model = models.protected_classifier(_keras_model(num_inputs, seed), _NUM_ATTRIBUTES)
  return (
    model.with_global_layers(split.layers).with_extra_weights(
      adversary.own_weights, are_global=split.adversary_is_global
    ),
    adversary,
  )


def _build_process(
  method: str, strength: float, epochs: int, num_inputs: int
) -> learning.LocalGlobalProcess:
  """The process for any seed: that of the model's build only tells its dropout layers apart."""
  model, adversary = _build_model(num_inputs, 0, strength, _SPLITS[method])
  return learning.build_local_global_process(
    model,
    learning.ProcessSettings(
      client_optimizer=tff.learning.optimizers.build_sgdm(_LEARNING_RATE, _MOMENTUM),
      batches=learning.TensorBatches(_BATCH_SIZE, num_epochs=epochs),
      objective=learning.with_auxiliary(adversary, 1.0),
    ),
  )


def _rounds(
  process: learning.LocalGlobalProcess,
  start: Sequence[models.ModelWeights],
  train: Sequence[learning.ClientTensors],
  seed: int,
  round_nums: range,
) -> Iterator[tuple[list[models.ModelWeights], int]]:
  """Runs rounds; yields each device's weights as they begin and after each.

  With them comes how many updates of the round were left out, as they were not finite. The
  server begins with the mean of the devices' weights, weighted by their rows.
  """
  sizes = [len(tensors.y) for tensors in train]
  mean = tuple(
    np.average(of_devices, axis=0, weights=sizes).astype(np.float32)
    for of_devices in zip(*start, strict=True)
  )
  server_state = process.initialize(mean)
  client_states = [process.initialize_client(weights) for weights in start]

  def all_weights() -> list[models.ModelWeights]:
    return [
      process.model.merge(server_state.global_weights, state.local_weights)
      for state in client_states
    ]

  yield all_weights(), 0
  for round_num in round_nums:
    data = [
      tensors._replace(seed=seeds.tensor_seed(seed, seeds.Purpose.SHUFFLING, round_num, device))
      for device, tensors in enumerate(train)
    ]
    output = process.next(server_state, client_states, data)
    server_state, client_states = output.server_state, output.client_states
    yield all_weights(), int(output.metrics.num_clients_left_out)


def _build_outputs(
  num_inputs: int,
) -> Callable[[models.ModelWeights, learning.ClientTensors], DeviceOutputs]:
  """A function (weights, rows) -> what model and adversary say, without dropout."""
  model, adversary = _build_model(num_inputs, 0, 0.0, _SPLITS['local_only'])
  weight_types = tuple(tff.TensorType(w.dtype.type, w.shape) for w in model.initial_weights)

  @tff.tensorflow.computation(weight_types, tff.TensorType(np.float32, [None, num_inputs]))
  def compute(weights, x):
    by_name = dict(zip(model.weight_names, tuple(weights), strict=True))
    h, guesses = adversary.guess(tuple(by_name[name] for name in adversary.weight_names), x)
    logits = model.predict(tuple(weights), x, training=False)
    return h, tf.nn.softmax(logits)[:, 1], tf.sigmoid(guesses)

  def outputs(weights: models.ModelWeights, tensors: learning.ClientTensors) -> DeviceOutputs:
    return DeviceOutputs(*compute(weights, tensors.x), tensors.y[:, 0], tensors.y[:, 1:])

  return outputs
