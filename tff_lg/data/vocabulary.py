"""Text as tokens, and the tokens that a model knows."""

import collections
import itertools
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from tff_lg.data import examples, public_list

# Ids of every vocabulary's first three tokens.
PADDING, UNKNOWN, END_OF_LINE = range(3)
_SPECIAL = ('<pad>', '<unk>', '\n')

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")

# A line of text to its tokens.
Tokenizer = Callable[[str], Sequence[str]]


def words(line: str) -> list[str]:
  """Returns lower-case words and signs.

  A word is letters, digits and underscores, with apostrophes between them; every other sign
  that is not a space is a token of its own.

  >>> words("O'er the hill, 'tis gone!")
  ["o'er", 'the', 'hill', ',', "'", 'tis', 'gone', '!']
  """
  return _WORD.findall(line.lower())


def characters(line: str) -> list[str]:
  """Returns every character, spaces and case kept."""
  return list(line)


def build_vocabulary(texts: Iterable[Iterable[str]], size: int | None = None) -> tuple[str, ...]:
  """Returns the tokens that a model knows, by id.

  Args:
    texts: tokens of training text, e.g. a client each.
    size: tokens at most, the three special ones counted; None for all.

  Returns:
    Padding, unknown, the end of a line, then the most frequent tokens; of equals the first in
    the alphabet.
  """
  counts = collections.Counter(itertools.chain.from_iterable(texts))
  for token in _SPECIAL:
    del counts[token]
  by_frequency = sorted(counts, key=lambda token: (-counts[token], token))
  return (*_SPECIAL, *by_frequency)[:size]


def read_vocabulary(path: str, tokenize: Tokenizer, size: int | None = None) -> tuple[str, ...]:
  """Reads the tokens that a model knows from a list that owes nothing to the clients' text.

  Args:
    path: a file of one token per line, see `public_list.read_list`.
    tokenize: how text becomes tokens.
    size: tokens at most, the three special ones counted; None for all.

  Returns:
    Padding, unknown, the end of a line, then the tokens in the order of the file.

  Raises:
    DataError: the file is missing or damaged, or has an entry that is not a token.
  """
  tokens = public_list.read_list(path)
  for token in tokens:
    if list(tokenize(token)) != [token]:
      raise examples.DataError(
        f'{path}: {token!r} found, which in text would be the tokens {list(tokenize(token))}; '
        'expected one token per line.'
      )
  return (*_SPECIAL, *tokens)[:size]


def encode(tokens: Sequence[str], index: dict[str, int]) -> np.ndarray:
  """Returns the tokens' ids, int32 [n]; `UNKNOWN` for those that `index` does not have."""
  return np.fromiter((index.get(token, UNKNOWN) for token in tokens), np.int32, len(tokens))
