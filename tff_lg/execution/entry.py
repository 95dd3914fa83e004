"""Runtimes as entries: what `--runtime` takes."""

from collections.abc import Callable
from typing import Any

import attrs

from tff_lg import entries


@attrs.frozen(kw_only=True)
class RuntimeEntry(entries.Entry):
  """A runtime; its label is for the help. See `register`.

  Attributes:
    set_context: (options) -> None, makes it run all computations from now on.
    options_change_no_bit: whether results have the same bits whatever its options say.
    is_on_ray: whether it needs a Ray cluster.
  """

  set_context: Callable[[Any], None]
  options_change_no_bit: bool = False
  is_on_ray: bool = False


# What `--runtime` takes, with everything that is known about it.
RUNTIMES: entries.Registry[RuntimeEntry] = entries.Registry('runtime')
register = RUNTIMES.register
# Of a program that says nothing of it.
LOCAL = 'local'
