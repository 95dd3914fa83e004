"""The task `vqa`: questions about pictures, by a network of two channels."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import data, entries
from tff_lg.tasks import shared, task, text

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg import models

_NAME = 'vqa'
# Generated questions are shorter than those of files, and need a smaller network.
_GENERATED = {
  'sequence_length': 8,
  'embedding_units': 32,
  'lstm_units': (64, 64),
  'hidden_units': (128, 128, 128),
}


@attrs.frozen(kw_only=True)
class Options:
  """Options of questions about pictures. Sizes are those of Antol et al. 2015, section 4."""

  num_answers: int | None = entries.option(
    None,
    'Number of known answers, those that annotators of training questions gave most often',
    shared.AT_LEAST_1,
    by_default='1000, all of an --answers_file,',
  )
  answers_file: str | None = entries.option(
    None,
    'File with the answers to choose from, one per line',
    by_default='those of training questions',
    more='A public list keeps the answers of a private run (--aggregator=dp_mean) independent of '
    'the private questions.',
    is_path=True,
  )
  max_questions: int | None = entries.option(
    None,
    'Largest number of training questions, drawn at random, with the same share of the test '
    'questions',
    shared.AT_LEAST_1,
    by_default='all',
  )
  embeddings: str | None = shared.embeddings_file()
  vocabulary_size: int | None = shared.vocabulary_size()
  vocabulary_file: str | None = shared.vocabulary_file()
  sequence_length: int = shared.sequence_length(14)
  embedding_units: int = shared.embedding_units(300)
  lstm_units: tuple[int, ...] = shared.lstm_units((512, 512))
  hidden_units: tuple[int, ...] = shared.hidden_units((1024, 1024, 1000))
  channel_layers: int = entries.option(
    2,
    'Dense layers of each channel above its encoder, 1 or 2',
    more='With one, four layers are global, as published.',
  )


def _defaults(config: Any) -> Mapping[str, Any]:
  sizes = _GENERATED if config.data_dir is None else {}
  answers = {} if config.answers_file is not None else {'num_answers': 1000}
  return {**text.default_size(config), **answers, **sizes}


def _fast(config: Any) -> Mapping[str, Any]:
  del config
  return {
    'max_questions': 1000,
    'embedding_units': 8,
    'lstm_units': (8, 8),
    'hidden_units': (16, 16, 16),
  }


def _check(config: Any) -> Iterator[str]:
  if config.partition not in (None, 'iid', 'dirichlet'):
    yield (
      f'--partition is {config.partition}, but --task={_NAME} deals pictures with their questions, '
      'at random (iid) or by the answers (dirichlet).'
    )
  if config.channel_layers not in (None, 1, 2):
    yield f'--channel_layers is {config.channel_layers}, expected 1 or 2.'
  if (config.data_dir is None) != (config.embeddings is None):
    yield (
      f'--task={_NAME} needs both --data_dir, with questions and answers, and --embeddings, which '
      '`python -m pipelines.embed --source=files` makes of their pictures, or neither.'
    )
  if config.held_out_clients or config.held_out_ids:
    yield (
      f'--held_out_clients and --held_out_ids do not fit --task={_NAME}: its words and answers are '
      'those of all training questions.'
    )
  if config.auxiliary is not None:
    yield (
      f'--auxiliary is {config.auxiliary}, but --task={_NAME} has two channels and no one '
      'representation.'
    )
  if config.hidden_units is not None and len(config.hidden_units) != 3:
    yield (
      f'--hidden_units has {len(config.hidden_units)} numbers, but --task={_NAME} needs three, two '
      'of each channel and one after their fusion.'
    )


def _look_at_files(options: Options, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes, public_list, vqa_files  # They import NumPy.

  if data_dir is not None:
    patterns = {'*_questions.json': 'json', '*_annotations.json': 'json'}
    first_bytes.check_files(data_dir, patterns)
    if os.path.isdir(folder := os.path.expanduser(data_dir)):
      for part in ('train', 'test'):
        vqa_files.find_files(folder, part)
  if options.embeddings is not None:
    first_bytes.check_npz(options.embeddings)
  for path in filter(None, (options.vocabulary_file, options.answers_file)):
    public_list.read_list(path)


def _load(options: Options, setting: task.Setting) -> data.FederatedData:
  """Loads questions, answers and features of pictures, and deals pictures to clients.

  Raises:
    data.DataError, embeddings.EmbeddingError: files missing or damaged, or questions about
      pictures that are not among the embeddings.
  """
  path, size = options.vocabulary_file, options.vocabulary_size
  return data.load_vqa(
    setting.data_dir,
    None if options.embeddings is None else _load_features(options.embeddings),
    num_clients=setting.num_clients or 0,
    sequence_length=options.sequence_length,
    vocabulary_size=size,
    num_answers=options.num_answers,
    known_words=text.read_vocabulary(path, data.vocabulary.words, size),
    known_answers=None
    if options.answers_file is None
    else data.vqa_answers.read_answers(options.answers_file),
    max_questions=options.max_questions,
    dirichlet_alpha=getattr(setting.partition_options, 'dirichlet_alpha', None),
    validation_fraction=setting.validation_fraction,
    seed=setting.seed,
  )


def _load_features(path: str) -> data.PictureFeatures:
  """Returns features by the number that ends a picture's name (COCO_train2014_000000000009.jpg)."""
  import numpy as np

  from tff_lg import embeddings as embeddings_lib

  embedded = embeddings_lib.EmbeddingSet.load(path)
  found = [re.findall(r'\d+', name.rpartition('.')[0] or name) for name in embedded.ids]
  if not all(found):
    name = next(name for name, numbers in zip(embedded.ids, found, strict=True) if not numbers)
    raise embeddings_lib.EmbeddingError(
      f'--embeddings={path}: the picture {name} has no number in its name, expected the image_id '
      'of its questions at the end.'
    )
  numbers = np.array([int(numbers[-1]) for numbers in found], np.int64)
  values, counts = np.unique(numbers, return_counts=True)
  if len(values) < len(numbers):
    raise embeddings_lib.EmbeddingError(
      f'--embeddings={path}: two pictures have the number {values[counts.argmax()]}.'
    )
  return data.PictureFeatures(numbers, embedded.x, f'--embeddings={path}')


def _build_network(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models  # It imports TensorFlow.

  del options
  sizes = setting.task_options
  return models.build_vqa(
    setting.data.test.x.shape[1] - sizes.sequence_length,
    sizes.sequence_length,
    len(setting.data.vocabulary),
    setting.data.num_classes,
    embedding_units=sizes.embedding_units,
    lstm_units=sizes.lstm_units,
    hidden_units=sizes.hidden_units,
    channel_layers=sizes.channel_layers,
    seed=setting.seed,
  )


def _global_layers(options: Any, task_options: Any) -> tuple[str, ...]:
  """Returns all layers but the encoders of pictures and questions."""
  from tff_lg import models

  del options
  absent = ('picture_1', 'question_1') if task_options.channel_layers == 1 else ()
  return tuple(name for name in models.VQA_GLOBAL_LAYERS if name not in absent)


def _wrap(keras_model: tf.keras.Model) -> models.LocalGlobalModel:
  from tff_lg import models

  return models.from_keras_vqa(keras_model)


task.register(
  task.TaskEntry(
    name=_NAME,
    label='answers to questions about pictures',
    options=Options,
    network=task.NetworkEntry(
      name='channels',
      label='two channels',
      build=_build_network,
      global_layers=_global_layers,
      wrap=_wrap,
    ),
    load_data=_load,
    data_dir='the folder with the official JSON files (small data are generated without it)',
    partition='iid',
    has_own_metrics=True,
    has_images=False,
    fits_functions=False,
    fits_reference=False,
    derived=(
      text.VOCABULARY,
      task.Derived(
        'answers', 'answers_file', 'The list of answers, which sets the size of the network,'
      ),
    ),
    defaults=_defaults,
    fast=_fast,
    contradictions=_check,
    look_at_files=_look_at_files,
  )
)
