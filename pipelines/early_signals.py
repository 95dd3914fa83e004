"""Ends a program on Ctrl-C and SIGTERM during its first imports, until `launch.run` does."""

import os
import signal
import sys
from collections.abc import Callable, Sequence

# The command that an installation adds.
COMMAND = 'tff-lg'

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def handle(argv: Sequence[str]) -> None:
  """Lets a signal end this process with a sentence, if it is to be a program of this package.

  Args:
    argv: as Python has it when it imports the package.
  """
  name = os.path.basename(argv[0]) if argv else ''
  if name == '-m':  # So only while Python imports the packages above a program.
    name = next((each for each in sys.orig_argv if each.startswith('pipelines.')), 'pipelines')
  elif name != COMMAND:
    return

  def end(number: int, unused_frame: object) -> None:
    os.write(2, f'{name.removeprefix("pipelines.")}: stopped before it began.\n'.encode())
    os._exit(128 + number)

  set_handler(end)


def set_handler(handler: Callable[[int, object], None] | signal.Handlers) -> None:
  """Handles the signals, except those that whoever started the process lets it ignore.

  Args:
    handler: as `signal.signal` takes it.
  """
  for number in SIGNALS:
    if signal.getsignal(number) != signal.SIG_IGN:
      signal.signal(number, handler)
