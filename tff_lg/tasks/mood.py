"""The task `mood`: the mood at a text, of five, by a Bi-LSTM."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import data, entries, option_check
from tff_lg.tasks import shared, task, text

if TYPE_CHECKING:
  import tensorflow as tf


@attrs.frozen(kw_only=True)
class Options:
  """Options of mood. Sizes are those of the paper."""

  vocabulary_size: int | None = shared.vocabulary_size()
  vocabulary_file: str | None = shared.vocabulary_file()
  sequence_length: int = shared.sequence_length(30)
  embedding_units: int = shared.embedding_units(100)
  bilstm_units: int = entries.option(128, 'Units of the LSTM of each direction', shared.AT_LEAST_1)
  hidden_units: tuple[int, ...] = shared.hidden_units((512, 512))
  score_range: tuple[float, ...] | None = entries.option(
    None,
    'Least and greatest score, such as 0,100, between which the five classes are equally wide',
    by_default='those of the training examples',
    more='In a private run (--aggregator=dp_mean) these are private themselves.',
  )
  device_variance: float | None = entries.option(
    None,
    "Share of the variance of a word's mood that is between users, in [0, 1], in the generated "
    'corpus (without --data_dir)',
    option_check.SHARE,
    by_default='0.25',
  )


def _defaults(config: Any) -> Mapping[str, Any]:
  variance = {'device_variance': 0.25} if config.data_dir is None else {}
  return {**text.default_size(config), **variance}


def _fast(config: Any) -> Mapping[str, Any]:
  return {
    'device_variance': config.device_variance,
    'sequence_length': 12,
    'embedding_units': 8,
    'bilstm_units': 8,
    'hidden_units': (16, 16),
  }


def _check(config: Any) -> Iterator[str]:
  yield from text.users_are_clients(config, 'texts')
  if config.device_variance is not None and config.data_dir is not None:
    yield '--device_variance belongs to the generated corpus, but --data_dir names other texts.'
  limits = config.score_range
  if limits is not None and not (
    len(limits) == 2 and all(map(math.isfinite, limits)) and limits[0] < limits[1]
  ):
    yield (
      f'--score_range is {",".join(map(str, limits))}, expected two numbers, the lesser first, '
      'such as 0,100.'
    )


def _look_at_files(options: Options, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes, mood_files, public_list  # They import NumPy.

  if data_dir is not None:
    first_bytes.check_files(data_dir, {})
    mood_files.read_scored_texts(os.path.expanduser(data_dir))
  if options.vocabulary_file is not None:
    public_list.read_list(options.vocabulary_file)


def _load(options: Options, setting: task.Setting) -> data.FederatedData:
  variance = options.device_variance
  corpus = {} if variance is None else {'device_variance': variance}
  words = text.read_vocabulary(
    options.vocabulary_file, data.vocabulary.words, options.vocabulary_size
  )
  return data.load_mood(
    setting.data_dir,
    sequence_length=options.sequence_length,
    vocabulary_size=options.vocabulary_size,
    known_words=words,
    score_range=options.score_range,
    validation_fraction=setting.validation_fraction,
    choose_held_out=setting.choose_held_out,
    seed=setting.seed,
    **corpus,
  )


def _build_network(options: Any, setting: task.NetworkSetting) -> tf.keras.Model:
  from tff_lg import models  # It imports TensorFlow.

  del options
  sizes = setting.task_options
  return models.build_bilstm(
    len(setting.data.vocabulary),
    setting.data.test.x.shape[1],
    setting.data.num_classes,
    embedding_units=sizes.embedding_units,
    bilstm_units=sizes.bilstm_units,
    hidden_units=sizes.hidden_units,
    seed=setting.seed,
  )


def _global_layers(options: Any, task_options: Options) -> tuple[str, ...]:
  """Returns the dense layers: what a user's words mean is local."""
  del options
  numbers = range(1, len(task_options.hidden_units) + 1)
  return (*(f'hidden_{number}' for number in numbers), 'output')


task.register(
  task.TaskEntry(
    name='mood',
    label='the mood at a text, of five',
    options=Options,
    network=task.NetworkEntry(
      name='bilstm', label='Bi-LSTM', build=_build_network, global_layers=_global_layers
    ),
    load_data=_load,
    data_dir='a CSV file of user, text and score, or a folder with mood.csv (generated without it)',
    partition='natural',
    client_fraction=1.0,
    # Users have a handful of validation examples each: too few for a choice of their own.
    selection_metric='loss',
    selection_scope='pooled',
    has_images=False,
    has_numbers=False,
    fits_functions=False,
    fits_reference=False,
    derived=(
      text.VOCABULARY,
      task.Derived(
        'score_bins', 'score_range', 'The range of scores, which the five classes divide,'
      ),
    ),
    defaults=_defaults,
    fast=_fast,
    contradictions=_check,
    look_at_files=_look_at_files,
  )
)
