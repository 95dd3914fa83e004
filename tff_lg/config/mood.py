"""Options of the task on mood: its scores, its generated corpus and its network."""

import dataclasses
import math
from typing import Any

from tff_lg.config.option import ConfigError, check_belongs, option
from tff_lg.config.partition import NATURAL

TASK = 'mood'


@dataclasses.dataclass(frozen=True)
class MoodOptions:
  """Options of --task=mood; None stands for a default. Others are those of text."""

  bilstm_units: int | None = option(
    None, 'Units of the LSTM of each direction (--task=mood); 128 by default.'
  )
  score_range: tuple[float, ...] | None = option(
    None,
    'Least and greatest score, such as 0,100, between which the five classes are equally wide '
    '(--task=mood); those of the training examples by default, which in a private run '
    '(--aggregator=dp_mean) are private themselves.',
  )
  device_variance: float | None = option(
    None,
    "Share of the variance of a word's mood that is between users, in [0, 1], of the generated "
    'corpus (--task=mood without --data_dir); 0.25 by default.',
  )


_DEFAULTS = {
  'sequence_length': 30,
  'embedding_units': 100,
  'bilstm_units': 128,
  'hidden_units': (512, 512),
  # Users have a handful of validation examples each: too few for a choice of their own.
  'selection_metric': 'loss',
  'selection_scope': 'pooled',
}


def defaults(task: str, data_dir: str | None) -> dict[str, Any]:
  """What options that are None stand for, by name, where they apply."""
  if task != TASK:
    return {}
  return {**_DEFAULTS, **({'device_variance': 0.25} if data_dir is None else {})}


def fast(task: str, device_variance: float | None) -> dict[str, Any]:
  """Every option for a run in seconds on the generated corpus."""
  if task != TASK:
    return {field.name: None for field in dataclasses.fields(MoodOptions)}
  return {
    'score_range': None,
    'device_variance': device_variance,
    'sequence_length': 12,
    'embedding_units': 8,
    'bilstm_units': 8,
    'hidden_units': (16, 16),
  }


def check(options: MoodOptions, task: str, partition: str, data_dir: str | None) -> None:
  """Refuses options that contradict each other or the task.

  Args:
    options: as the user gave them.
    task: the task's name.
    partition: the partition's name.
    data_dir: as the user gave it.

  Raises:
    ConfigError: the first of them.
  """
  names = [field.name for field in dataclasses.fields(MoodOptions)]
  check_belongs(options, names, 'task', task, (TASK,))
  limits, variance, units = options.score_range, options.device_variance, options.bilstm_units
  conflicts = (
    (
      task == TASK and partition not in NATURAL,
      f'--partition is {partition}, but --task={TASK} makes each user a client, with its own '
      'texts (natural) or shuffled ones (natural_iid).',
    ),
    (
      variance is not None and data_dir is not None,
      '--device_variance is of the generated corpus, but --data_dir names other texts.',
    ),
    (
      variance is not None and not 0 <= variance <= 1,
      f'--device_variance is {variance}, expected in [0, 1].',
    ),
    (units is not None and units < 1, f'--bilstm_units is {units}, expected 1 or more.'),
    (
      limits is not None
      and not (len(limits) == 2 and all(map(math.isfinite, limits)) and limits[0] < limits[1]),
      f'--score_range is {",".join(map(str, limits or ()))}, expected two numbers, the lesser '
      'first, such as 0,100.',
    ),
  )
  for found, sentence in conflicts:
    if found:
      raise ConfigError(sentence)
