"""Trials as tasks of a Ray cluster, or of a Ray that is started on this machine for the sweep.

A worker that dies, say for want of memory or with its machine, takes only its trial with it.
All machines need the same program in the same place, and the sweep folder at the same path.
"""

import contextlib
import importlib
import os
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from tff_lg import errors, ray_connection
from tff_lg.sweeps import processes
from tff_lg.sweeps.grid import SweepError
from tff_lg.sweeps.scheduler import Job

_RunTrial = Callable[[Any, str], None]

# Of a Ray of our own: only small values travel, Ray would reserve a third of the memory.
_OBJECT_STORE_BYTES = 10**8


class RayPool:
  """Runs jobs as Ray tasks; a context manager that leaves the cluster, or ends its own Ray.

  Ray decides on which machine a trial runs, and starts it once the processors that it asks for
  are free.
  """

  def __init__(
    self,
    run: _RunTrial,
    num_workers: int,
    *,
    address: str | None = None,
    cpus_per_trial: float = 1,
    gpus_per_trial: float = 0,
    modules: Sequence[str] = (),
  ) -> None:
    """Connects to Ray, or starts it.

    Args:
      run: (config, run folder) -> None, runs a trial or resumes it; importable by the
        cluster's workers.
      num_workers: how many trials run at a time.
      address: `host:port` of a cluster, or `auto` for the one that this machine is part of; None
        to start Ray on this machine.
      cpus_per_trial: cores that Ray sets aside for a trial.
      gpus_per_trial: GPUs, or a share of one. A trial sees those it gets, and without any none.
      modules: that a worker imports before it reads a config, which may be made of their entries.

    Raises:
      ValueError: no trial at a time, or a negative number of cores or GPUs.
      SweepError: no cluster answers, or none of its machines has what a trial asks for.
    """
    if num_workers < 1:
      raise ValueError(f'num_workers is {num_workers}, expected 1 or more.')
    if min(cpus_per_trial, gpus_per_trial) < 0:
      raise ValueError(
        f'cpus_per_trial is {cpus_per_trial} and gpus_per_trial {gpus_per_trial}, expected 0 or '
        'more.'
      )
    self.num_workers = num_workers
    try:
      self._ray, self._leave = ray_connection.connect(
        address or '', '--trials_address', object_store_bytes=_OBJECT_STORE_BYTES
      )
    except (ImportError, ValueError, ConnectionError) as error:
      raise SweepError(f'--trials_on=ray: {error}') from error
    wanted = {'CPU': cpus_per_trial, 'GPU': gpus_per_trial}
    machines = [node['Resources'] for node in self._ray.nodes() if node['Alive']]
    if not any(all(has.get(kind, 0) >= n for kind, n in wanted.items()) for has in machines):
      self.close()
      raise SweepError(
        f'--cpus_per_trial={cpus_per_trial:g} --gpus_per_trial={gpus_per_trial:g} is more than '
        f'any of the {len(machines)} machines of the Ray cluster has.'
      )
    # A trial that fails is the scheduler's to run again.
    self._run_trial = self._ray.remote(
      num_cpus=cpus_per_trial,
      num_gpus=gpus_per_trial,
      max_retries=0,
      max_calls=processes.TRIALS_A_PROCESS,
    )(_run_here)
    self._run, self._modules = run, tuple(modules)
    self._running: dict[Any, Job] = {}

  def __enter__(self) -> 'RayPool':
    return self

  def __exit__(self, *unused_exception: object) -> None:
    self.close()

  def start(self, job: Job) -> None:
    """Hands a job to Ray."""
    # Ray would read run and config before it calls anything of ours.
    pickled = pickle.dumps((self._run, job))
    self._running[self._run_trial.remote(self._modules, os.getcwd(), pickled)] = job

  def wait(self) -> tuple[Job, str | None]:
    """Waits until some job ends; its error as a sentence, or None."""
    (task,), _ = self._ray.wait(list(self._running), num_returns=1)
    job = self._running.pop(task)
    try:
      return job, self._ray.get(task)
    except self._ray.exceptions.RayError as error:
      reason = errors.first_line(error)
      return job, f'its worker on Ray failed ({type(error).__name__}): {reason}'

  def close(self) -> None:
    """Ends all tasks and leaves Ray; a trial that runs keeps its last checkpoint."""
    self._leave()


def _run_here(modules: Sequence[str], folder: str, pickled: bytes) -> str | None:
  """Runs a job in a worker of Ray, in the sweep's folder where this machine has it."""
  with contextlib.suppress(OSError):
    os.chdir(folder)  # Paths among the flags may be relative.
  try:
    for name in modules:
      importlib.import_module(name)
  except ImportError as error:
    return f'its worker on Ray cannot import {name}: {error}'
  run, job = pickle.loads(pickled)
  return processes.run_logged(run, job)
