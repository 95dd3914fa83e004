"""Runs programs on a runtime: do they give what is expected, and what do their calls cost."""

import contextlib
import dataclasses
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence

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
  programs: Iterable[program.Program], make_context: Callable[[], tff.framework.SyncContext]
) -> Iterator[Outcome]:
  """Builds programs one after the other and calls each twice.

  Args:
    programs: in their order.
    make_context: of the runtime; its context is warmed up first.

  Yields:
    The outcome of each.
  """
  warm_up(context := make_context())
  for each in programs:
    try:
      call = each.build()
    except Exception as error:  # Whatever a program fails with is its outcome.
      yield Outcome(_reason(error))
    else:
      yield _call_twice(each, call, context)


def run_apart(
  programs: Sequence[program.Program], make_context: Callable[[], tff.framework.SyncContext]
) -> list[Outcome]:
  """Runs programs as `run` does, in a process of their own, which bears all that is done once.

  The process is a fork, so that it need not import TensorFlow. This one must not have used it.

  Returns:
    The outcome of each; those that a crash prevents say so.
  """
  processes = multiprocessing.get_context('fork')
  receiver, sender = processes.Pipe(duplex=False)

  def send() -> None:
    for outcome in run(programs, make_context):
      sender.send(outcome)

  process = processes.Process(target=send)
  process.start()
  sender.close()
  outcomes: list[Outcome] = []
  with contextlib.suppress(EOFError):
    outcomes.extend(iter(receiver.recv, None))
  process.join()
  ended = Outcome(f'the process ended with exit code {process.exitcode}')
  return outcomes + [ended] * (len(programs) - len(outcomes))


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
