"""The flags that say where the trials of a sweep run, and the pool that they name.

No flag has the name of one of a pipeline that is swept.
"""

from collections.abc import Callable, Mapping
from typing import Any

from absl import flags

from tff_lg import sweeps

_PROCESSES, _RAY = 'processes', 'ray'

_TRIALS_ON = flags.DEFINE_enum(
  'trials_on',
  _PROCESSES,
  (_PROCESSES, _RAY),
  'Where trials run: in processes of this machine, or as tasks of a Ray cluster.',
)
_MAX_CONCURRENT = flags.DEFINE_integer(
  'max_concurrent',
  1,
  'Trials run at a time; in processes, each has its share of the cores.',
  lower_bound=1,
)
flags.DEFINE_alias('num_workers', 'max_concurrent')
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
  on_ray = [name for name, config in configs.items() if getattr(config, 'runtime', None) == _RAY]
  if _TRIALS_ON.value == _RAY and on_ray:
    raise sweeps.SweepError(
      f'--trials_on=ray makes each trial a Ray task, but {on_ray[0]} has --runtime=ray, whose '
      'actors would wait for the cores that trials hold: choose one of them.'
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
  )
