"""Ends a program on Ctrl-C and SIGTERM, at once or after what is open is closed.

A signal ends the process at once, with a sentence. An exception would end in a traceback, or be
swallowed, wherever another package's code is running, as in imports and figures. Ending at once is
as safe as being killed: files are complete or absent, and `tff_lg.orphans` ends what the program
has started.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator

from pipelines import early_signals
from tff_lg import quiet_import


class Stopped(BaseException):
  """A signal has come.

  Attributes:
    number: of the signal.
  """

  def __init__(self, number: int) -> None:
    """Keeps the signal's number."""
    super().__init__(number)
    self.number = number


@contextlib.contextmanager
def stopped_by_exception() -> Iterator[None]:
  """Lets a signal raise an exception meanwhile, so that what is open is closed before the end.

  A second signal ends the process at once. The exception is not an `Exception`; `launch.run`
  catches it.
  """
  at_once = [signal.getsignal(number) for number in early_signals.SIGNALS]

  def stop(number: int, unused_frame: object) -> None:
    restore()
    raise Stopped(number)

  def restore() -> None:
    for each, handler in zip(early_signals.SIGNALS, at_once, strict=True):
      signal.signal(each, handler)

  early_signals.set_handler(stop)
  try:
    yield
  finally:
    restore()


def end(sentence: str, number: int) -> None:
  """Ends the process without delay; of what was printed nothing is lost.

  Args:
    sentence: for the user, on stderr.
    number: of the signal.
  """
  with contextlib.suppress(Exception):  # The signal may have come while it is written.
    sys.stdout.flush()
  start = (
    '\n' if sys.stderr is not None and sys.stderr.isatty() else ''
  )  # A progress bar may stand in the line.
  with contextlib.suppress(OSError):
    os.write(quiet_import.stderr(), f'{start}{sentence}\n'.encode())
  os._exit(128 + number)
