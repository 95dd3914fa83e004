"""JSON that every reader understands, also of numbers that are not finite."""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar('_T')

_NAN = re.compile(r'NaN(?=,?$)', re.MULTILINE)
_INFINITY = re.compile(r'Infinity(?=,?$)', re.MULTILINE)


def dumps(value: Any, sort_keys: bool = True) -> str:
  """Returns a value as JSON, a line each: NaN as null, and infinity as 1e999.

  Readers take 1e999, which no float holds, for infinity.
  """
  # A text ends with a quote, so that only numbers end a line.
  text = json.dumps(value, indent=2, sort_keys=sort_keys) + '\n'
  return _INFINITY.sub('1e999', _NAN.sub('null', text))


def load(
  path: str,
  make: Callable[[Any], _T],
  remedy: str,
  error_class: type[ValueError] = ValueError,
) -> _T:
  """Loads what `dumps` gave from a file.

  Args:
    path: of the file.
    make: of the JSON's value what is wanted; a ValueError, TypeError, KeyError or AttributeError
      says that the value is not what it was.
    remedy: what to do about a damaged file, the end of a sentence.
    error_class: of the error.

  Returns:
    What `make` gives.

  Raises:
    FileNotFoundError: there is no file.
    ValueError: the file is damaged; one sentence that names it.
  """
  try:
    with open(path, encoding='utf-8') as file:
      return make(json.load(file))
  except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
    reason = f'{error} is missing' if isinstance(error, KeyError) else error
    raise error_class(f'{path} is damaged ({reason}): {remedy}.') from error
