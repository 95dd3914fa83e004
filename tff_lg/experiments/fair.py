"""Fair representations: income is to be predicted, race and sex are not to be told.

Ten devices with rows of UCI Adult. Local layers give a representation h, later layers
predict income from it, and an adversary guesses race and sex from it. Every device first
trains alone, with an adversary that only listens. From there, each method continues for some
rounds: `fedavg`, where network and adversary are global; `lg_fedavg`, where the
layers above h are global and the adversary is local. The server's first weights are the devices'
mean. Strength 0 is a method whose adversary only listens: what the paper calls LG-FedAvg, without
adversary. Liang et al. 2020, section on fair representations.

`local_only` trains each device alone to its best, see `fair_local`; or, as in the paper, for the
same epochs as the other methods.
"""

import dataclasses
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from absl import logging

from tff_lg import data as data_lib
from tff_lg import learning, metric_names, models, seeds, simple_models, training
from tff_lg.config import own_models
from tff_lg.experiments import fair_config, fair_local, fair_network
from tff_lg.experiments.fair_network import SPLITS, DeviceOutputs, Look
from tff_lg.training import communication, divergence


class FairRun(NamedTuple):
  """One method on one partition.

  Attributes:
    partition: of `fair_config.PARTITIONS`.
    method: `fedavg`, `lg_fedavg`, `local_only` or, of own simple models, `own_linear` and so on.
    strength: lambda, 0 where the adversary only listens.
    seed: of everything random.
    train: of each device after training, on its training rows.
    test: the same on its test rows.
    test_by_round: the same as the joint rounds begin and after each; empty without joint rounds.
    traffic: communication of the joint rounds, and of the upload that they begin with.
    left_out: updates of the joint rounds that were not finite; such a device stays as it was.
    own_models: how devices trained alone to their best, by name.
    diverged: why the joint rounds ended before the last, one sentence; empty if they did not. The
      outputs after training are then NaN.
  """

  partition: str
  method: str
  strength: float
  seed: int
  train: tuple[DeviceOutputs, ...]
  test: tuple[DeviceOutputs, ...]
  test_by_round: tuple[tuple[DeviceOutputs, ...], ...] = ()
  traffic: communication.RoundTraffic = communication.RoundTraffic()
  left_out: int = 0
  own_models: Mapping[str, float | str] = types.MappingProxyType({})
  diverged: str = ''


def run_fair(config: fair_config.FairConfig) -> Iterator[FairRun]:
  """Runs local learning, FedAvg and LG-FedAvg, the latter two at each strength and at 0.

  Runs of one seed and partition share data, initial weights and what devices learn alone.

  Args:
    config: the settings.

  Yields:
    The runs, one at a time, in the order seed, partition, method, strength.

  Raises:
    data_lib.DataError: the files of Adult are missing or damaged.
    training.DivergenceError: training alone diverges, from which all others start.
  """
  processes: dict[tuple, learning.LocalGlobalProcess] = {}
  trainer = None

  def process(method: str, strength: float, epochs: int = 1) -> learning.LocalGlobalProcess:
    settings = (method, strength, epochs)
    if settings not in processes:
      processes[settings] = networks.build_process(*settings)
    return processes[settings]

  for seed in config.seeds:
    source = data_lib.load_adult(
      config.data_dir,
      seeds.derive_seed(seed, seeds.Purpose.PARTITION),
      config.train_rows,
      config.halve_rows,
    )
    networks = fair_network.Networks(config, source.train.x.shape[1])
    look = networks.build_look()
    for partition in config.partitions:
      train, test = _spread(config, source, partition, seed)
      model, _ = networks.build_model(seed, 0.0, SPLITS[own_models.LOCAL_ONLY])
      initial = [model.initial_weights] * config.num_clients
      splits = {method: split for method, split in SPLITS.items() if method in config.methods}
      if config.trains_to_best:
        del splits[own_models.LOCAL_ONLY]
        trainer = trainer or networks.build_trainer()
        for name in config.own_models:
          own = _own_models(name, trainer, model.initial_weights, look, train, test, seed)
          yield FairRun(partition, strength=0.0, seed=seed, **own)
      start = initial
      if config.pretrain_epochs:
        alone = process(own_models.LOCAL_ONLY, 0.0, config.pretrain_epochs)
        (*_, (start, _)), diverged = _run_rounds(alone, initial, train, seed, range(1))
        if diverged:
          raise training.DivergenceError(f'{partition}, seed {seed}, training alone: {diverged}')
      for method, split in splits.items():
        for strength in (0.0, *(config.lambdas if split.adversary_acts else ())):
          joint = process(method, strength, config.client_epochs)
          remedy = 'choose smaller --lambdas' if strength else ''
          states, diverged = _run_rounds(
            joint, start, train, seed, range(1, 1 + config.rounds), remedy
          )
          if diverged:
            told = '%s, %s, lambda %g, seed %d diverged and has no figures. %s'
            logging.warning(told, partition, method, strength, seed, diverged)
          test_by_round = tuple(tuple(map(look, weights, test)) for weights, _ in states)
          yield FairRun(
            partition,
            method,
            strength,
            seed,
            train=tuple(map(look, states[-1][0], train)),
            test=test_by_round[-1],
            test_by_round=test_by_round,
            traffic=communication.count_round(joint, 0, config.num_clients)
            + communication.count_round(joint, config.num_clients, config.num_clients)
            * (len(states) - 1),
            left_out=sum(left_out for _, left_out in states),
            diverged=diverged,
          )


def _spread(
  config: fair_config.FairConfig, source: data_lib.Source, partition: str, seed: int
) -> tuple[list[learning.ClientTensors], ...]:
  """Returns each device's training and test rows, labels with attributes."""
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


def _own_models(
  name: str,
  trainer: fair_local.NetworkTrainer,
  initial: models.ModelWeights,
  look: Look,
  train: Sequence[learning.ClientTensors],
  test: Sequence[learning.ClientTensors],
  seed: int,
) -> dict[str, Any]:
  """Trains one kind of own models to their best; gives the fields of a `FairRun`."""
  if name == own_models.NETWORK:
    own = trainer.train(initial, train, seed)
    setting = metric_names.own_setting(name, 'learning_rate')
    return {
      'method': own_models.LOCAL_ONLY,
      'train': tuple(map(look, own.weights, train)),
      'test': tuple(map(look, own.weights, test)),
      'left_out': int((~own.is_finite).sum()),
      'own_models': {
        setting: own.search.best,
        metric_names.tried(setting): own.search.describe(),
        metric_names.OWN_EPOCHS: float(np.median(own.epochs)),
        metric_names.OWN_STILL_IMPROVING: int((~own.was_stopped).sum()),
      },
    }
  predict, search = fair_local.fit_simple(name, train, seed)
  setting = metric_names.own_setting(name, simple_models.SIMPLE_MODELS[name].hyperparameter)
  return {
    'method': f'own_{name}',
    'train': tuple(map(_simple_outputs, predict, train)),
    'test': tuple(map(_simple_outputs, predict, test)),
    'own_models': {setting: search.best, metric_names.tried(setting): search.describe()},
  }


def _simple_outputs(
  predict: simple_models.Predict, tensors: learning.ClientTensors
) -> DeviceOutputs:
  attributes = tensors.y[:, 1:]
  return DeviceOutputs(
    h=np.full((len(attributes), 1), np.nan, np.float32),
    probability=predict(tensors.x)[:, 1].astype(np.float32),
    guesses=np.full(attributes.shape, np.nan, np.float32),
    y=tensors.y[:, 0],
    attributes=attributes,
  )


class _Weights(training.Callback):
  """Keeps each device's weights as rounds begin and after each.

  Attributes:
    states: the weights of each device, and how many updates of the round were left out.
  """

  def __init__(self, num_devices: int) -> None:
    self._devices = range(num_devices)
    self.states: list[tuple[list[models.ModelWeights], int]] = []

  def on_run_begin(self, state: training.RunState, phases: Sequence[training.Phase]) -> None:
    """Keeps the weights that rounds begin with."""
    self._process = phases[0].process
    self._add(state, 0)

  def on_round_end(self, state: training.RunState, metrics: Mapping[str, float]) -> None:
    """Keeps the weights after a round."""
    self._add(state, int(metrics[metric_names.NUM_CLIENTS_LEFT_OUT]))

  def _add(self, state: training.RunState, left_out: int) -> None:
    weights = [
      self._process.model.merge(state.server_state.global_weights, of_client.local_weights)
      for of_client in state.clients.get(self._devices)
    ]
    self.states.append((weights, left_out))


def _run_rounds(
  process: learning.LocalGlobalProcess,
  start: Sequence[models.ModelWeights],
  train: Sequence[learning.ClientTensors],
  seed: int,
  round_nums: range,
  remedy: str = '',
) -> tuple[list[tuple[list[models.ModelWeights], int]], str]:
  """Runs rounds in which all devices take part.

  The server begins with the mean of the devices' weights, weighted by their rows. Rounds are
  counted over the whole experiment: the first is that in which devices train alone.

  Returns:
    Each device's weights at the start and after each round, with the number of updates that were
    left out because they were not finite. Then why the rounds end early; empty if they do not.
    The weights after a round that diverges are NaN.
  """
  sizes = [len(tensors.y) for tensors in train]
  mean = tuple(
    np.average(of_devices, axis=0, weights=sizes).astype(np.float32)
    for of_devices in zip(*start, strict=True)
  )
  phase = training.Phase('fair', process, round_nums.stop)
  state = training.initial_state(phase, len(train), mean, start)
  weights = _Weights(len(train))
  try:
    training.run(
      [phase],
      training.Clients([f'device_{device}' for device in range(len(train))], {'train': train}),
      evaluation=training.NEVER,
      callbacks=[weights],
      seed=seed,
      start=dataclasses.replace(state, round_num=round_nums.start),
      wording=divergence.Wording(remedy=remedy),
    )
  except training.DivergenceError as error:
    nothing = [tuple(np.full_like(w, np.nan) for w in of_device) for of_device in start]
    return [*weights.states, (nothing, error.num_clients_left_out)], str(error)
  return weights.states, ''
