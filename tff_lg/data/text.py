"""Text by user, as sequences in which a model predicts the next token at every position."""

from collections.abc import Mapping, Sequence

import numpy as np
from absl import logging

from tff_lg.data import (
  client_examples,
  examples,
  federated,
  held_out,
  text_corpus,
  text_files,
  tff_text,
  vocabulary,
)


def load_text(
  path: str | None = None,
  *,
  source: str = 'files',
  columns: Sequence[str] = (),
  tokenize: vocabulary.Tokenizer = vocabulary.words,
  sequence_length: int = 20,
  vocabulary_size: int | None = None,
  known_tokens: Sequence[str] | None = None,
  min_lines: int = 2,
  max_lines: int | None = None,
  max_users: int | None = None,
  test_fraction: float = 0.1,
  validation_fraction: float = 0.1,
  choose_held_out: held_out.ChooseHeldOut = held_out.nobody,
  seed: int = 0,
) -> federated.FederatedData:
  """Loads the text of each user, a client each.

  - A user's lines are split in time. The last `test_fraction` (rounded to the nearest line, at
    least one) is for testing. The last `validation_fraction` of the others (the same way, but at
    least one is left) is for validation, and the first lines are for training.
  - The vocabulary is of the training lines, without those for validation, of all users that are not
    held out. With `known_tokens` it is these, and no user's text can change it.
  - Each part is one stream of tokens with an end of line after each line. It is cut into
    sequences, over the ends of lines; the last is padded. The model sees `x`, the stream, and
    predicts `y`, its next token, at each position; the first token is predicted from an end of
    line. So every token, ends of lines among them, is a target once.

  Args:
    path: a file or folder for `text_files.read_users`, None for the generated corpus; of another
      source its cache folder, see `tff_text.read_users`.
    source: 'files', or a name that `tff_text.read_users` knows.
    columns: of users, texts and times in files that are tables, see `text_files.read_users`.
    tokenize: `vocabulary.words` or `vocabulary.characters`.
    sequence_length: T, positions in a sequence.
    vocabulary_size: V, tokens known, the three special ones counted; None for all. Not used with
      `known_tokens`.
    known_tokens: the vocabulary, as `vocabulary.read_vocabulary` gives it.
    min_lines: users with fewer lines are left out, 2 or more.
    max_lines: users with more lines are left out; None for none.
    max_users: users that are taken, drawn at random from those with such numbers of lines; None for
      all. Users are read in random order until there are enough, so that few are read of a large
      source.
    test_fraction: in (0, 1).
    validation_fraction: in [0, 1).
    choose_held_out: which of the users with enough lines take no part in training.
    seed: of the draw of users.

  Returns:
    The clients, by name, and the test text of all that are not held out. `x` and `y` are int32 [n,
    T]. The class names are the vocabulary.

  Raises:
    DataError: a damaged file, a failed download, or no user with that many lines.
    ValueError: an option out of range.

  McMahan et al. 2017, section 3: clients of two lines or more, split in time, a fifth for testing.
  Yu et al. 2020, section 4: a split of 9:1, users of 150 to 500 posts.
  """
  if min_lines < 2 or sequence_length < 1 or not 0 <= validation_fraction < 1:
    raise ValueError(
      f'min_lines is {min_lines}, sequence_length {sequence_length} and validation_fraction '
      f'{validation_fraction}, expected 2 or more, 1 or more and in [0, 1).'
    )
  if not 0 < test_fraction < 1:
    raise ValueError(f'test_fraction is {test_fraction}, expected more than 0 and less than 1.')
  if max_users is not None and max_users < 1:
    raise ValueError(f'max_users is {max_users}, expected 1 or more.')
  users: Mapping[str, Sequence[str]]
  if source != 'files':
    users, name = tff_text.read_users(source, path), source
  elif path is None:
    users, name = text_corpus.generate_users(), 'generated corpus'
  else:
    users, name = text_files.read_users(path, columns), path
  kept = _choose_users(users, min_lines, max_lines, max_users, seed)
  if not kept:
    numbers = (
      f'{min_lines} lines or more' if max_lines is None else f'{min_lines} to {max_lines} lines'
    )
    raise examples.DataError(f'{name}: no user of {len(users)} has {numbers}.')
  parts = {
    user: _split_in_time(kept[user], test_fraction, validation_fraction, tokenize)
    for user in sorted(kept)
  }
  out = frozenset(choose_held_out(list(parts)))
  if known_tokens is None:
    known_tokens = vocabulary.build_vocabulary(
      (train for user, (train, _, _) in parts.items() if user not in out), vocabulary_size
    )
  known = tuple(known_tokens)
  index = {token: number for number, token in enumerate(known)}
  clients = {
    user: client_examples.ClientExamples(
      user,
      *(_sequences(vocabulary.encode(tokens, index), sequence_length) for tokens in parts[user]),
    )
    for user in parts
  }
  taking_part = tuple(client for user, client in clients.items() if user not in out)
  test = examples.concatenate([client.test for client in taking_part])
  return federated.FederatedData(
    taking_part,
    test,
    len(known),
    known,
    held_out=tuple(client for user, client in clients.items() if user in out),
  )


def _choose_users(
  users: Mapping[str, Sequence[str]],
  min_lines: int,
  max_lines: int | None,
  max_users: int | None,
  seed: int,
) -> dict[str, Sequence[str]]:
  """Returns the lines of users with enough of them; of so many users, drawn at random."""
  order = sorted(users)
  if max_users is not None:
    # Not the stream that shuffles between clients.
    np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0]).shuffle(order)
  kept, num_short, num_long = {}, 0, 0
  for user in order:
    lines = users[user]
    if len(lines) < min_lines:
      num_short += 1
    elif max_lines is not None and len(lines) > max_lines:
      num_long += 1
    else:
      kept[user] = lines
    if len(kept) == max_users:
      break
  for number, comparison, limit in (
    (num_short, 'fewer', min_lines),
    (num_long, 'more', max_lines),
  ):
    if number:
      logging.info(
        '%d of %d users have %s than %d lines and are left out.',
        number,
        num_short + num_long + len(kept),
        comparison,
        limit,
      )
  return kept


def _split_in_time(
  lines: Sequence[str],
  test_fraction: float,
  validation_fraction: float,
  tokenize: vocabulary.Tokenizer,
) -> list[list[str]]:
  """Returns the tokens of a user's training, validation and test lines."""
  num_test = min(max(int(len(lines) * test_fraction + 0.5), 1), len(lines) - 1)
  rest = len(lines) - num_test
  num_validation = max(int(rest * validation_fraction + 0.5), 1) if validation_fraction else 0
  num_train = max(rest - num_validation, 1)
  return [
    [token for line in part for token in (*tokenize(line), '\n')]
    for part in (lines[:num_train], lines[num_train:rest], lines[rest:])
  ]


def _sequences(ids: np.ndarray, length: int) -> examples.Examples:
  """Cuts a stream of ids int32 [m] into sequences of inputs and of next tokens."""
  shape = (-(-len(ids) // length), length)
  x, y = np.full((2, *shape), vocabulary.PADDING, np.int32)
  y.reshape(-1)[: len(ids)] = ids
  x.reshape(-1)[: len(ids)] = np.concatenate([[vocabulary.END_OF_LINE], ids[:-1]])[: len(ids)]
  return examples.Examples(x, y)
