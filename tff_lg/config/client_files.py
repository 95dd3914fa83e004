"""Options of the task on data that come split by client and are read when needed."""

import dataclasses
from typing import Any

from tff_lg.config import table
from tff_lg.config.option import ConfigError, check_belongs, option

TASK = 'client_files'
MODELS = ('mlp', 'lenet')
# Of options that other tasks have, too.
_BELONGS_TO = {'test_fraction': (TASK, table.TASK)}


@dataclasses.dataclass(frozen=True)
class ClientFilesOptions:
  """Options of --task=client_files; None stands for a default."""

  num_classes: int | None = option(
    None,
    'Number of classes; labels are less than it (--task=client_files). How many labels for '
    '--objective=multilabel; not given for regression.',
  )
  test_fraction: float | None = option(
    None,
    "Part of a client's examples held out for testing, where the data have no split of their own "
    '(--task=client_files and table); 0.2 by default.',
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


def defaults(task: str, objective: str | None) -> dict[str, Any]:
  """What options that are None stand for, by name, where they apply."""
  if task != TASK:
    return {}
  number = {'num_classes': 1} if objective == 'regression' else {}
  return {'test_fraction': 0.2, 'client_cache': 1000, **number}


def without() -> dict[str, Any]:
  """Every option for another task."""
  return {field.name: None for field in dataclasses.fields(ClientFilesOptions)}


def check(config: Any, partition: str) -> None:
  """Refuses options that contradict each other or the task.

  Args:
    config: a `TrainConfig`, as the user gave it.
    partition: the partition's name.

  Raises:
    ConfigError: the first of them.
  """
  for name in without():
    check_belongs(config, (name,), 'task', config.task, _BELONGS_TO.get(name, (TASK,)))
  if not 0 <= (config.test_fraction or 0) < 1:
    raise ConfigError(f'--test_fraction is {config.test_fraction}, expected in [0, 1).')
  if config.task != TASK:
    return
  keys, shape, cache = config.example_keys, config.example_shape, config.client_cache
  fewest = {None: 2, 'classification': 2}.get(config.objective, 1)
  conflicts = (
    (
      config.data_dir is None,
      f"--task={TASK} needs --data_dir, a folder with an npz file a client or TFF's database file.",
    ),
    (
      config.num_classes is None and config.objective != 'regression',
      f'--task={TASK} needs --num_classes.',
    ),
    (
      config.num_classes is not None and config.num_classes < fewest,
      f'--num_classes is {config.num_classes}, expected {fewest} or more.',
    ),
    (
      config.objective == 'regression' and config.num_classes not in (None, 1),
      f'--num_classes is {config.num_classes}, but --objective=regression predicts one number.',
    ),
    (
      partition != 'natural',
      f'--partition is {partition}, but --task={TASK} has data that are split by client: natural.',
    ),
    (
      config.protocol != 'validation',
      f'--protocol={config.protocol} is of the LG-FedAvg reference code and does not fit '
      f'--task={TASK}.',
    ),
    (
      config.attack is not None,
      f'--attack is {config.attack}, but with --task={TASK} data are read when needed and cannot '
      'be poisoned: load them with --task=arrays.',
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
