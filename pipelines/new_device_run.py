"""A run of a new-device config: what `new_device`, sweeps and published tables have in common."""

from collections.abc import Sequence

from pipelines import config_flags, run_dirs
from tff_lg import config as config_lib

load_folder = run_dirs.load_final_metrics


def read(holders: config_flags.Holders) -> config_lib.NewDeviceConfig:
  """Returns the config that the flags say.

  Raises:
    config_lib.ConfigError: flags that cannot be, or no source run; one sentence.
  """
  config = config_flags.read_as(config_lib.NewDeviceConfig, holders, config_lib.fast_new_device)
  if not config.from_run:
    raise config_lib.ConfigError('--from_run is missing: name folders of finished runs.')
  return config


def config_from_arguments(arguments: Sequence[str]) -> config_lib.NewDeviceConfig:
  """Returns the config that a command line says."""
  return config_flags.parse(arguments, config_lib.NewDeviceConfig, read)


def run(config: config_lib.NewDeviceConfig, run_dir: str) -> None:
  """Trains by a config in its folder, or resumes; pools of trials call it.

  Raises:
    ValueError, OSError, RuntimeError: what cannot be, one sentence.
  """
  # TensorFlow takes seconds to import: only once the flags are known to be good.
  from tff_lg import simulation
  from tff_lg.experiments import new_device

  simulation.set_execution_context()
  new_device.run_new_device(config, run_dir)
