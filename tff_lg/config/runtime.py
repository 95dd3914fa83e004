"""Which runtime runs the computations, with its options, made of the entries."""

import dataclasses
from typing import Any

from tff_lg.config import task
from tff_lg.config.entry_options import EntryOptions
from tff_lg.config.option import option
from tff_lg.execution import LOCAL, RUNTIMES

RUNTIME_OPTIONS = EntryOptions(RUNTIMES, 'runtime', keeps_defaults=True)
_RuntimeOptions: Any = RUNTIME_OPTIONS.make_class()

# Options whatever value of which a run has the same bits.
WITHOUT_EFFECT = frozenset(
  name
  for entry in RUNTIMES.values()
  if entry.options_change_no_bit
  for name in entry.option_names()
)


@dataclasses.dataclass(frozen=True)
class RuntimeOptions(_RuntimeOptions):
  """Which runtime, and on what."""

  runtime: str = option(
    LOCAL, f'Runtime of the computations. {task.say_labels(RUNTIMES)}', tuple(RUNTIMES)
  )


def check(options: RuntimeOptions) -> None:
  """Refuses options that cannot be, or contradict each other.

  Raises:
    ConfigError: the first of them.
  """
  RUNTIME_OPTIONS.check(options, (options.runtime,))
