"""Ends a program on Ctrl-C and SIGTERM during its first imports, until `launch.run` does."""

import os
import signal
import sys
from collections.abc import Sequence


def handle(argv: Sequence[str]) -> None:
  """Lets a signal end this process with a sentence, if it is to be a program of this package.

  Args:
    argv: as Python has it when it imports the package.
  """
  # Python names a program so only while it imports the packages above it.
  if argv[:1] == ['-m']:
    for number in (signal.SIGINT, signal.SIGTERM):
      if signal.getsignal(number) != signal.SIG_IGN:
        signal.signal(number, _end)


def _end(number: int, unused_frame: object) -> None:
  name = next((each for each in sys.orig_argv if each.startswith('pipelines.')), 'pipelines')
  os.write(2, f'{name.removeprefix("pipelines.")}: stopped before it began.\n'.encode())
  os._exit(128 + number)
