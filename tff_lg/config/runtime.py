"""Options of what runs the computations."""

import dataclasses

from tff_lg.config.option import ConfigError, option

RUNTIMES = ('local', 'tff', 'ray')

_LOCAL = ('devices', 'clients_per_device', 'stacked_clients')
_RAY = ('ray_address', 'ray_actors', 'ray_actor_cpus', 'ray_actor_gpus')


@dataclasses.dataclass(frozen=True)
class RuntimeOptions:
  """Which runtime, and on what."""

  runtime: str = option(
    'local',
    "Runtime of the computations: this process; TFF's own worker process, whose results differ by "
    'the rounding of floats at most; or this process and Ray actors with the work at clients, '
    'with the same results as this process alone.',
    RUNTIMES,
  )
  ray_address: str = option(
    '',
    'Cluster (--runtime=ray): auto for the one of this machine, HOST:PORT for one of several; '
    'Ray is started on this machine by default, and ended with the run.',
  )
  ray_actors: int = option(1, 'Processes that clients are spread over (--runtime=ray).')
  ray_actor_cpus: float = option(
    1.0, 'CPUs of each Ray actor; it runs as many clients at a time, at least one (--runtime=ray).'
  )
  ray_actor_gpus: float = option(
    0.0, 'GPUs of each Ray actor; 0.5 for two actors that share one (--runtime=ray).'
  )
  devices: tuple[str, ...] = option(
    ('auto',),
    'Devices that clients run on (--runtime=local): auto for all GPUs, else the CPU; cpu; or '
    'names such as gpu:0,gpu:1.',
  )
  clients_per_device: int | None = option(
    None,
    'Clients that run on a device at the same time (--runtime=local); as many as there are cores '
    'on the CPU and four on a GPU by default.',
  )
  stacked_clients: int = option(
    1,
    'Clients with equally many examples, and the same share of the work, that are trained in one '
    'call (--runtime=local): on a CPU faster for small networks alone; 0 to measure whether it is. '
    'Results differ by the rounding of floats.',
  )


def check(options: RuntimeOptions) -> None:
  """Refuses options that contradict each other.

  Raises:
    ConfigError: the first of them.
  """
  defaults = RuntimeOptions()
  for runtime, names in (('local', _LOCAL), ('ray', _RAY)):
    given = [name for name in names if getattr(options, name) != getattr(defaults, name)]
    if given and options.runtime != runtime:
      raise ConfigError(
        f'--{given[0]} belongs to --runtime={runtime}, but --runtime is {options.runtime}.'
      )
  for name, allowed, expected in (
    ('clients_per_device', lambda value: value > 0, 'more than 0'),
    ('stacked_clients', lambda value: value >= 0, '0 or more'),
    ('ray_actors', lambda value: value > 0, 'more than 0'),
    ('ray_actor_cpus', lambda value: value > 0, 'more than 0'),
    ('ray_actor_gpus', lambda value: value >= 0, '0 or more'),
  ):
    value = getattr(options, name)
    if value is not None and not allowed(value):
      raise ConfigError(f'--{name} is {value}, expected {expected}.')
