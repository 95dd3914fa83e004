"""A run of a mixing config: what `mixing` and published tables have in common."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipelines import config_flags, run_dirs
from tff_lg import config as config_lib
from tff_lg import file_names, files, progress, strict_json, tasks
from tff_lg.experiments.mixing_config import MixingConfig, fast_mixing

if TYPE_CHECKING:  # TensorFlow takes seconds to import.
  from tff_lg.experiments.mixing import MixingResult

load_folder = run_dirs.load_final_metrics

FIGURE = os.path.join(file_names.FIGURES, 'mixing.png')


def read(holders: config_flags.Holders) -> MixingConfig:
  """Returns the config that the flags say; `ConfigError` for flags that cannot be."""
  return config_flags.read_as(MixingConfig, holders, fast_mixing)


def config_from_arguments(arguments: Sequence[str]) -> MixingConfig:
  """Returns the config that a command line says."""
  return config_flags.parse(arguments, MixingConfig, read)


def look_at_data(config: MixingConfig) -> None:
  """Looks for the files of MNIST, if they are named; `DataError` if they are missing."""
  if config.data_dir:
    tasks.TASKS['mnist'].look_at_files(None, config.data_dir)


def flag_lines(config: MixingConfig) -> str:
  """Returns the flags of a run, by which its folder is known."""
  return run_dirs.flag_lines(dataclasses.asdict(config))


def run(
  config: MixingConfig, run_dir: str, runtime: config_lib.RuntimeOptions | None = None
) -> MixingResult:
  """Trains, mixes, draws and writes; pools of trials call it.

  Raises:
    ValueError, OSError, RuntimeError: what cannot be, one sentence.
  """
  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import simulation
    from tff_lg.analysis import style
    from tff_lg.analysis.figures import mixing as figures
    from tff_lg.experiments import mixing

  simulation.set_execution_context(runtime)
  result = mixing.run_mixing(config)
  figure = figures.loss_over_mixing_weight(result.thetas, result.losses, result.alone)
  contents: dict[str, str | bytes] = {
    file_names.FLAGS: flag_lines(config),
    FIGURE: style.png_bytes(figure),
    'mixing.csv': result.as_csv(),
    file_names.SUMMARY: strict_json.dumps(result.summary()),
  }
  for name, content in contents.items():
    files.write_atomically(os.path.join(run_dir, name), content)
  return result
