"""Trains clients' models by one method, beside its baselines.

  python -m pipelines.train --task=digits --method=lg_fedavg --rounds=40 --run_dir=runs/try
  python -m pipelines.train --flagfile=pipelines/configs/mnist_lg_fedavg.flags --data_dir=mnist

Writes a run folder with metrics by round, a table of clients, checkpoints and
report.html. The same command again goes on where a stopped run was.
"""

import os
import sys
from collections.abc import Sequence

from absl import logging

from pipelines import config_flags, launch, path_flags, run_dirs
from tff_lg import config as config_lib
from tff_lg import environment, progress, tasks
from tff_lg.run_folder import changed_settings, run_settings

RUN_DIR = path_flags.define('run_dir', None, 'Folder of this run: made, or gone on with.')
CONFIG = config_flags.define()

# What a sweep calls, beside `run`.
config_from_arguments = config_flags.parse
may_change = changed_settings.may_change


def run(config: config_lib.TrainConfig, run_dir: str, began: float | None = None) -> None:
  """Runs a config in its folder, or goes on with it; also what a sweep calls.

  Args:
    config: resolved.
    run_dir: the run folder.
    began: when the command began, by `time.monotonic`; by default now, with TensorFlow imported.

  Raises:
    ValueError, OSError, RuntimeError: what cannot be, one sentence.
  """
  # TensorFlow takes seconds to import: only once the flags are known to be good.
  from tff_lg import simulation

  simulation.set_execution_context(config)
  simulation.run_experiment(config, run_dir, began)


def look_at_data(config: config_lib.TrainConfig) -> None:
  """Looks at a config's files, before TensorFlow is imported.

  Raises:
    DataError: files are missing or cannot be data; one sentence.
  """
  options = config_lib.TASK_OPTIONS.build(config, config.task)
  tasks.TASKS[config.task].look_at_files(options, config.data_dir)


def main(argv: Sequence[str]) -> None:
  """Checks the flags, then loads, trains and reports."""
  try:
    if len(argv) > 1:
      raise config_lib.ConfigError(f'{argv[1]} is no flag: write --name=value.')
    if not RUN_DIR.value:
      raise config_lib.ConfigError('--run_dir is missing: name a folder for this run.')
    config = config_flags.read(CONFIG)
    environment.check_environment()
    run_dirs.check_can_be_made(RUN_DIR.value)
    run_settings.check(RUN_DIR.value, config)
    look_at_data(config)
  except (ValueError, OSError, environment.UnsupportedEnvironmentError) as error:
    sys.exit(f'train: {error}')

  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import analysis, simulation

  try:
    run(config, RUN_DIR.value, launch.BEGAN)
    with progress.stage('writing the report'):
      report = analysis.write_report(RUN_DIR.value)
      text = analysis.comparison_text(RUN_DIR.value)
  except simulation.RUN_ERRORS as error:
    logging.debug('Traceback', exc_info=True)
    sys.exit(f'train: {error}')
  print(f'\n{text}')
  print(f'\nReport: {os.path.abspath(report)}')


if __name__ == '__main__':
  launch.run(main, after_stop='the same command goes on from the last checkpoint')
