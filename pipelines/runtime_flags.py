"""The flags of a runtime, for pipelines that don't make theirs of `TrainConfig`."""

from absl import flags

from tff_lg import config as config_lib

_RUNTIME = flags.DEFINE_enum(
  'runtime', 'local', config_lib.RUNTIMES, "What runs the computations: this process, or TFF's own."
)
_DEVICES = flags.DEFINE_list(
  'devices', ['auto'], 'auto for all GPUs, else the CPU; cpu; or names such as gpu:0,gpu:1.'
)
_CLIENTS_PER_DEVICE = flags.DEFINE_integer(
  'clients_per_device', None, 'Clients that run on a device at the same time.', lower_bound=1
)


def set_execution_context() -> None:
  """Makes the runtime that the flags name run all computations.

  Raises:
    ValueError: a device that is not there.
  """
  from tff_lg import simulation  # TensorFlow takes seconds to import.

  simulation.set_execution_context(_RUNTIME.value, _DEVICES.value, _CLIENTS_PER_DEVICE.value)
