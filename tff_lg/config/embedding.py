"""Options of the task on embeddings: its files, its simulated clients and its networks."""

import dataclasses
from typing import Any

from tff_lg.config import mood, vqa
from tff_lg.config.option import ConfigError, check_belongs, option
from tff_lg.data import PARTITIONS

TASK = 'embeddings'
MODELS = ('dense', 'gated', 'cgau_shared', 'cgau_local')


@dataclasses.dataclass(frozen=True)
class EmbeddingOptions:
  """Options of --task=embeddings; None stands for a default."""

  embeddings: str | None = option(
    None,
    'File of `pipelines.embed` (--task=embeddings; for --task=vqa of the pictures).',
    is_path=True,
  )
  clients: str | None = option(
    None,
    'File of `pipelines.simulate_clients` with the client of each embedding, instead of '
    '--partition.',
    is_path=True,
  )
  hidden_units: tuple[int, ...] | None = option(
    None,
    'Units of each hidden layer (--task=embeddings and mood); 64,64 or 512,512 by default. Of '
    '--task=vqa three numbers, for the two dense layers of each channel and the one after their '
    'fusion; 1024,1024,1000 by default.',
  )
  dropout_rate: float | None = option(
    None, 'Dropout after each hidden layer (--task=embeddings); 0.5 by default.'
  )


_BELONGS_TO = {'embeddings': (TASK, vqa.TASK), 'hidden_units': (TASK, mood.TASK, vqa.TASK)}


def defaults(task: str) -> dict[str, Any]:
  """What options that are None stand for, by name, where they apply."""
  if task != TASK:
    return {}
  return {'hidden_units': (64, 64), 'dropout_rate': 0.5}


def without() -> dict[str, Any]:
  """Every option as it is in a run of another task, by name."""
  return {field.name: None for field in dataclasses.fields(EmbeddingOptions)}


def check(
  options: Any,
  task: str,
  partition: str,
  *,
  data_dir: str | None,
  spreads_clients: bool,
) -> None:
  """Refuses options that contradict each other or the task.

  Args:
    options: as the user gave them.
    task: the task's name.
    partition: the partition's name.
    data_dir: as the user gave it.
    spreads_clients: whether the user says how examples are spread over clients.

  Raises:
    ConfigError: the first of them.
  """
  for name in ('embeddings', 'clients', 'hidden_units', 'dropout_rate'):
    check_belongs(options, (name,), 'task', task, _BELONGS_TO.get(name, (TASK,)))
  conflicts = (
    (
      task == TASK and options.embeddings is None,
      f'--task={TASK} needs --embeddings, a file that `python -m pipelines.embed` makes.',
    ),
    (
      task == TASK and data_dir is not None,
      f'--data_dir is given, but --task={TASK} reads only --embeddings.',
    ),
    (
      PARTITIONS[partition].build is None and task != TASK,
      f'--partition={partition} is for --task={TASK}, but --task is {task}: embed the data first, '
      'with `python -m pipelines.embed`.',
    ),
    (
      task == TASK and partition not in ('clusters', 'iid'),
      f'--partition is {partition}, but --task={TASK} spreads examples by clusters or iid.',
    ),
    (
      options.clients is not None and (spreads_clients or options.shuffled_share is not None),
      '--clients names the client of each example, so --partition, --num_clients and '
      '--shuffled_share do not fit it.',
    ),
    (
      any(units < 1 for units in options.hidden_units or ()),
      f'--hidden_units has {min(options.hidden_units or (0,))}, expected more than 0.',
    ),
  )
  for found, sentence in conflicts:
    if found:
      raise ConfigError(sentence)
