"""Pipelines run in the test's own process, with their trials.

A command begins with imports, and so does each process of a pool. Tests use `testing.run` for what
needs a process of its own: one command of each pipeline, and its `--help`.
"""

import contextlib
import inspect
import io
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from unittest import mock

from absl.testing import flagsaver

from pipelines import launch, run_dirs
from tests.personalization import sharing
from tff_lg import simulation, sweeps
from tff_lg.sweeps import processes


def set_up_module() -> None:
  """Lets all runs of this process share what is built of equal values, and what TFF makes of it."""
  sharing.set_up_module()
  # Each context would compile all again. No test in this process wants another runtime.
  simulation.set_execution_context = lambda unused_options=None: None


class _Pool(contextlib.nullcontext):
  """A pool of one worker, which runs each job at once in this process."""

  num_workers = 1

  def __init__(self, run: Callable[[Any, str], None], unused_num_workers: int) -> None:
    super().__init__(self)
    self._run = run

  def start(self, job: sweeps.Job) -> None:
    """Runs the job."""
    # Else what it prints would be the pipeline's, and not in the log.
    with (
      contextlib.redirect_stdout(sys.__stdout__),
      contextlib.redirect_stderr(sys.__stderr__),
    ):
      self._ended = job, processes.run_logged(self._run, job)

  def wait(self) -> tuple[sweeps.Job, str | None]:
    """Returns the job and its error."""
    return self._ended


@contextlib.contextmanager
def _as_before() -> Iterator[None]:
  """Undoes what a command leaves to the end of its process."""
  handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
  with (
    flagsaver.flagsaver(),
    warnings.catch_warnings(),
    mock.patch.object(run_dirs, 'atexit') as at_exit,
  ):
    try:
      yield
    finally:
      for call in at_exit.register.call_args_list:
        call.args[0]()
      for number, handler in handlers.items():
        signal.signal(number, handler)


def run(pipeline: ModuleType, *arguments: str) -> subprocess.CompletedProcess[str]:
  """Runs a pipeline to its end, as `testing.run` does.

  Args:
    pipeline: its module.
    *arguments: of the command.

  Raises:
    Exception: what a command would end with by a traceback.
  """
  command = [f'{pipeline.__name__.split(".")[-1]}.py', *arguments]
  stdout, stderr, status = io.StringIO(), io.StringIO(), 0
  takes_arguments = bool(inspect.signature(pipeline.main).parameters)
  with (
    _as_before(),
    mock.patch.object(sys, 'argv', command),
    mock.patch.object(sweeps, 'ProcessPool', _Pool),
    contextlib.redirect_stdout(stdout),
    contextlib.redirect_stderr(stderr),
  ):
    try:
      launch.run(pipeline.main, takes_arguments=takes_arguments)
    except SystemExit as error:
      status = 1 if isinstance(error.code, str) else error.code or 0
      stderr.write(error.code if isinstance(error.code, str) else '')
  return subprocess.CompletedProcess(command, status, stdout.getvalue(), stderr.getvalue())
