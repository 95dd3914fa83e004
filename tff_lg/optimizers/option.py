"""An option of an optimiser or a schedule: its default, its check and its help text."""

from typing import Any

import attrs

from tff_lg.option_check import Check


def option(default: Any, help_text: str, check: Check) -> Any:
  """Returns a field of an attrs class.

  Args:
    default: its value if none is given; `attrs.NOTHING` for one that has to be given.
    help_text: of the flag, a sentence without its full stop.
    check: of its value.
  """
  return attrs.field(default=default, validator=check, metadata={'help': help_text})
