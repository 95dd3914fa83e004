"""The tasks `text` and `chars`: the next word or character of each user's text, by LSTMs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import data, entries
from tff_lg.tasks import shared, task

if TYPE_CHECKING:
  import tensorflow as tf

SOURCES = ('files', 'tff_shakespeare', 'tff_stackoverflow')
VOCABULARY = task.Derived(
  'vocabulary', 'vocabulary_file', 'The vocabulary, which sets the size of the network,'
)


_TEST_FRACTION = {'test_fraction': 0.1}


def default_size(config: Any) -> Mapping[str, Any]:
  """Returns the size of a vocabulary that no file gives."""
  return (
    {}
    if config.vocabulary_file is not None
    else {'vocabulary_size': shared.DEFAULT_VOCABULARY_SIZE}
  )


@attrs.frozen(kw_only=True)
class _Options:
  """Options of both tasks."""

  text_source: str | None = entries.option(
    None,
    'Where text comes from: the files of --data_dir, or a data set that TFF downloads and keeps in '
    '--data_dir',
    choices=SOURCES,
    by_default='files',
    more='Stack Overflow is large: use --max_users.',
  )
  text_columns: tuple[str, ...] | None = entries.option(
    None,
    'Columns of users, of texts and, if the posts have them, of times in CSV or Parquet files, '
    'separated by commas',
    by_default='author,body and, if there is one, created_utc',
  )
  max_users: int | None = entries.option(
    None,
    'Largest number of users, drawn at random from those with --min_lines',
    shared.AT_LEAST_1,
    by_default='all',
  )
  vocabulary_file: str | None = shared.vocabulary_file()
  min_lines: int = entries.option(2, 'Users with fewer lines are left out', shared.AT_LEAST_2)
  max_lines: int | None = entries.option(
    None, 'Users with more lines are left out', shared.AT_LEAST_2, by_default='nobody is left out'
  )
  test_fraction: float | None = shared.test_fraction()
  tied_embeddings: bool = entries.option(
    False, 'Whether input and output share one matrix', by_default='no'
  )
  dropout_rate: float = shared.dropout_rate(0.0)


@attrs.frozen(kw_only=True)
class Words(_Options):
  """Options of next words."""

  vocabulary_size: int | None = shared.vocabulary_size()
  sequence_length: int = shared.sequence_length(20)
  embedding_units: int = shared.embedding_units(200)
  lstm_units: tuple[int, ...] = shared.lstm_units((200, 200))


@attrs.frozen(kw_only=True)
class Characters(_Options):
  """Options of next characters."""

  sequence_length: int = shared.sequence_length(80)
  embedding_units: int = shared.embedding_units(8)
  lstm_units: tuple[int, ...] = shared.lstm_units((256, 256))


def users_are_clients(config: Any, what: str = 'sequences') -> Iterator[str]:
  """Says which partitions do not fit a task whose users are its clients."""
  partition = config.partition
  if partition is not None and not data.PARTITIONS[partition].is_natural:
    yield (
      f'--partition is {partition}, but --task={config.task} makes each user a client, with its '
      f'own {what} (natural) or shuffled ones (natural_iid).'
    )


def _check(config: Any) -> Iterator[str]:
  yield from users_are_clients(config)
  columns = config.text_columns
  if columns is not None and not (len(set(columns)) == len(columns) in (2, 3)):
    yield (
      f'--text_columns has {",".join(columns) or "no name"}, expected two or three different names.'
    )
  if columns is not None and (config.data_dir is None or config.text_source not in (None, 'files')):
    yield '--text_columns names columns of a table: give the table by --data_dir.'
  least, most = config.min_lines, config.max_lines
  if most is not None and most < (2 if least is None else least):
    yield f'--max_lines is {most}, expected --min_lines={2 if least is None else least} or more.'
  fields = attrs.fields_dict(task.TASKS[config.task].options)
  units, layers = (
    fields[name].default if getattr(config, name) is None else getattr(config, name)
    for name in ('embedding_units', 'lstm_units')
  )
  if config.tied_embeddings and layers and layers[-1] != units:
    yield (
      f'--tied_embeddings shares one matrix, but --embedding_units is {units} and the last of '
      f'--lstm_units {layers[-1]}: expected the same.'
    )


def read_vocabulary(
  path: str | None, tokenize: Callable[[str], list[str]], size: int | None
) -> tuple[str, ...] | None:
  """Reads the tokens that a list makes known; None without a list.

  Raises:
    data.DataError: the file is missing or damaged.
  """
  return None if path is None else data.vocabulary.read_vocabulary(path, tokenize, size)


def _look_at_files(options: Any, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes, public_list, text_files  # They import NumPy.

  if data_dir is not None:
    patterns = {f'*.{end}{packed}': 'json' for end in ('json', 'jsonl') for packed in ('', '.gz')}
    has_table = text_files.is_table(data_dir)
    first_bytes.check_files(data_dir, patterns, None if has_table else 'json')
    if options.text_source is None:  # Which has files of its own.
      text_files.check_files(data_dir, options.text_columns or ())
  if options.vocabulary_file is not None:
    public_list.read_list(options.vocabulary_file)


def _load(
  options: Any, setting: task.Setting, tokenize: Callable[[str], list[str]], size: int | None
) -> data.FederatedData:
  return data.load_text(
    setting.data_dir,
    source=options.text_source or 'files',
    columns=options.text_columns or (),
    tokenize=tokenize,
    sequence_length=options.sequence_length,
    vocabulary_size=size,
    known_tokens=read_vocabulary(options.vocabulary_file, tokenize, size),
    min_lines=options.min_lines,
    max_lines=options.max_lines,
    test_fraction=options.test_fraction,
    max_users=options.max_users,
    validation_fraction=setting.validation_fraction,
    choose_held_out=setting.choose_held_out,
    seed=setting.seed,
  )


def _load_words(options: Words, setting: task.Setting) -> data.FederatedData:
  return _load(options, setting, data.vocabulary.words, options.vocabulary_size)


def _load_characters(options: Characters, setting: task.Setting) -> data.FederatedData:
  return _load(options, setting, data.vocabulary.characters, None)


def _build_network(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models  # It imports TensorFlow.

  del options
  sizes = setting.task_options
  return models.build_lstm(
    setting.data.num_classes,
    sizes.sequence_length,
    embedding_units=sizes.embedding_units,
    lstm_units=sizes.lstm_units,
    tied=sizes.tied_embeddings,
    dropout_rate=sizes.dropout_rate,
    seed=setting.seed,
  )


def _global_layers(options: Any, task_options: Any) -> tuple[str, ...]:
  """Returns the last LSTM layer and the output, which is the embedding where they are tied."""
  del options
  output = 'embedding' if task_options.tied_embeddings else 'output'
  return f'lstm_{len(task_options.lstm_units)}', output


def _fast(config: Any) -> Mapping[str, Any]:
  del config
  return {'sequence_length': 10, 'embedding_units': 16, 'lstm_units': (16, 16)}


_TRAITS: dict[str, Any] = {
  'network': task.NetworkEntry(
    name='lstm', label='LSTMs', build=_build_network, global_layers=_global_layers
  ),
  'data_dir': 'a folder or file with text by user (a small one is generated without it)',
  'partition': 'natural',
  'has_own_metrics': True,
  'has_images': False,
  'has_numbers': False,
  'fits_functions': False,
  'fits_reference': False,
  'derived': (VOCABULARY,),
  'contradictions': _check,
  'look_at_files': _look_at_files,
  'fast': _fast,
}
for _entry in (
  task.TaskEntry(
    name='text',
    label="the next word of each user's text",
    options=Words,
    load_data=_load_words,
    defaults=lambda config: {**default_size(config), **_TEST_FRACTION},
    **_TRAITS,
  ),
  task.TaskEntry(
    name='chars',
    label="the next character of each user's text",
    options=Characters,
    load_data=_load_characters,
    defaults=lambda config: _TEST_FRACTION,
    **_TRAITS,
  ),
):
  task.register(_entry)
