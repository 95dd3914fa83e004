"""Mood from typed text: each user's texts, as sequences of words with one of five moods each."""

import itertools
from collections.abc import Sequence

import numpy as np
from absl import logging

from tff_lg.data import (
  client_examples,
  examples,
  federated,
  held_out,
  mood_corpus,
  mood_files,
  vocabulary,
)

NUM_CLASSES = 5
_TEST_FRACTION = 0.1
_PARTS = ('train', 'validation', 'test')


def load_mood(
  path: str | None = None,
  *,
  sequence_length: int = 30,
  vocabulary_size: int | None = None,
  known_words: Sequence[str] | None = None,
  score_range: Sequence[float] | None = None,
  validation_fraction: float = 0.1,
  device_variance: float = 0.25,
  choose_held_out: held_out.ChooseHeldOut = held_out.nobody,
  seed: int = 0,
) -> federated.FederatedData:
  """Loads the texts of each user, a client each.

  - A user's texts are split at random. A tenth (rounded to the nearest number, at least one) is for
    testing. `validation_fraction` of all of them (rounded in the same way) is for validation. The
    others, at least one, are for training. Users with too few texts for that are left out.
  - A text is its first `sequence_length` words, padded at the end to the longest.
  - The vocabulary is of the training texts of all users that are not held out. With `known_words`
    no user's text can change it, nor the shape of x: all texts are padded to `sequence_length`.
  - The classes are five bins of equal width over the range of the scores of these same texts,
    or over `score_range`. A score on an edge is of the upper bin; scores outside the range are
    of the first or the last bin.

  Args:
    path: a file or folder for `mood_files.read_scored_texts`; None for the generated corpus.
    sequence_length: T, words of a text that the model sees.
    vocabulary_size: V, words known, the three special ones counted; None for all. Not used with
      `known_words`.
    known_words: the vocabulary, as `vocabulary.read_vocabulary` gives it.
    score_range: least and greatest score; None for those of the training texts.
    validation_fraction: in [0, 1).
    device_variance: of the generated corpus, see `mood_corpus`.
    choose_held_out: which of the users take no part in training.
    seed: of the split.

  Returns:
    The clients, by name, and the test texts of all that are not held out. x is int32 [n, t]. Here t
    is the most words of any text, at most T, or T with `known_words`. y is int32 [n]. The class
    names are the ranges of the bins.

  Raises:
    DataError: a damaged file, no user with enough texts, or training texts of one score only.
    ValueError: an option out of range.

  Liang et al. 2020, mood prediction: five bins, a random split of 80, 10 and 10 %.
  """
  if sequence_length < 1 or not 0 <= validation_fraction < 1:
    raise ValueError(
      f'sequence_length is {sequence_length} and validation_fraction {validation_fraction}, '
      'expected 1 or more and in [0, 1).'
    )
  if path is None:
    users = mood_corpus.generate_scored_texts(device_variance=device_variance)
  else:
    users = mood_files.read_scored_texts(path)
  name = path or 'generated corpus'
  rng = np.random.default_rng(seed)
  split = {user: _split(len(users[user].texts), validation_fraction, rng) for user in sorted(users)}
  kept = [user for user, parts in split.items() if len(parts[0])]
  if len(kept) < len(split):
    logging.warning(
      '%d of %d users have too few texts to be split and are left out.',
      len(split) - len(kept),
      len(split),
    )
  if not kept:
    raise examples.DataError(f'{name}: no user of {len(split)} has enough texts to be split.')
  out = frozenset(choose_held_out(kept))
  trained_on = [user for user in kept if user not in out]
  tokens = {
    user: [vocabulary.words(text)[:sequence_length] for text in users[user].texts] for user in kept
  }
  if known_words is not None:
    known, length = tuple(known_words), sequence_length
  else:
    known = vocabulary.build_vocabulary(
      (tokens[user][i] for user in trained_on for i in split[user][0]), vocabulary_size
    )
    length = max(len(text) for user in kept for text in tokens[user]) or 1
  index = {token: number for number, token in enumerate(known)}
  train_scores = np.concatenate([users[user].scores[split[user][0]] for user in trained_on])
  edges = _edges(train_scores, score_range, name)
  clients = {}
  for user in kept:
    of_user = examples.Examples(
      _sequences(tokens[user], index, length),
      np.digitize(users[user].scores, edges[1:-1]).astype(np.int32),
    )
    parts = map(of_user.take, split[user])
    clients[user] = client_examples.ClientExamples(user, **dict(zip(_PARTS, parts, strict=True)))
  taking_part = tuple(clients[user] for user in trained_on)
  return federated.FederatedData(
    taking_part,
    examples.concatenate([client.test for client in taking_part]),
    NUM_CLASSES,
    tuple(f'{low:.4g} to {high:.4g}' for low, high in itertools.pairwise(edges)),
    held_out=tuple(clients[user] for user in kept if user in out),
    vocabulary=known,
  )


def _split(
  num_texts: int, validation_fraction: float, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
  """Splits a user's texts: indices for training, validation and test; few give none to train on."""
  order = rng.permutation(num_texts)
  num_test = max(int(num_texts * _TEST_FRACTION + 0.5), 1)
  num_validation = max(int(num_texts * validation_fraction + 0.5), 1) if validation_fraction else 0
  bounds = (num_test, num_test + num_validation)
  test, validation, train = (np.sort(part) for part in np.split(order, bounds))
  return train, validation, test


def _edges(train_scores: np.ndarray, score_range: Sequence[float] | None, name: str) -> np.ndarray:
  """Returns the edges of the bins, float64 [NUM_CLASSES + 1]."""
  low, high = score_range or (train_scores.min(), train_scores.max())
  if not low < high:
    raise examples.DataError(
      f'{name}: scores from {low:g} to {high:g} found, expected a range that can be cut in '
      f'{NUM_CLASSES} classes.'
    )
  if not np.isfinite(float(high) - float(low)):
    raise examples.DataError(
      f'{name}: scores from {low:g} to {high:g} found, expected a range that a float can hold.'
    )
  return np.linspace(low, high, NUM_CLASSES + 1)


def _sequences(tokens: Sequence[Sequence[str]], index: dict[str, int], length: int) -> np.ndarray:
  """Returns texts of at most `length` words as ids, int32 [n, length], padded at the end."""
  x = np.full((len(tokens), length), vocabulary.PADDING, np.int32)
  is_word = np.arange(length) < np.array([[len(text)] for text in tokens])
  x[is_word] = vocabulary.encode(list(itertools.chain.from_iterable(tokens)), index)
  return x
