"""Options of the task of visual question answering: its questions and answers."""

import dataclasses
from typing import Any

from tff_lg.config.option import ConfigError, check_belongs, option

TASK = 'vqa'


@dataclasses.dataclass(frozen=True)
class VqaOptions:
  """Options of --task=vqa; None stands for a default. Others are those of text and embeddings."""

  num_answers: int | None = option(
    None,
    'Answers known, those that annotators of training questions gave most often (--task=vqa); '
    '1000 by default, all of an --answers_file.',
  )
  answers_file: str | None = option(
    None,
    'File with the answers to choose from, one a line (--task=vqa); those of training questions by '
    'default. A public list keeps the answers of a private run (--aggregator=dp_mean) independent '
    'of the private questions.',
    is_path=True,
  )
  max_questions: int | None = option(
    None,
    'Training questions at most, drawn at random, with the same share of the test questions '
    '(--task=vqa); all by default.',
  )


def defaults(task: str, data_dir: str | None, answers_file: str | None) -> dict[str, Any]:
  """What options that are None stand for, by name, where they apply.

  Sizes with files are those of Antol et al. 2015, section 4; generated questions are shorter and
  need a smaller network.
  """
  if task != TASK:
    return {}
  if data_dir is None:
    sizes = {
      'sequence_length': 8,
      'embedding_units': 32,
      'lstm_units': (64, 64),
      'hidden_units': (128, 128, 128),
    }
  else:
    sizes = {
      'sequence_length': 14,
      'embedding_units': 300,
      'lstm_units': (512, 512),
      'hidden_units': (1024, 1024, 1000),
    }
  return sizes if answers_file is not None else {'num_answers': 1000, **sizes}


def fast(task: str) -> dict[str, Any]:
  """Every option for a run in seconds on generated questions."""
  if task != TASK:
    return {field.name: None for field in dataclasses.fields(VqaOptions)}
  return {
    'num_answers': None,
    'answers_file': None,
    'max_questions': 1000,
    'embedding_units': 8,
    'lstm_units': (8, 8),
    'hidden_units': (16, 16, 16),
  }


def check(config: Any, partition: str) -> None:
  """Refuses options that contradict each other or the task.

  Args:
    config: a `TrainConfig`, as the user gave it.
    partition: the partition's name.

  Raises:
    ConfigError: the first of them.
  """
  names = [field.name for field in dataclasses.fields(VqaOptions)]
  check_belongs(config, names, 'task', config.task, (TASK,))
  for name in ('num_answers', 'max_questions'):
    value = getattr(config, name)
    if value is not None and value < 1:
      raise ConfigError(f'--{name} is {value}, expected 1 or more.')
  if config.task != TASK:
    return
  conflicts = (
    (
      partition != 'iid',
      f'--partition is {partition}, but --task={TASK} deals pictures with their questions (iid).',
    ),
    (
      (config.data_dir is None) != (config.embeddings is None),
      f'--task={TASK} needs both --data_dir, with questions and answers, and --embeddings, which '
      '`python -m pipelines.embed --source=files` makes of their pictures, or neither.',
    ),
    (
      bool(config.held_out_clients or config.held_out_ids),
      f'--held_out_clients and --held_out_ids do not fit --task={TASK}: its words and answers are '
      'those of all training questions.',
    ),
    (
      config.auxiliary is not None,
      f'--auxiliary is {config.auxiliary}, but --task={TASK} has two channels and no one '
      'representation.',
    ),
    (
      config.hidden_units is not None and len(config.hidden_units) != 3,
      f'--hidden_units has {len(config.hidden_units or ())} numbers, but --task={TASK} needs '
      'three, two of each channel and one after their fusion.',
    ),
  )
  for found, sentence in conflicts:
    if found:
      raise ConfigError(sentence)
