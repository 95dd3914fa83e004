r"""Lets a new device with transformed data join finished training runs: what is forgotten?

  python -m pipelines.train --task=digits --partition=iid --method=fedavg --run_dir=runs/fedavg
  python -m pipelines.train --task=digits --partition=iid --method=lg_fedavg --run_dir=runs/lg
  python -m pipelines.new_device --from_run=runs/fedavg,runs/lg --transform=rotate90 \
    --train_examples=300 --test_examples=100 --rounds=100 --run_dir=runs/new_device

Training of each run continues from its last round, by its own method. The new device takes part in
each round, with a share C of the old ones (--old_clients_share; each C is a separate run). Prints
the accuracy of the old devices (normal) and of the new one by method and C. It also prints the
accuracy of the best model that the new device trains alone (--own_models). Source runs of one
method and partition that differ only in their seed are averaged. Writes figures/forgetting.png
(both by round), curves.csv, clients.parquet (each device before and after) and summary.json. Rerun
the same command to resume.

Liang et al. 2020, Table 3; docs/PROTOCOL.md P3.
"""

import os

from absl import flags

from pipelines import config_flags, launch, new_device_run, path_flags, run_dirs, runtime_flags
from tff_lg import config as config_lib
from tff_lg import progress
from tff_lg.experiments import new_device_rows
from tff_lg.run_folder import source_run

_RUN_DIR = path_flags.define('run_dir', None, 'Folder of this run: created, or resumed.')
_CONFIG = config_flags.define(
  config_class=config_lib.NewDeviceConfig,
  fast_help='Three rounds of a device with 100 examples, in seconds for a small run.',
)
flags.adopt_module_key_flags(runtime_flags)


# What a sweep calls.
run = new_device_run.run
config_from_arguments = new_device_run.config_from_arguments


def main() -> None:
  """Checks the flags, then trains on, draws and prints."""
  config, runtime = new_device_run.read(_CONFIG), runtime_flags.read()
  run_dir = launch.given(_RUN_DIR, 'a folder for this run')
  run_dirs.check_can_be_made(run_dir)
  sources = {path: source_run.load_config(path) for path in config.from_run}
  for path, source in sources.items():
    config_lib.check_new_device(path, source)
  new_device_rows.check_rows(sources)

  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import analysis, simulation
    from tff_lg.experiments import new_device

  simulation.set_execution_context(runtime)
  new_device.run_new_device(config, run_dir)
  report = analysis.write_new_device_report(run_dir)
  text = analysis.new_device_text(run_dir)
  print(f'\n{text}')
  print(f'\nReport: {os.path.abspath(report)}')


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume after the newest checkpoint')
