"""Runs the trials of a sweep, several at a time, and those that fail once more."""

import collections
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from absl import logging

from tff_lg import progress

_MAX_ATTEMPTS = 2
# What the error of a trial that diverged begins with.
_DIVERGENCE = 'DivergenceError'


class Job(NamedTuple):
  """A trial to run.

  Attributes:
    name: of the trial.
    config: of its pipeline; can be pickled.
    run_dir: its run folder.
    log_path: the file that gets what it prints.
  """

  name: str
  config: Any
  run_dir: str
  log_path: str


class Failure(NamedTuple):
  """A trial that has not ended well.

  Attributes:
    job: the trial.
    error: what the last attempt said, one sentence.
  """

  job: Job
  error: str


class Pool(Protocol):
  """The runner of jobs: processes of this machine, or a cluster.

  Attributes:
    num_workers: how many jobs may run at a time.
  """

  num_workers: int

  def start(self, job: Job) -> None:
    """Starts a job; fewer than `num_workers` run."""

  def wait(self) -> tuple[Job, str | None]:
    """Waits until some job ends; its error, or None."""


def is_divergence(error: str) -> bool:
  """Returns whether a trial failed because it diverged, by its error; it would do so again."""
  return error.startswith(_DIVERGENCE)


def run_jobs(jobs: Sequence[Job], pool: Pool, *, num_done: int = 0) -> tuple[Failure, ...]:
  """Runs jobs under a progress bar; one that fails is run again, once, after all others.

  One that diverges is not, as the same seed gives the same bits.

  Args:
    jobs: to run.
    pool: that runs them; the caller closes it.
    num_done: trials of the sweep that are done already, for the bar.

  Returns:
    Those that diverged, or failed twice.
  """
  waiting = collections.deque(jobs)
  attempts: collections.Counter[str] = collections.Counter()
  failures: list[Failure] = []
  num_running = 0
  total = num_done + len(jobs)
  with progress.Bar(total, 'trial', initial=num_done) as bar:
    while waiting or num_running:
      while waiting and num_running < pool.num_workers:
        pool.start(waiting.popleft())
        num_running += 1
      bar.set_postfix(running=num_running, failed=len(failures), refresh=False)
      job, error = pool.wait()
      num_running -= 1
      attempts[job.name] += 1
      if error is None:
        bar.update()
      elif attempts[job.name] < _MAX_ATTEMPTS and not is_divergence(error):
        logging.warning('Trial %s failed and is tried again at the end: %s', job.name, error)
        waiting.append(job)
      else:
        failures.append(Failure(job, error))
    bar.set_postfix(failed=len(failures), refresh=False)
  return tuple(failures)
