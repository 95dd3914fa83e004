"""Processes of this machine that each run one trial after another.

A process is kept, as starting Python and TensorFlow costs more than a short trial. One
that dies, say for want of memory, takes only its trial with it.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from multiprocessing import connection as connection_lib
from typing import Any

from tff_lg import errors
from tff_lg.sweeps.scheduler import Job

_RunTrial = Callable[[Any, str], None]

# A process is replaced after so many trials, as TensorFlow keeps parts of what it traced:
# about 20 MB a trial.
TRIALS_A_PROCESS = 32
_SECONDS_TO_END = 10


class _Stopped(BaseException):
  """The process was told to end."""


class _Worker:
  """A process and the trial it runs."""

  def __init__(self, run: _RunTrial, cores: tuple[int, ...]) -> None:
    context = multiprocessing.get_context('spawn')  # TensorFlow does not survive a fork.
    self.connection, other = context.Pipe()
    self.process = context.Process(target=_serve, args=(other, run, cores))
    # A Ctrl-C is the sweep's to handle; a process that starts inherits what is blocked.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    self.process.start()
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    other.close()  # The process has its own: its death is then heard as an end of file.
    self.cores = cores
    self.job: Job | None = None
    self.num_trials = 0

  def end(self, seconds: float) -> None:
    """Hangs up and waits; kills a process that takes longer than that."""
    self.connection.close()
    self.process.join(seconds)
    if self.process.is_alive():
      self.process.kill()
      self.process.join()


class ProcessPool:
  """Runs jobs on processes of this machine; a context manager that ends them.

  The machine's cores are shared out among the processes, so that trials do not crowd
  each other.
  """

  def __init__(self, run: _RunTrial, num_workers: int) -> None:
    """Starts no process before the first job.

    Args:
      run: (config, run folder) -> None, runs a trial or resumes it; can be pickled.
      num_workers: how many trials run at a time.
    """
    if num_workers < 1:
      raise ValueError(f'num_workers is {num_workers}, expected 1 or more.')
    self.num_workers = num_workers
    self._run = run
    self._workers: list[_Worker] = []
    self._free_cores = _share_cores(num_workers)

  def __enter__(self) -> 'ProcessPool':
    return self

  def __exit__(self, *unused_exception: object) -> None:
    self.close()

  def start(self, job: Job) -> None:
    """Starts a job on an idle process, or on a new one."""
    worker = next((worker for worker in self._workers if worker.job is None), None)
    if worker is None:
      worker = _Worker(self._run, self._free_cores.pop())
      self._workers.append(worker)
    worker.job = job
    # A process that has died meanwhile is noticed by `wait`.
    with contextlib.suppress(BrokenPipeError):
      worker.connection.send(job)

  def wait(self) -> tuple[Job, str | None]:
    """Waits until some job ends; its error as a sentence, or None."""
    running: dict[Any, tuple[_Worker, Job]] = {
      worker.connection: (worker, worker.job) for worker in self._workers if worker.job is not None
    }
    worker, job = running[connection_lib.wait(list(running))[0]]
    worker.job = None
    try:
      error = worker.connection.recv()
      worker.num_trials += 1
      is_spent = worker.num_trials >= TRIALS_A_PROCESS
    except (EOFError, ConnectionResetError):
      worker.process.join()
      error, is_spent = f'its process {_ending(worker.process.exitcode)}.', True
    if is_spent:
      self._remove(worker)
    return job, error

  def close(self) -> None:
    """Ends all processes; a trial that runs keeps its last checkpoint."""
    for worker in self._workers:
      worker.process.terminate()
    for worker in list(self._workers):
      self._remove(worker)

  def _remove(self, worker: _Worker) -> None:
    worker.end(_SECONDS_TO_END)
    self._workers.remove(worker)
    self._free_cores.append(worker.cores)


def _share_cores(num_workers: int) -> list[tuple[int, ...]]:
  """Returns the cores of each process; none where the system cannot bind a process to cores."""
  if not hasattr(os, 'sched_setaffinity'):
    return [()] * num_workers
  cores = sorted(os.sched_getaffinity(0))
  return [
    tuple(cores[i::num_workers]) or (cores[i % len(cores)],) for i in reversed(range(num_workers))
  ]


def _ending(exit_code: int | None) -> str:
  if exit_code is not None and exit_code < 0:
    return f'was killed by {signal.Signals(-exit_code).name}'
  return f'ended with exit code {exit_code}'


def _serve(connection: connection_lib.Connection, run: _RunTrial, cores: tuple[int, ...]) -> None:
  """Runs jobs as they come, in the process, until the sweep hangs up or tells it to end."""
  signal.signal(signal.SIGTERM, _stop)
  if cores:
    os.sched_setaffinity(0, cores)  # Before TensorFlow counts them.
  threading.Thread(target=_end_with_parent, daemon=True).start()
  with contextlib.suppress(_Stopped, EOFError, BrokenPipeError):
    while True:
      job = connection.recv()
      connection.send(run_logged(run, job))


def _stop(number: int, unused_frame: object) -> None:
  # A second one, say of a group of processes, would interrupt what the first one's cleans up.
  signal.signal(number, signal.SIG_IGN)
  raise _Stopped


def _end_with_parent() -> None:
  """Ends the process if the sweep is killed: a second one must find its folders free."""
  parent = multiprocessing.parent_process()
  if parent is None:
    raise RuntimeError('This process has no parent that runs a sweep.')
  connection_lib.wait([parent.sentinel])
  os.kill(os.getpid(), signal.SIGTERM)


def run_logged(run: _RunTrial, job: Job) -> str | None:
  """Runs a job in this process, with what it prints in its log.

  Args:
    run: (config, run folder) -> None, runs a trial.
    job: to run.

  Returns:
    Its error as one line, None if it ended well. An exit is an error, too.
  """
  with _output_to(job.log_path):
    try:
      run(job.config, job.run_dir)
    except (Exception, SystemExit) as error:
      traceback.print_exc()
      # TensorFlow's errors have many lines; the log has them.
      return errors.describe(error)
  return None


@contextlib.contextmanager
def _output_to(path: str) -> Iterator[None]:
  """Sends what the process prints to a file, TensorFlow's C++ log included."""
  os.makedirs(os.path.dirname(path), exist_ok=True)
  saved = [os.dup(number) for number in (1, 2)]
  try:
    with open(path, 'ab') as file:
      for number in (1, 2):
        os.dup2(file.fileno(), number)
    yield
  finally:
    for stream in (sys.stdout, sys.stderr):
      stream.flush()
    for number, original in zip((1, 2), saved, strict=True):
      os.dup2(original, number)
      os.close(original)
