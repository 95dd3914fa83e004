"""The flags of a runtime, for pipelines that don't make theirs of `TrainConfig`."""

from absl import flags

from tff_lg import config as config_lib

_RUNTIME = flags.DEFINE_enum(
  'runtime',
  'local',
  config_lib.RUNTIMES,
  "What runs the computations: this process, TFF's own, or Ray actors.",
)
_DEVICES = flags.DEFINE_list(
  'devices', ['auto'], 'auto for all GPUs, else the CPU; cpu; or names such as gpu:0,gpu:1.'
)
_CLIENTS_PER_DEVICE = flags.DEFINE_integer(
  'clients_per_device', None, 'Clients that run on a device at the same time.', lower_bound=1
)
_RAY_ADDRESS = flags.DEFINE_string(
  'ray_address', '', 'Cluster of --runtime=ray: auto, HOST:PORT; or Ray is started here.'
)
_RAY_ACTORS = flags.DEFINE_integer(
  'ray_actors', 1, 'Processes that clients are spread over by --runtime=ray.', lower_bound=1
)
_RAY_ACTOR_CPUS = flags.DEFINE_float('ray_actor_cpus', 1.0, 'CPUs of each Ray actor.')
_RAY_ACTOR_GPUS = flags.DEFINE_float('ray_actor_gpus', 0.0, 'GPUs of each Ray actor.')


def set_execution_context() -> None:
  """Makes the runtime that the flags name run all computations.

  Raises:
    ValueError: a device that is not there, or a Ray cluster without room.
    ConnectionError: no Ray cluster that works.
  """
  from tff_lg import simulation  # TensorFlow takes seconds to import.

  simulation.set_execution_context(
    _RUNTIME.value,
    _DEVICES.value,
    _CLIENTS_PER_DEVICE.value,
    ray_address=_RAY_ADDRESS.value,
    ray_actors=_RAY_ACTORS.value,
    ray_actor_cpus=_RAY_ACTOR_CPUS.value,
    ray_actor_gpus=_RAY_ACTOR_GPUS.value,
  )
