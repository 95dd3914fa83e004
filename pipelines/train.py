"""Trains clients' models by one method, beside its baselines.

  python -m pipelines.train --task=digits --method=lg_fedavg --rounds=40 --run_dir=runs/try
  python -m pipelines.train --flagfile=pipelines/configs/mnist_lg_fedavg.flags --data_dir=mnist

Writes a run folder with metrics by round, a table of clients, checkpoints and
report.html. Rerun the same command to resume a stopped run.

--seeds=0-4 makes a run for each seed, --folds=5 a run for each fold of each client's examples. They
run on --jobs processes. Their folders are in RUN_DIR/trials, and report.html summarizes all runs.
"""

import os
import time

from absl import flags

from pipelines import config_flags, launch, path_flags, run_dirs, run_sets, training_run
from tff_lg import config as config_lib
from tff_lg import progress
from tff_lg.run_folder import run_settings

RUN_DIR = path_flags.define('run_dir', None, 'Folder of this run: created, or resumed.')
CONFIG = config_flags.define()
flags.adopt_module_key_flags(run_sets)

# What a sweep calls.
run = training_run.run
config_from_arguments = training_run.config_from_arguments


def main() -> None:
  """Checks the flags, then loads, trains and reports."""
  run_dir = launch.given(RUN_DIR, 'a folder for this run')
  given = config_flags.read_as(config_lib.TrainConfig, CONFIG, config_lib.fast)
  if run_sets.is_wanted(given):
    runs = run_sets.plan(given, run_dir)
    training_run.look_at_data(next(iter(runs.configs.values())))
    run_sets.claim(runs)
    return run_sets.run(runs)
  config = config_lib.resolve(given)
  run_dirs.check_can_be_made(run_dir)
  run_settings.check(run_dir, config)
  training_run.look_at_data(config)

  run(config, run_dir, launch.BEGAN)
  began = time.monotonic()
  with progress.stage('importing Matplotlib'):
    from tff_lg import analysis  # Not before the first round, which it would delay by a second.

  report = analysis.write_report(run_dir, began=began)
  text = analysis.comparison_text(run_dir)
  print(f'\n{text}')
  print(f'\nReport: {os.path.abspath(report)}')


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume from the last checkpoint')
