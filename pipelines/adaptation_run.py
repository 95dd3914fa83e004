"""A run of an adaptation config: what `adapt`, sweeps and published tables have in common."""

from collections.abc import Sequence

from pipelines import config_flags, run_dirs
from tff_lg import config as config_lib

load_folder = run_dirs.load_final_metrics


def read(holders: config_flags.Holders) -> config_lib.AdaptConfig:
  """Returns the config that the flags say.

  Raises:
    config_lib.ConfigError: flags that cannot be, or no source run; one sentence.
  """
  config = config_flags.read_as(config_lib.AdaptConfig, holders, config_lib.fast_adapt)
  if not config.from_run:
    raise config_lib.ConfigError('--from_run is missing: name the folder of a finished run.')
  return config


def config_from_arguments(arguments: Sequence[str]) -> config_lib.AdaptConfig:
  """Returns the config that a command line says."""
  return config_flags.parse(arguments, config_lib.AdaptConfig, read)


def run(config: config_lib.AdaptConfig, run_dir: str) -> None:
  """Adapts by a config in its folder, or resumes; pools of trials call it.

  Raises:
    ValueError, OSError, RuntimeError: what cannot be, one sentence.
  """
  # TensorFlow takes seconds to import: only once the flags are known to be good.
  from tff_lg import personalization, simulation

  simulation.set_execution_context()
  personalization.run_adaptation(config, run_dir)
