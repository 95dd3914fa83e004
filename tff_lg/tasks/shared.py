"""Options that several tasks have, and what values they may have."""

from typing import Any

import attrs

from tff_lg import entries, option_check


def _at_least(least: int) -> option_check.Check:
  return option_check.Check(lambda value: value >= least, f'{least} or more')


AT_LEAST_1 = _at_least(1)
AT_LEAST_2 = _at_least(2)
# Padding, unknown, end of line, and a word.
_VOCABULARY = _at_least(4)
# Of a vocabulary without a file.
DEFAULT_VOCABULARY_SIZE = 10_000


@attrs.frozen
class Layers(option_check.Check):
  """Sizes of layers, of which there is one at least."""

  def __call__(self, options: Any, attribute: Any, value: Any) -> None:
    """Raises OptionError for no layer, or one that may not be."""
    if value is not None and not (value and all(map(self.allows, value))):
      found = ','.join(map(str, value)) or 'empty'
      raise option_check.OptionError(attribute.name, found, self.expected)


LAYERS = Layers(lambda units: units >= 1, 'at least one layer, each of 1 unit or more')


def vocabulary_size() -> Any:
  """Declares the option of tasks on words."""
  return entries.option(
    None,
    'V: number of known words, the most frequent ones of the training text, with padding, unknown '
    'and end of line',
    _VOCABULARY,
    by_default=f'{DEFAULT_VOCABULARY_SIZE:,}, all of a --vocabulary_file,',
  )


def vocabulary_file() -> Any:
  """Declares the option of tasks on text."""
  return entries.option(
    None,
    'File with the known words, or characters, one per line',
    by_default='those of the training text',
    more='A public list keeps the vocabulary of a private run (--aggregator=dp_mean) independent '
    'of the private text.',
    is_path=True,
  )


def sequence_length(default: int) -> Any:
  """Declares the option of tasks on text."""
  return entries.option(
    default,
    'T: tokens in a sequence, or the first tokens of a text or a question that are read',
    AT_LEAST_1,
  )


def embedding_units(default: int) -> Any:
  """Declares the option of tasks on text."""
  return entries.option(default, 'Size of an embedded token', AT_LEAST_1)


def lstm_units(default: tuple[int, ...]) -> Any:
  """Declares the option of tasks with LSTMs."""
  return entries.option(default, 'Units of each LSTM layer', LAYERS)


def embeddings_file() -> Any:
  """Declares the option of tasks on features of `pipelines.embed`."""
  return entries.option(
    None, 'File of `pipelines.embed`; for --task=vqa, of the pictures', is_path=True
  )


def hidden_units(default: tuple[int, ...]) -> Any:
  """Declares the option of tasks with dense layers."""
  return entries.option(
    default,
    'Units of each hidden layer',
    option_check.POSITIVE,
    more='With --task=vqa three numbers, for the two dense layers of each channel and the one '
    'after their fusion.',
  )


def dropout_rate(default: float) -> Any:
  """Declares the option of tasks whose networks have dropout."""
  return entries.option(
    default,
    'Dropout after each hidden layer, of LSTMs after the embedding as well',
    option_check.BELOW_ONE,
  )


def test_fraction() -> Any:
  """Declares the option of tasks whose data may have no split."""
  return entries.option(
    None,
    "Part of a client's examples held out for testing, if the data have no split of their own; "
    'for text the last lines',
    option_check.BELOW_ONE,
    by_default='0.2, for --task=school and vehicle 0.15, for text 0.1,',
  )
