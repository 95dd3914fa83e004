"""Starts a pipeline: parses its flags, calls its main, and ends it, by a signal or a sentence.

A program's main raises what the user has to be told, see `tff_lg.errors`. The program then ends
with `NAME: SENTENCE` and exit code 1.

This replaces `absl.app.run`. A pipeline imports TensorFlow only after its flags are checked, so
that `--help` and a wrong flag answer at once. Under `app.run` that fails: TensorFlow 2.14 uses
`app.call_after_init` as it is imported (distribute/combinations.py), which then runs before eager
execution is set up.

A signal ends the process at once, with a sentence. An exception would end in a traceback, or be
swallowed, wherever another package's code is running, as in imports and figures. Ending at once is
as safe as being killed: files are complete or absent, and `tff_lg.orphans` ends what the program
has started.
"""

import contextlib
import faulthandler
import os
import pathlib
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from absl import app, flags, logging

from tff_lg import environment, errors, quiet_import
from tff_lg.config import option

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def process_began(stat: str = '/proc/self/stat') -> float:
  """Returns when this process began, by `time.monotonic`; now where the system does not say.

  Args:
    stat: file with the state of the process, see proc(5).
  """
  now = time.monotonic()
  try:
    # The second field is a name, which may have spaces and brackets. The 22nd is the start.
    fields = pathlib.Path(stat).read_text(encoding='utf-8', errors='replace').rpartition(')')[2]
    began = int(fields.split()[19]) / os.sysconf('SC_CLK_TCK')
    return now - (time.clock_gettime(time.CLOCK_BOOTTIME) - began)
  except (OSError, IndexError, ValueError, AttributeError):
    return now


# When the command began, its first imports included, by `time.monotonic`.
BEGAN = process_began()


def run(
  main: Callable[..., None],
  *,
  after_stop: str = 'rerun the same command to start over',
  takes_arguments: bool = False,
) -> None:
  """Parses the command line, checks the environment and calls `main`.

  Args:
    main: the program. It raises one of `errors.SENTENCES` where something is wrong.
    after_stop: what the user is told to expect after Ctrl-C or SIGTERM.
    takes_arguments: whether `main` gets the command line without this program's flags; otherwise it
      gets nothing, and anything but flags is refused.
  """
  # Where native code ends the process, Python's part of the stack is told too.
  if sys.__stderr__ is not None:
    faulthandler.enable(sys.__stderr__)
  stopped = f'{_name()}: stopped; {after_stop}.'

  def stop(number: int, unused_frame: object) -> None:
    _end(stopped, number)

  _handle(stop)
  try:
    app.define_help_flags()
    arguments = app.parse_flags_with_usage(sys.argv)
    logging.use_absl_handler()
    # TensorFlow Federated's packages import setuptools' pkg_resources, which is no user's concern.
    warnings.filterwarnings('ignore', message='pkg_resources is deprecated')
    with sentences():
      _refuse_infinite()
      if len(arguments) > 1 and not takes_arguments:
        raise option.ConfigError(f'Unexpected argument {arguments[1]!r}; use --name=value.')
      environment.check_environment()
      main(*([arguments] if takes_arguments else []))
  except _Stopped as error:
    _end(stopped, error.number)
  finally:
    # All is written, and Python takes a while to end.
    _handle(signal.SIG_DFL)


@contextlib.contextmanager
def sentences() -> Iterator[None]:
  """Ends the program with one sentence at an error that is not a mistake in it."""
  try:
    yield
  except (*errors.SENTENCES, flags.Error) as error:
    logging.debug('Traceback', exc_info=True)
    sentence = str(error)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
      sentence = f'{error.filename} cannot be read or written: {error.strerror}.'
    sys.exit(f'{_name()}: {sentence}')


def _refuse_infinite() -> None:
  """Refuses a flag whose number is not finite; `ConfigError`."""
  for name, value in flags.FLAGS.flag_values_dict().items():
    option.check_finite(name, value)


def given(flag: flags.FlagHolder[Any], wanted: str = 'a value') -> str:
  """Returns the text of a flag that a program needs; `ConfigError` if there is none.

  Args:
    flag: of a text.
    wanted: what the error says is expected.
  """
  if not flag.value:
    raise option.ConfigError(f'--{flag.name} is missing, expected {wanted}.')
  return flag.value


@contextlib.contextmanager
def stopped_by_exception() -> Iterator[None]:
  """Lets a signal raise an exception meanwhile, so that what is open is closed before the end.

  A second signal ends the process at once. The exception is not an `Exception`; `run` catches it.
  """
  at_once = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)

  def stop(number: int, unused_frame: object) -> None:
    restore()
    raise _Stopped(number)

  def restore() -> None:
    for each, handler in zip(_SIGNALS, at_once, strict=True):
      signal.signal(each, handler)

  _handle(stop)
  try:
    yield
  finally:
    restore()


class _Stopped(BaseException):
  """A signal has come; its number."""

  def __init__(self, number: int) -> None:
    super().__init__(number)
    self.number = number


def _handle(handler: Callable[[int, object], None] | signal.Handlers) -> None:
  """Handles the signals, except those that whoever started the process lets it ignore."""
  for number in _SIGNALS:
    if signal.getsignal(number) != signal.SIG_IGN:
      signal.signal(number, handler)


def _end(sentence: str, number: int) -> None:
  """Ends the process without delay; of what was printed nothing is lost."""
  with contextlib.suppress(Exception):  # The signal may have come while it is written.
    sys.stdout.flush()
  start = (
    '\n' if sys.stderr is not None and sys.stderr.isatty() else ''
  )  # A progress bar may stand in the line.
  with contextlib.suppress(OSError):
    os.write(quiet_import.stderr(), f'{start}{sentence}\n'.encode())
  os._exit(128 + number)


def _name() -> str:
  """Returns the pipeline's name, as in `python -m pipelines.NAME`."""
  return pathlib.Path(sys.argv[0]).stem
