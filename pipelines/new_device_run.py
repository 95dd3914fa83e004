"""A run of a new-device config: what `new_device`, sweeps and published tables have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipelines import config_flags
from tff_lg import config as config_lib

if TYPE_CHECKING:  # pandas takes a second to import.
  from tff_lg import analysis


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


def load_folder(run_dir: str) -> analysis.FinalMetrics:
  """Reads the folder of a finished run; `analysis.RunFolderError` if it cannot."""
  from tff_lg import analysis  # pandas takes a second to import.

  return analysis.FinalMetrics.load(run_dir)
