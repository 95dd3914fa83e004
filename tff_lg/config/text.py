"""Options of the tasks on text: their sequences and their network."""

import dataclasses
from typing import Any

from tff_lg.config import mood, vqa
from tff_lg.config.option import ConfigError, check_belongs, option
from tff_lg.config.partition import NATURAL

TASKS = ('text', 'chars')
SOURCES = ('files', 'tff_shakespeare', 'tff_stackoverflow')


@dataclasses.dataclass(frozen=True)
class TextOptions:
  """Options of --task=text and chars; None stands for a default that depends on the task."""

  text_source: str | None = option(
    None,
    'Where text comes from (--task=text and chars): files, those of --data_dir, by default; or a '
    'data set that TFF downloads and keeps in --data_dir. Stack Overflow is large: --max_users.',
    SOURCES,
  )
  max_users: int | None = option(
    None,
    'Users at most, drawn at random from those with --min_lines (--task=text and chars); all by '
    'default.',
  )
  vocabulary_size: int | None = option(
    None,
    'V: most frequent words of the training text that are known, padding, unknown and end of '
    'line counted (--task=text, mood and vqa); 10,000 by default, all of a --vocabulary_file.',
  )
  vocabulary_file: str | None = option(
    None,
    'File with the words (--task=text, mood and vqa) or characters (--task=chars) that are known, '
    'one a line; those of the training text by default. A public list keeps the vocabulary of a '
    'private run (--aggregator=dp_mean) independent of the private text.',
    is_path=True,
  )
  sequence_length: int | None = option(
    None,
    'T: tokens in a sequence; 20 words (--task=text), 80 characters (chars), the first 30 words of '
    'a text (mood) or 14 of a question (vqa) by default.',
  )
  min_lines: int | None = option(
    None, 'Users with fewer lines are left out (--task=text and chars); 2 by default.'
  )
  embedding_units: int | None = option(
    None,
    'Size of an embedded token (--task=text, chars, mood, vqa); 200, 8, 100 or 300 by default.',
  )
  lstm_units: tuple[int, ...] | None = option(
    None,
    'Units of each LSTM layer (--task=text, chars, vqa); 200,200, 256,256 or 512,512 by default.',
  )
  tied_embeddings: bool | None = option(
    None, 'Whether input and output share one matrix (--task=text and chars); no by default.'
  )


_BELONGS_TO = {
  'vocabulary_size': ('text', mood.TASK, vqa.TASK),
  'vocabulary_file': (*TASKS, mood.TASK, vqa.TASK),
  'sequence_length': (*TASKS, mood.TASK, vqa.TASK),
  'embedding_units': (*TASKS, mood.TASK, vqa.TASK),
  'lstm_units': (*TASKS, vqa.TASK),
}
_DEFAULTS: dict[str, dict[str, Any]] = {
  'text': {
    'sequence_length': 20,
    'embedding_units': 200,
    'lstm_units': (200, 200),
  },
  'chars': {'sequence_length': 80, 'embedding_units': 8, 'lstm_units': (256, 256)},
}


def defaults(task: str, vocabulary_file: str | None) -> dict[str, Any]:
  """What options that are None stand for, by name, where they apply."""
  has_size = task in _BELONGS_TO['vocabulary_size'] and vocabulary_file is None
  size: dict[str, Any] = {'vocabulary_size': 10_000} if has_size else {}
  if task not in TASKS:
    return size
  return {'min_lines': 2, 'tied_embeddings': False, **size, **_DEFAULTS[task]}


def fast(task: str) -> dict[str, Any]:
  """Every option for a run in seconds."""
  options: dict[str, Any] = {field.name: None for field in dataclasses.fields(TextOptions)}
  if task in TASKS:
    options.update(sequence_length=10, embedding_units=16, lstm_units=(16, 16))
  return options


def check(options: TextOptions, task: str, partition: str) -> None:
  """Refuses options that contradict each other or the task.

  Args:
    options: as the user gave them.
    task: the task's name.
    partition: the partition's name.

  Raises:
    ConfigError: the first of them.
  """
  for field in dataclasses.fields(TextOptions):
    check_belongs(options, (field.name,), 'task', task, _BELONGS_TO.get(field.name, TASKS))
  if task in TASKS and partition not in NATURAL:
    raise ConfigError(
      f'--partition is {partition}, but --task={task} makes each user a client, with its own '
      'sequences (natural) or shuffled ones (natural_iid).'
    )
  for name, least in {
    'vocabulary_size': 4,
    'sequence_length': 1,
    'min_lines': 2,
    'max_users': 1,
    'embedding_units': 1,
  }.items():
    value = getattr(options, name)
    if value is not None and value < least:
      raise ConfigError(f'--{name} is {value}, expected {least} or more.')
  if options.lstm_units is not None and (not options.lstm_units or min(options.lstm_units) < 1):
    raise ConfigError(
      f'--lstm_units is {",".join(map(str, options.lstm_units)) or "empty"}, expected at least '
      'one layer, each of 1 unit or more.'
    )
  if task not in TASKS:
    return
  chosen = defaults(task, options.vocabulary_file)
  chosen.update({n: getattr(options, n) for n in chosen if getattr(options, n) is not None})
  if chosen['tied_embeddings'] and chosen['lstm_units'][-1] != chosen['embedding_units']:
    raise ConfigError(
      f'--tied_embeddings shares one matrix, but --embedding_units is {chosen["embedding_units"]} '
      f'and the last of --lstm_units {chosen["lstm_units"][-1]}: expected the same.'
    )
