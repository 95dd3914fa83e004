"""Starts a pipeline: parses its flags, calls its main, and ends it with a sentence if need be.

A program's main raises what the user has to be told, see `tff_lg.errors`. The program then ends
with `NAME: SENTENCE` and exit code 1.

This replaces `absl.app.run`. A pipeline imports TensorFlow only after its flags are checked, so
that `--help` and a wrong flag answer at once. Under `app.run` that fails: TensorFlow 2.14 uses
`app.call_after_init` as it is imported (distribute/combinations.py), which then runs before eager
execution is set up.
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

from pipelines import early_signals, signals
from tff_lg import environment, errors, garbage
from tff_lg.config import option


def process_began(stat: str = '/proc/self/stat') -> float:
  """Returns when this process began, by `time.monotonic`; now where the system does not say.

  Args:
    stat: file with the state of the process, see proc(5).
  """
  now = time.monotonic()
  try:
    # psutil's is exact to a second. The second field is a name, which may have spaces and brackets;
    # the 22nd is the start.
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
    signals.end(stopped, number)

  early_signals.set_handler(stop)
  garbage.collect_rarely()
  try:
    app.define_help_flags()
    with sentences():
      arguments = _parse(takes_arguments)
    logging.use_absl_handler()
    # TensorFlow Federated's packages import setuptools' pkg_resources, which is no user's concern.
    warnings.filterwarnings('ignore', message='pkg_resources is deprecated')
    with sentences():
      _refuse_infinite()
      if len(arguments) > 1 and not takes_arguments:
        raise option.ConfigError(f'Unexpected argument {arguments[1]!r}; use --name=value.')
      environment.check_environment()
      main(*([arguments] if takes_arguments else []))
  except signals.Stopped as error:
    signals.end(stopped, error.number)
  finally:
    # All is written, and Python takes a while to end.
    early_signals.set_handler(signal.SIG_DFL)


@contextlib.contextmanager
def sentences() -> Iterator[None]:
  """Ends the program with one sentence at an error that is not a mistake in it."""
  try:
    yield
  except (*errors.SENTENCES, flags.Error) as error:
    logging.debug('Traceback', exc_info=True)
    sentence = str(error).removeprefix('ERROR:: ')
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
      sentence = f'{error.filename} cannot be read or written: {error.strerror}.'
    sys.exit(f'{_name()}: {sentence}')


def _parse(takes_arguments: bool) -> list[str]:
  """Returns the command line without this program's flags; `flags.Error`."""
  try:
    return flags.FLAGS(sys.argv)
  except flags.UnrecognizedFlagError as error:
    if not takes_arguments:
      raise
    text = str(error).replace(' ?', '?')
    end = '' if text.endswith('?') else '.'
    raise flags.Error(f'{text}{end} Flags of runs follow `--`.') from error


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


def _name() -> str:
  """Returns the pipeline's name, as in `python -m pipelines.NAME`."""
  return pathlib.Path(sys.argv[0]).stem
