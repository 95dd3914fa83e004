"""The flags of several runs, where they run, and the pool that the flags name.

No flag has the name of one of a pipeline that is swept.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from absl import flags

from pipelines import outside, signals
from tff_lg import config as config_lib
from tff_lg import sweeps

_PROCESSES, _RAY = 'processes', 'ray'

SEEDS = flags.DEFINE_string('seeds', None, 'Seeds, such as 0-11 or 0,3,8-9; one run each.')
_TRIALS_ON = flags.DEFINE_enum(
  'trials_on',
  _PROCESSES,
  (_PROCESSES, _RAY),
  'Where trials run: in processes of this machine, or as tasks of a Ray cluster.',
)
_MAX_CONCURRENT = flags.DEFINE_integer(
  'max_concurrent',
  1,
  'Trials that run at the same time; processes share the cores equally.',
  lower_bound=1,
)
for _alias in ('num_workers', 'jobs'):
  flags.DEFINE_alias(_alias, 'max_concurrent')
_ADDRESS = flags.DEFINE_string(
  'trials_address',
  None,
  'host:port of the Ray cluster, or auto for the one that this machine is part of '
  '(--trials_on=ray); by default Ray is started on this machine for the sweep.',
)
_CPUS = flags.DEFINE_float(
  'cpus_per_trial', 1.0, 'Cores that Ray sets aside for a trial (--trials_on=ray).', lower_bound=0
)
_GPUS = flags.DEFINE_float(
  'gpus_per_trial',
  0.0,
  'GPUs, or a share of one, that Ray sets aside for a trial (--trials_on=ray); a trial sees no '
  'others.',
  lower_bound=0,
)


def check(configs: Mapping[str, Any]) -> None:
  """Refuses flags of Ray without Ray, and Ray within Ray.

  Args:
    configs: of the trials, by their names.

  Raises:
    sweeps.SweepError: one is given; one sentence.
  """
  on_ray = [
    name
    for name, config in configs.items()
    if (runtime := getattr(config, 'runtime', None)) and config_lib.RUNTIMES[runtime].is_on_ray
  ]
  if _TRIALS_ON.value == _RAY and on_ray:
    raise sweeps.SweepError(
      f'--trials_on=ray makes each trial a Ray task, but the --runtime of {on_ray[0]} is on Ray, '
      'whose actors would wait for the cores that trials hold: choose one of them.'
    )
  for holder in (_ADDRESS, _CPUS, _GPUS):
    if _TRIALS_ON.value != _RAY and holder.present:
      raise sweeps.SweepError(
        f'--{holder.name} is given, but --trials_on is {_TRIALS_ON.value}: it belongs to '
        f'--trials_on={_RAY}.'
      )


def open_pool(run: Callable[[Any, str], None]) -> sweeps.ProcessPool | sweeps.RayPool:
  """Makes the pool that the flags name; a context manager.

  Args:
    run: (config, run folder) -> None, runs a trial.

  Raises:
    sweeps.SweepError: Ray does not answer, or has not what a trial asks for.
  """
  if _TRIALS_ON.value == _PROCESSES:
    return sweeps.ProcessPool(run, _MAX_CONCURRENT.value)
  return sweeps.RayPool(
    run,
    _MAX_CONCURRENT.value,
    address=_ADDRESS.value,
    cpus_per_trial=_CPUS.value,
    gpus_per_trial=_GPUS.value,
    modules=outside.named(sys.argv),
  )


def run_trials(
  run: Callable[[Any, str], None], folder: sweeps.SweepFolder, configs: Mapping[str, Any]
) -> tuple[sweeps.Failure, ...]:
  """Runs the trials of a folder that are not complete.

  Args:
    run: (config, run folder) -> None, runs a trial.
    folder: of all trials, claimed.
    configs: of the trials, by their names.

  Returns:
    Those that failed twice.

  Raises:
    sweeps.SweepError: see `open_pool`.
  """
  jobs = folder.jobs_left(configs)
  # The processes of trials are ended, too: who comes next must find their folders free.
  with signals.stopped_by_exception(), open_pool(run) as pool:
    return sweeps.run_jobs(jobs, pool, num_done=len(configs) - len(jobs))


def check_failures(what: str, failures: tuple[sweeps.Failure, ...], num_trials: int) -> None:
  """Refuses a result without some of its trials.

  Args:
    what: failed, in the plural.
    failures: as `run_trials` gives them.
    num_trials: of all trials.

  Raises:
    sweeps.SweepError: something has failed; it lists what.
  """
  if failures:
    listed = '\n'.join(f'  {job.name}: {error} ({job.log_path})' for job, error in failures)
    raise sweeps.SweepError(f'{len(failures)} of {num_trials} {what} failed twice:\n{listed}')
