"""The task `vqa`: questions about pictures, by a network of two channels."""

import re

import numpy as np
import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data, embeddings, models
from tff_lg.config.option import resolved
from tff_lg.tasks import text_task


def load_data(config: config_lib.TrainConfig, seed: int) -> data.FederatedData:
  """Loads questions, answers and features of pictures, and deals pictures to clients.

  Args:
    config: resolved; without `data_dir` shapes are generated.
    seed: of the deal.

  Returns:
    The clients' data, see `data.load_vqa`.

  Raises:
    data.DataError, embeddings.EmbeddingError: files missing or damaged, or questions about
      pictures that are not among `config.embeddings`.
  """
  return data.load_vqa(
    config.data_dir,
    None if config.embeddings is None else _load_features(config.embeddings),
    num_clients=resolved(config.num_clients),
    sequence_length=resolved(config.sequence_length),
    vocabulary_size=config.vocabulary_size,
    num_answers=config.num_answers,
    known_words=text_task.public_vocabulary(config),
    known_answers=None
    if config.answers_file is None
    else data.vqa_answers.read_answers(config.answers_file),
    max_questions=config.max_questions,
    validation_fraction=resolved(config.validation_fraction),
    seed=seed,
  )


def _load_features(path: str) -> data.PictureFeatures:
  """Features by the last number in a picture's name, as in COCO_train2014_000000000009.jpg."""
  embedded = embeddings.EmbeddingSet.load(path)
  found = [re.findall(r'\d+', name.rpartition('.')[0] or name) for name in embedded.ids]
  if not all(found):
    name = next(name for name, numbers in zip(embedded.ids, found, strict=True) if not numbers)
    raise embeddings.EmbeddingError(
      f'--embeddings={path}: the picture {name} has no number in its name, expected the image_id '
      'of its questions at the end.'
    )
  numbers = np.array([int(numbers[-1]) for numbers in found], np.int64)
  values, counts = np.unique(numbers, return_counts=True)
  if len(values) < len(numbers):
    raise embeddings.EmbeddingError(
      f'--embeddings={path}: two pictures have the number {values[counts.argmax()]}.'
    )
  return data.PictureFeatures(numbers, embedded.x, f'--embeddings={path}')


def build_keras_model(
  config: config_lib.TrainConfig, federated_data: data.FederatedData, seed: int
) -> tf.keras.Model:
  """Builds the network for the data's words and answers."""
  length = resolved(config.sequence_length)
  return models.build_vqa(
    federated_data.test.x.shape[1] - length,
    length,
    len(federated_data.vocabulary),
    federated_data.num_classes,
    embedding_units=resolved(config.embedding_units),
    lstm_units=resolved(config.lstm_units),
    hidden_units=resolved(config.hidden_units),
    seed=seed,
  )


def global_layers(config: config_lib.TrainConfig) -> tuple[str, ...]:
  """All layers but the encoders of pictures and questions."""
  del config
  return models.VQA_GLOBAL_LAYERS
