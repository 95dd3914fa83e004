"""Options of the task on data that come split by client and are read when needed."""

import dataclasses

from tff_lg.config.option import ConfigError, option

TASK = 'client_files'
MODELS = ('mlp', 'lenet')


@dataclasses.dataclass(frozen=True)
class ClientFilesOptions:
  """Options of --task=client_files; None stands for a default."""

  num_classes: int | None = option(
    None, 'Number of classes; labels are less than it (--task=client_files).'
  )
  test_fraction: float | None = option(
    None,
    "Part of a client's examples held out for testing, where the data have no split of their own "
    '(--task=client_files); 0.2 by default.',
  )
  example_keys: tuple[str, ...] | None = option(
    None,
    "Names of features and label in an example of TFF's database (--task=client_files), such as "
    'pixels,label; x,y by default.',
  )
  example_shape: tuple[int, ...] | None = option(
    None,
    "Shape of the features of an example of TFF's database (--task=client_files), such as 28,28,1; "
    'all numbers in a row by default.',
  )
  client_cache: int | None = option(
    None,
    'Clients whose data stay in memory once read (--task=client_files), and as many of the next '
    'cohort at most are read ahead; 1000 by default, 0 to read each anew and none ahead.',
  )


def defaults(task: str) -> dict[str, object]:
  """What options that are None stand for, by name, where they apply."""
  if task != TASK:
    return {}
  return {'test_fraction': 0.2, 'client_cache': 1000}


def without() -> dict[str, object]:
  """Every option for another task."""
  return {field.name: None for field in dataclasses.fields(ClientFilesOptions)}


def check(
  options: ClientFilesOptions,
  task: str,
  partition: str,
  *,
  data_dir: str | None,
  protocol: str,
  attack: str | None,
) -> None:
  """Refuses options that contradict each other or the task.

  Args:
    options: as the user gave them.
    task: the task's name.
    partition: the partition's name.
    data_dir: as the user gave it.
    protocol: the protocol's name.
    attack: the attack's name, if there is one.

  Raises:
    ConfigError: the first of them.
  """
  if task != TASK:
    for name in without():
      if getattr(options, name) is not None:
        raise ConfigError(f'--{name} is given, but --task is {task}: it belongs to --task={TASK}.')
    return
  keys, shape, cache = options.example_keys, options.example_shape, options.client_cache
  conflicts = (
    (
      data_dir is None,
      f"--task={TASK} needs --data_dir, a folder with an npz file a client or TFF's database file.",
    ),
    (options.num_classes is None, f'--task={TASK} needs --num_classes.'),
    (
      (options.num_classes or 2) < 2,
      f'--num_classes is {options.num_classes}, expected 2 or more.',
    ),
    (
      partition != 'natural',
      f'--partition is {partition}, but --task={TASK} has data that are split by client: natural.',
    ),
    (
      protocol != 'validation',
      f'--protocol={protocol} is of the LG-FedAvg reference code and does not fit --task={TASK}.',
    ),
    (
      attack is not None,
      f'--attack is {attack}, but with --task={TASK} data are read when needed and cannot be '
      'poisoned: load them with --task=arrays.',
    ),
    (
      not 0 <= (options.test_fraction or 0) < 1,
      f'--test_fraction is {options.test_fraction}, expected in [0, 1).',
    ),
    (
      keys is not None and len(keys) != 2,
      f'--example_keys is {",".join(keys or ())}, expected two names, such as pixels,label.',
    ),
    (
      shape is not None and min(shape, default=0) < 1,
      f'--example_shape is {",".join(map(str, shape or ()))}, expected sizes such as 28,28,1.',
    ),
    (cache is not None and cache < 0, f'--client_cache is {cache}, expected 0 or more.'),
  )
  for found, sentence in conflicts:
    if found:
      raise ConfigError(sentence)
