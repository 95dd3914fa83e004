"""The choices of a new-device run, one field each; `pipelines.new_device` has them as flags."""

import dataclasses

from tff_lg import tasks
from tff_lg.aggregators import PLAIN_MEAN
from tff_lg.config import optimization, own_models
from tff_lg.config.option import ConfigError, check_values, option
from tff_lg.config.train_config import TrainConfig

TRANSFORMS = ('rotate90', 'rotate180', 'invert', 'shift_colours', 'shift_features')


@dataclasses.dataclass(frozen=True)
class NewDeviceConfig(own_models.OwnModelOptions):
  """The choices of a run; those of own models are for the model that the new device trains alone.

  Raises:
    ConfigError: the first choice that cannot be, in one sentence.
  """

  from_run: tuple[str, ...] = option(
    (),
    'Folders of finished federated runs of `pipelines.train`, separated by commas; training '
    'continues from the last round of each.',
    is_path=True,
  )
  data_dir: str | None = option(
    None,
    "Folder with the source runs' data, where they have moved; for --task=embeddings the folder "
    'with its files.',
    is_path=True,
  )
  transform: str = option(
    'rotate90',
    "Transformation of the new device's examples. rotate90 turns images by 90 degrees "
    'counter-clockwise, rotate180 by 180; invert makes dark pixels bright; shift_colours moves '
    'each colour channel to the next; shift_features adds 1 to features of vectors.',
    TRANSFORMS,
  )
  old_clients_share: tuple[float, ...] = option(
    (0.0, 0.1),
    'C: share of the old devices, drawn at random, that takes part in each round beside the new '
    'one; each share is a separate run.',
  )
  train_examples: int = option(
    3000, 'Training examples of the new device, drawn from those of all clients of the source run.'
  )
  test_examples: int = option(
    500, "Test examples of the new device, drawn from the source run's whole test set."
  )
  rounds: int = option(500, 'Rounds; the new device takes part in each.')
  evaluate_every: int = option(10, 'Rounds between evaluations of all devices.')
  checkpoint_every: int = option(10, 'Rounds between checkpoints.')
  seed: int = option(
    0, "Seed of the new device's examples, the sampling of old devices and the order of examples."
  )

  def __post_init__(self) -> None:
    check_values(self)
    own_models.check(self)
    for name in 'train_examples test_examples rounds evaluate_every checkpoint_every'.split():
      if getattr(self, name) < 1:
        raise ConfigError(f'--{name} is {getattr(self, name)}, expected more than 0.')
    if self.seed < 0:
      raise ConfigError(f'--seed is {self.seed}, expected 0 or more.')
    shares = self.old_clients_share
    if not shares or len(set(shares)) < len(shares) or not all(0 <= c <= 1 for c in shares):
      raise ConfigError(
        f'--old_clients_share is {",".join(map(str, shares)) or "empty"}, expected one or more '
        'different numbers in [0, 1].'
      )
    if len(set(self.from_run)) < len(self.from_run):
      raise ConfigError(f'--from_run is {",".join(self.from_run)}, expected each folder once.')


def check_new_device(from_run: str, source: TrainConfig) -> None:
  """Refuses source runs that no new device can join.

  Args:
    from_run: folder of the run.
    source: its config, resolved.

  Raises:
    ConfigError: one sentence.
  """
  for name, expected in (('aggregator', PLAIN_MEAN), ('attack', None)):
    if getattr(source, name) != expected:
      raise ConfigError(
        f'--from_run={from_run} has --{name}={getattr(source, name)}, expected a run with the mean '
        'and without attack: a round may have the new device alone.'
      )
  if tasks.TASKS[source.task].reads_when_needed:
    raise ConfigError(
      f'--from_run={from_run} is a run of --task={source.task}, expected one whose clients are all '
      'in memory: load them with --task=arrays.'
    )
  if optimization.needs_num_rounds(source):
    raise ConfigError(
      f'--from_run={from_run} has learning rates that end with its rounds (--client_schedule, '
      '--server_schedule): expected a run whose training can continue.'
    )
  if tasks.find_network(source.task, source.model).conditioning == 'shared':
    raise ConfigError(
      f'--from_run={from_run} has --model={source.model}, with shifts for each client it knows: '
      'expected a model that a new client can have, such as cgau_local.'
    )


def fast_new_device(config: NewDeviceConfig) -> NewDeviceConfig:
  """Returns a config of three rounds, a device with few examples, and few epochs of its own."""
  return dataclasses.replace(
    config,
    train_examples=min(config.train_examples, 100),
    test_examples=min(config.test_examples, 50),
    rounds=min(config.rounds, 3),
    evaluate_every=1,
    checkpoint_every=1,
    local_only_epochs=config.local_only_epochs or 3,
    local_only_learning_rate=config.local_only_learning_rate or (0.1,),
  )
