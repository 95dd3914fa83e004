"""The tasks `text` and `chars`: the next word or character of each user's text, by LSTMs."""

import tensorflow as tf

from tff_lg import config as config_lib
from tff_lg import data, models
from tff_lg.config.option import resolved
from tff_lg.tasks import held_out

_TOKENIZERS = {'text': data.vocabulary.words, 'chars': data.vocabulary.characters}


def public_vocabulary(config: config_lib.TrainConfig) -> tuple[str, ...] | None:
  """Reads the tokens that the config's list makes known; None without a list.

  Raises:
    data.DataError: the file is missing or damaged.
  """
  if config.vocabulary_file is None:
    return None
  tokenize = _TOKENIZERS.get(config.task, data.vocabulary.words)
  return data.vocabulary.read_vocabulary(config.vocabulary_file, tokenize, config.vocabulary_size)


def load_data(config: config_lib.TrainConfig, seed: int) -> data.FederatedData:
  """Loads the text of each user, a client each.

  Args:
    config: resolved; without `data_dir` or `text_source` the generated corpus is taken.
    seed: of the draw of `max_users`.

  Returns:
    The clients' data, see `data.load_text`; held-out clients are chosen.

  Raises:
    data.DataError: files missing or damaged, or a failed download.
  """
  return data.load_text(
    config.data_dir,
    source=config.text_source or 'files',
    tokenize=_TOKENIZERS[config.task],
    sequence_length=resolved(config.sequence_length),
    vocabulary_size=config.vocabulary_size,
    known_tokens=public_vocabulary(config),
    min_lines=resolved(config.min_lines),
    max_users=config.max_users,
    validation_fraction=resolved(config.validation_fraction),
    choose_held_out=held_out.choose_by(config),
    seed=seed,
  )


def build_keras_model(
  config: config_lib.TrainConfig, federated_data: data.FederatedData, seed: int
) -> tf.keras.Model:
  """Builds the LSTM for the data's vocabulary."""
  return models.build_lstm(
    federated_data.num_classes,
    resolved(config.sequence_length),
    embedding_units=resolved(config.embedding_units),
    lstm_units=resolved(config.lstm_units),
    tied=resolved(config.tied_embeddings),
    seed=seed,
  )


def global_layers(config: config_lib.TrainConfig) -> tuple[str, ...]:
  """The last LSTM layer and the output, which is the embedding where they are tied."""
  output = 'embedding' if config.tied_embeddings else 'output'
  return (f'lstm_{len(resolved(config.lstm_units))}', output)
