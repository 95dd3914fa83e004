"""An option of an optimiser or a schedule: its default, its check and its help text."""

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

  def __init__(self, name: str, value: object, expected: str) -> None:
    super().__init__(f'{name} is {value}, expected {expected}.')
    self.name, self.value, self.expected = name, value, expected


@attrs.frozen
class Check:
  """What numbers an option may have.

  Attributes:
    allows: whether a number may be.
    expected: the same in words.
  """

  allows: Callable[[float], bool]
  expected: str

  def __call__(self, options: Any, attribute: Any, value: float | None) -> None:
    """Raises OptionError for a number that may not be; as a validator of attrs."""
    if value is not None and not self.allows(value):
      raise OptionError(attribute.name, value, self.expected)


POSITIVE = Check(lambda value: value > 0, 'more than 0')
NOT_NEGATIVE = Check(lambda value: value >= 0, '0 or more')
BELOW_ONE = Check(lambda value: 0 <= value < 1, 'in [0, 1)')
SHARE = Check(lambda value: 0 <= value <= 1, 'in [0, 1]')


def option(default: Any, help_text: str, check: Check) -> Any:
  """Returns a field of an attrs class.

  Args:
    default: its value if none is given; `attrs.NOTHING` for one that has to be given.
    help_text: of the flag, a sentence without its full stop.
    check: of its value.
  """
  return attrs.field(default=default, validator=check, metadata={'help': help_text})
