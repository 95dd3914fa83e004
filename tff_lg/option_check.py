"""Checks of an option's values, stated where the option is: a validator of attrs."""

from collections.abc import Callable
from typing import Any

import attrs


class OptionError(ValueError):
  """A value that an option cannot have.

  Attributes:
    name: of the option.
    value: that was found.
    expected: in words.
  """

  def __init__(self, name: str, value: object, expected: str, verb: str = 'is') -> None:
    super().__init__(f'{name} {verb} {value}, expected {expected}.')
    self.name, self.value, self.expected = name, value, expected


@attrs.frozen
class Check:
  """The numbers that an option may have.

  Attributes:
    allows: whether a number may be.
    expected: the same in words.
  """

  allows: Callable[[Any], bool]
  expected: str

  def __call__(self, options: Any, attribute: Any, value: Any) -> None:
    """Raises OptionError for a number, or one in a tuple, that may not be; None may always be."""
    is_tuple = isinstance(value, tuple)
    for item in value if is_tuple else (value,):
      if item is not None and not self.allows(item):
        raise OptionError(attribute.name, item, self.expected, 'has' if is_tuple else 'is')


POSITIVE = Check(lambda value: value > 0, 'more than 0')
NOT_NEGATIVE = Check(lambda value: value >= 0, '0 or more')
BELOW_ONE = Check(lambda value: 0 <= value < 1, 'in [0, 1)')
SHARE = Check(lambda value: 0 <= value <= 1, 'in [0, 1]')
