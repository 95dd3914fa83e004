"""What a training run is: every choice in one value, checked before anything is loaded.

This module is light: it imports neither TensorFlow nor data. `pipelines.train` makes
its flags out of `TrainConfig`, so there is no second list of them.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

TASKS = ('digits', 'mnist', 'cifar10', 'arrays')
PARTITIONS = ('iid', 'shards', 'classes_per_client', 'dirichlet', 'natural')
METHODS = ('fedavg', 'fedsgd', 'fedprox', 'local_only', 'lg_fedavg')
RUNTIMES = ('local', 'tff')
CLIENT_WEIGHTINGS = ('examples', 'uniform', 'gradient_norm')


class ConfigError(ValueError):
  """A flag that cannot be, or two that contradict each other; one sentence."""


@dataclasses.dataclass(frozen=True)
class Protocol:
  """How models are chosen and a few habits of the reference code.

  Attributes:
    choose_by: the clients' data on which the best round is chosen.
    validation_fraction: default of the flag.
    client_weighting: default of the flag.
    warm_start_from: weights after the last warm-start round, or of the best one.
    warm_start_learning_rate: of the warm start; None for the run's own.
    output_activation: on top of the logits that the loss takes.
    note: what the run's output says of it.
  """

  choose_by: str
  validation_fraction: float
  client_weighting: str
  warm_start_from: str
  warm_start_learning_rate: float | None
  output_activation: str | None
  note: str


PROTOCOLS: Mapping[str, Protocol] = {
  'validation': Protocol(
    choose_by='validation',
    validation_fraction=0.1,
    client_weighting='examples',
    warm_start_from='last',
    warm_start_learning_rate=None,
    output_activation=None,
    note='Models were chosen on validation data.',
  ),
  'reference': Protocol(
    choose_by='local_test',
    validation_fraction=0.0,
    client_weighting='uniform',
    warm_start_from='best',
    warm_start_learning_rate=0.1,
    output_activation='softmax',
    note='Models were CHOSEN ON TEST DATA, as by the reference code: test figures are optimistic.',
  ),
}


def _option(default: Any, help_text: str, choices: tuple[str, ...] | None = None) -> Any:
  return dataclasses.field(default=default, metadata={'help': help_text, 'choices': choices})


@dataclasses.dataclass(frozen=True)
class TrainConfig:
  """The choices of a run; None stands for a default that depends on other choices.

  Raises, when made by `resolve`, ConfigError for choices that cannot be.
  """

  task: str = _option('digits', 'Data set and its model.', TASKS)
  data_dir: str | None = _option(
    None, "Folder with the task's official files; without it Keras downloads them."
  )
  partition: str | None = _option(
    None,
    'How training examples are spread over clients; classes_per_client by default.',
    PARTITIONS,
  )
  num_clients: int | None = _option(
    None, 'Number of clients, K; 100 by default. The data decide it for --partition=natural.'
  )
  classes_per_client: int | None = _option(
    None, 'Classes a client has at most (--partition=classes_per_client); 2 by default.'
  )
  shards_per_client: int | None = _option(
    None, 'Shards of label-sorted examples a client gets (--partition=shards); 2 by default.'
  )
  dirichlet_alpha: float | None = _option(
    None, 'Concentration of the classes over clients (--partition=dirichlet); 0.9 by default.'
  )
  validation_fraction: float | None = _option(
    None, "Part of each client's training examples held out to choose models; 0.1 by default."
  )
  method: str = _option('lg_fedavg', 'The method after the warm start.', METHODS)
  baselines: tuple[str, ...] | None = _option(
    None, 'Methods run for comparison with the same budget; local_only by default.', METHODS
  )
  global_layers: tuple[str, ...] | None = _option(
    None, "Layers that the server aggregates (--method=lg_fedavg); the paper's by default."
  )
  proximal_strength: float | None = _option(
    None, 'mu of the proximal term (--method=fedprox); 0.01 by default.'
  )
  rounds: int = _option(100, 'Rounds of the method.')
  warm_start_rounds: int = _option(0, 'FedAvg rounds before the rounds of the method.')
  clients_per_round: int | None = _option(
    None, 'Cohort, m: clients sampled a round; a tenth of the clients by default.'
  )
  client_epochs: int | None = _option(
    None, 'E: how often a client goes through its examples in a round; 1 by default.'
  )
  batch_size: int | None = _option(None, "B: a client's batch; 10 by default.")
  client_learning_rate: float = _option(0.05, "Learning rate of the clients' SGD.")
  client_momentum: float = _option(0.5, "Momentum of the clients' SGD.")
  client_learning_rate_decay: float = _option(
    0.0, 'd: the learning rate of round t, from 0, is divided by 1 + d * t.'
  )
  keep_client_optimizer: bool = _option(
    False, "Keep the client optimiser's state with the client instead of resetting it each round."
  )
  server_learning_rate: float = _option(
    1.0, 'Learning rate of the server; 1 sets the global weights to the mean of the clients.'
  )
  server_momentum: float = _option(0.0, 'Momentum of the server.')
  client_weighting: str | None = _option(
    None, 'How much a client counts in the mean; examples by default.', CLIENT_WEIGHTINGS
  )
  evaluate_every: int = _option(10, 'Rounds between evaluations of all clients.')
  checkpoint_every: int = _option(10, 'Rounds between checkpoints.')
  protocol: str = _option(
    'validation',
    "validation: choose models on validation data; reference: the reference code's choices, "
    'models chosen on test data among them.',
    tuple(PROTOCOLS),
  )
  runtime: str = _option(
    'local',
    "What runs the computations: this process, or TFF's own worker process. The results differ "
    'by the rounding of floats at most.',
    RUNTIMES,
  )
  devices: tuple[str, ...] = _option(
    ('auto',),
    'Devices that clients run on (--runtime=local): auto for all GPUs, else the CPU; cpu; or '
    'names such as gpu:0,gpu:1.',
  )
  clients_per_device: int | None = _option(
    None,
    'Clients that run on a device at the same time (--runtime=local); as many as there are cores '
    'on the CPU and four on a GPU by default.',
  )
  stacked_clients: int = _option(
    1,
    'Clients with equally many examples that are trained in one call (--runtime=local); 0 to '
    'measure whether several are faster. Results differ by the rounding of floats.',
  )
  seed: int = _option(0, 'Of everything random: partition, sampling, initialisation, shuffling.')

  @property
  def total_rounds(self) -> int:
    """Rounds of the warm start and of the method."""
    return self.warm_start_rounds + self.rounds

  @property
  def choices(self) -> Protocol:
    """The protocol's choices."""
    return PROTOCOLS[self.protocol]


def resolve(config: TrainConfig) -> TrainConfig:
  """Fills in the defaults that depend on other choices, and checks everything.

  Args:
    config: as the user gave it.

  Returns:
    The same config without any None that stands for a default, except where only the
    task or the data can tell: `global_layers`, and the clients of a natural partition.

  Raises:
    ConfigError: the first thing that cannot be, in one sentence.
  """
  _check_choices(config)
  _check_contradictions(config)
  protocol, methods = config.choices, (config.method, *(config.baselines or ()))
  only_if = {
    'classes_per_client': (config.partition in (None, 'classes_per_client'), 2),
    'shards_per_client': (config.partition == 'shards', 2),
    'dirichlet_alpha': (config.partition == 'dirichlet', 0.9),
    'proximal_strength': ('fedprox' in methods, 0.01),
    'num_clients': (config.partition != 'natural', 100),
    'client_epochs': (config.method != 'fedsgd', 1),
    'batch_size': (config.method != 'fedsgd', 10),
  }
  defaults = {
    'partition': 'classes_per_client',
    'validation_fraction': protocol.validation_fraction,
    'client_weighting': protocol.client_weighting,
    'baselines': () if config.method == 'local_only' else ('local_only',),
    **{name: default for name, (applies, default) in only_if.items() if applies},
  }
  config = dataclasses.replace(
    config, **{name: value for name, value in defaults.items() if getattr(config, name) is None}
  )
  if config.clients_per_round is None and config.num_clients is not None:
    config = dataclasses.replace(config, clients_per_round=max(config.num_clients // 10, 1))
  _check_ranges(config)
  return config


def as_baseline(config: TrainConfig, method: str) -> TrainConfig:
  """The same budget for another method, without what belongs to the run's own method."""
  return dataclasses.replace(
    config,
    method=method,
    baselines=(),
    rounds=config.total_rounds,
    warm_start_rounds=0,
    global_layers=config.global_layers if method == 'lg_fedavg' else None,
    proximal_strength=config.proximal_strength if method == 'fedprox' else None,
  )


def fast(config: TrainConfig) -> TrainConfig:
  """The same method and options on a few digits: a complete run in seconds."""
  return dataclasses.replace(
    config,
    task='digits',
    data_dir=None,
    partition=None if config.partition == 'natural' else config.partition,
    num_clients=10,
    clients_per_round=2,
    global_layers=None,
    rounds=min(config.rounds, 3),
    warm_start_rounds=min(config.warm_start_rounds, 3),
    evaluate_every=1,
    checkpoint_every=1,
  )


def _check_choices(config: TrainConfig) -> None:
  for field in dataclasses.fields(config):
    choices, value = field.metadata['choices'], getattr(config, field.name)
    for item in value if isinstance(value, tuple) else (value,):
      if choices and item is not None and item not in choices:
        raise ConfigError(f'--{field.name} is {item}, expected one of {", ".join(choices)}.')


def _check_contradictions(config: TrainConfig) -> None:
  """Refuses flags that another flag makes meaningless."""
  partition = config.partition or 'classes_per_client'
  for name in ('classes_per_client', 'shards_per_client', 'dirichlet_alpha'):
    needed = {'shards_per_client': 'shards', 'dirichlet_alpha': 'dirichlet'}.get(name, name)
    if getattr(config, name) is not None and partition != needed:
      raise ConfigError(
        f'--{name} is given, but --partition is {partition}: it belongs to --partition={needed}.'
      )
  methods = (config.method, *(config.baselines or ()))
  for name, method in (('global_layers', 'lg_fedavg'), ('proximal_strength', 'fedprox')):
    if getattr(config, name) is not None and method not in methods:
      raise ConfigError(
        f'--{name} is given, but --method is {config.method}: it belongs to --method={method}.'
      )
  conflicts = (
    (
      config.warm_start_rounds and config.method in ('fedavg', 'local_only'),
      f'--warm_start_rounds is {config.warm_start_rounds}, but --method={config.method} has no '
      'warm start: use --rounds.',
    ),
    (
      config.method == 'fedsgd' and (config.client_epochs or config.batch_size),
      '--client_epochs and --batch_size do not fit --method=fedsgd: each client sends one '
      'gradient over all of its examples.',
    ),
    (
      'fedsgd' in methods and config.client_learning_rate_decay,
      "--client_learning_rate_decay does not fit fedsgd: its steps are the server's.",
    ),
    (
      config.method == 'fedsgd' and (config.server_learning_rate != 1 or config.server_momentum),
      '--server_learning_rate and --server_momentum do not fit --method=fedsgd: its steps are '
      'set by --client_learning_rate and --client_momentum.',
    ),
    (
      partition == 'natural' and config.num_clients is not None,
      '--num_clients is given, but --partition=natural takes the clients from the data.',
    ),
    (
      config.task == 'digits' and config.data_dir is not None,
      '--data_dir is given, but --task=digits is embedded and reads no files.',
    ),
    (
      config.task == 'arrays' and config.data_dir is None,
      '--task=arrays needs --data_dir, the folder with train.npz.',
    ),
    (
      config.protocol == 'reference' and config.client_weighting not in (None, 'uniform'),
      f'--protocol=reference averages uniformly, but --client_weighting is '
      f'{config.client_weighting}.',
    ),
    (
      config.runtime == 'tff'
      and (config.devices != ('auto',) or config.clients_per_device or config.stacked_clients != 1),
      '--devices, --clients_per_device and --stacked_clients belong to --runtime=local: '
      "TFF's own runtime knows none of them.",
    ),
    (
      config.method in (config.baselines or ()),
      f'--baselines names {config.method}, which is the --method itself.',
    ),
  )
  for found, sentence in conflicts:
    if found:
      raise ConfigError(sentence)


def _check_ranges(config: TrainConfig) -> None:
  positive = (
    'num_clients classes_per_client shards_per_client dirichlet_alpha rounds clients_per_round '
    'clients_per_device client_epochs batch_size client_learning_rate server_learning_rate '
    'evaluate_every checkpoint_every'
  )
  not_negative = (
    'warm_start_rounds client_learning_rate_decay proximal_strength client_momentum '
    'server_momentum stacked_clients seed'
  )
  for names, allowed, expected in (
    (positive, lambda value: value > 0, 'more than 0'),
    (not_negative, lambda value: value >= 0, '0 or more'),
    ('client_momentum server_momentum validation_fraction', lambda v: 0 <= v < 1, 'in [0, 1)'),
  ):
    for name in names.split():
      value = getattr(config, name)
      if value is not None and not allowed(value):
        raise ConfigError(f'--{name} is {value}, expected {expected}.')
  if config.num_clients is not None and config.clients_per_round > config.num_clients:
    raise ConfigError(
      f'--clients_per_round is {config.clients_per_round}, expected at most --num_clients, '
      f'{config.num_clients}.'
    )
  if config.choices.choose_by == 'validation' and config.validation_fraction == 0:
    raise ConfigError(
      '--validation_fraction is 0, but --protocol=validation chooses models on validation data.'
    )
