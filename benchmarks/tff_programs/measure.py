"""Runs a program on runtimes: does it give what is expected, and what do its calls cost."""

import dataclasses
from collections.abc import Mapping

import numpy as np

from benchmarks import cpu_time
from benchmarks.tff_programs import program
from tff_lg.compatibility import tff

_LONGEST_REASON = 160


@dataclasses.dataclass(frozen=True)
class Outcome:
  """The outcome of a program on a runtime.

  Attributes:
    reason: why it failed; empty if it passed.
    first: CPU seconds of the first call, which compiles.
    second: CPU seconds of the second.
  """

  reason: str
  first: float = 0.0
  second: float = 0.0


def warm_up(context: tff.framework.SyncContext) -> None:
  """Calls something, so that no program pays for what a runtime does once."""
  ints = tff.FederatedType(np.int32, tff.CLIENTS)
  with tff.framework.get_context_stack().install(context):
    tff.federated_computation(tff.federated_sum, ints)([1, 2])


def run(
  each: program.Program, contexts: Mapping[str, tff.framework.SyncContext]
) -> dict[str, Outcome]:
  """Runs a program on each of the runtimes, one after the other.

  Args:
    each: the program; it is built once.
    contexts: of the runtimes, by name.

  Returns:
    The outcome by the runtime's name.
  """
  try:
    call = each.build()
  except Exception as error:  # Whatever a program fails with is its outcome.
    return dict.fromkeys(contexts, Outcome(_reason(error)))
  return {name: _call_twice(each, call, context) for name, context in contexts.items()}


def _call_twice(
  each: program.Program, call: program.Call, context: tff.framework.SyncContext
) -> Outcome:
  seconds = []
  with tff.framework.get_context_stack().install(context):
    try:
      for _ in range(2):
        began = cpu_time.cpu_seconds()
        found = call()
        seconds.append(cpu_time.cpu_seconds() - began)
        each.check(found)
    except Exception as error:
      return Outcome(_reason(error))
  return Outcome('', *seconds)


def _reason(error: Exception) -> str:
  """Returns the type and the message, in one line."""
  text = ' '.join(str(error).split())
  if len(text) > _LONGEST_REASON:
    text = f'{text[:_LONGEST_REASON]}…'
  return f'{type(error).__name__}: {text}'
