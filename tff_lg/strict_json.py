"""JSON that every reader understands, also of numbers that are not finite."""

import json
import re
from typing import Any

_NAN = re.compile(r'NaN(?=,?$)', re.MULTILINE)
_INFINITY = re.compile(r'Infinity(?=,?$)', re.MULTILINE)


def dumps(value: Any, sort_keys: bool = True) -> str:
  """Returns a value as JSON, a line each: NaN as null, and infinity as 1e999.

  Readers take 1e999, which no float holds, for infinity.
  """
  # A text ends with a quote, so that only numbers end a line.
  text = json.dumps(value, indent=2, sort_keys=sort_keys) + '\n'
  return _INFINITY.sub('1e999', _NAN.sub('null', text))
