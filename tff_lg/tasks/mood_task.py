"""The task `mood`: the mood at a text, of five, by a Bi-LSTM."""

import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data, models
from tff_lg.config.option import resolved
from tff_lg.tasks import held_out, text_task


def load_data(config: config_lib.TrainConfig, seed: int) -> data.FederatedData:
  """Loads the scored texts of each user, a client each.

  Args:
    config: resolved; without `data_dir` the generated corpus is taken.
    seed: of the split.

  Returns:
    The clients' data, see `data.load_mood`; held-out clients are chosen.

  Raises:
    data.DataError: the file is missing or damaged.
  """
  corpus = {} if config.device_variance is None else {'device_variance': config.device_variance}
  return data.load_mood(
    config.data_dir,
    sequence_length=resolved(config.sequence_length),
    vocabulary_size=config.vocabulary_size,
    known_words=text_task.public_vocabulary(config),
    score_range=config.score_range,
    validation_fraction=resolved(config.validation_fraction),
    choose_held_out=held_out.choose_by(config),
    seed=seed,
    **corpus,
  )


def build_keras_model(
  config: config_lib.TrainConfig, federated_data: data.FederatedData, seed: int
) -> tf.keras.Model:
  """Builds the Bi-LSTM for the data's vocabulary and longest text."""
  return models.build_bilstm(
    len(federated_data.vocabulary),
    federated_data.test.x.shape[1],
    federated_data.num_classes,
    embedding_units=resolved(config.embedding_units),
    bilstm_units=resolved(config.bilstm_units),
    hidden_units=resolved(config.hidden_units),
    seed=seed,
  )


def global_layers(config: config_lib.TrainConfig) -> tuple[str, ...]:
  """The dense layers: what a user's words mean is local."""
  return (
    *(f'hidden_{number}' for number, _ in enumerate(resolved(config.hidden_units), 1)),
    'output',
  )
