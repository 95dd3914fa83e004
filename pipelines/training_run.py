"""A run of a training config: what `train`, sweeps and published tables have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines import config_flags
from tff_lg import config as config_lib
from tff_lg import progress, tasks
from tff_lg.run_folder import warm_start

if TYPE_CHECKING:  # pandas takes a second to import.
  from tff_lg import analysis

config_from_arguments = config_flags.parse


def look_at_data(config: config_lib.TrainConfig) -> None:
  """Looks at a config's files, before TensorFlow is imported.

  Raises:
    DataError: files are missing or cannot be data; one sentence.
  """
  options = config_lib.TASK_OPTIONS.build(config, config.task)
  tasks.TASKS[config.task].look_at_files(options, config.data_dir)


def check_warm_start(config: config_lib.TrainConfig, run_dir: str) -> None:
  """Checks the run that --warm_start_from names, before TensorFlow is imported.

  Raises:
    ValueError: its rounds are not those of the config's warm start; one sentence.
  """
  source = warm_start.find_source(config.warm_start_from, run_dir)
  config_lib.check_warm_start(config, source)


def run(config: config_lib.TrainConfig, run_dir: str, began: float | None = None) -> None:
  """Runs a config in its folder, or resumes there; pools of trials call it.

  Args:
    config: resolved.
    run_dir: the run folder.
    began: when the command began, by `time.monotonic`; by default now, with TensorFlow imported.

  Raises:
    ValueError, OSError, RuntimeError: what cannot be, one sentence.
  """
  check_warm_start(config, run_dir)
  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import simulation

  simulation.set_execution_context(config)
  simulation.run_experiment(config, run_dir, began)


def load_folder(run_dir: str) -> analysis.RunFolder:
  """Reads the folder of a finished run; `analysis.RunFolderError` if it cannot."""
  from tff_lg import analysis  # pandas takes a second to import.

  return analysis.RunFolder.load(run_dir)
