r"""Adapts the model of a finished training run to each of its clients, by each client alone.

  python -m pipelines.train --task=digits --method=fedavg --rounds=40 --run_dir=runs/fedavg
  python -m pipelines.adapt --from_run=runs/fedavg --run_dir=runs/fedavg_adapted
  python -m pipelines.adapt --from_run=runs/fedavg --adaptation=ewc,distillation --epochs=20 \
    --learning_rate=0.1,0.01 --max_clients=50 --run_dir=runs/fedavg_adapted_50

Each client continues from its chosen model on its own training data. Validation data choose the
epoch and, if there are several, learning rate and strength. Writes a run folder with a table of
clients, in which their own, federated and adapted models are side by side, and report.html. Rerun
the same command to resume a stopped run.
"""

import os

from absl import flags

from pipelines import adaptation_run, config_flags, launch, path_flags, run_dirs, runtime_flags
from tff_lg import config as config_lib
from tff_lg import progress
from tff_lg.config.option import resolved
from tff_lg.run_folder import source_run

_RUN_DIR = path_flags.define('run_dir', None, 'Folder of this run: created, or resumed.')
_CONFIG = config_flags.define(
  config_class=config_lib.AdaptConfig,
  fast_help='Two epochs of five clients, in seconds for a small run.',
)
flags.adopt_module_key_flags(runtime_flags)


# What a sweep calls.
run = adaptation_run.run
config_from_arguments = adaptation_run.config_from_arguments


def main() -> None:
  """Checks the flags, then loads, adapts and reports."""
  config, runtime = adaptation_run.read(_CONFIG), runtime_flags.read()
  run_dir = launch.given(_RUN_DIR, 'a folder for this run')
  run_dirs.check_can_be_made(run_dir)
  config_lib.resolve_adapt(config, source_run.load_config(resolved(config.from_run)))
  if config.local_only_from is not None:
    source_run.check_own_models(config.local_only_from)

  # TensorFlow takes seconds to import: only once the flags are known to be good.
  with progress.stage('importing TensorFlow'):
    from tff_lg import analysis, personalization, simulation

  simulation.set_execution_context(runtime)
  personalization.run_adaptation(config, run_dir)
  report = analysis.write_adaptation_report(run_dir)
  text = analysis.adaptation_text(run_dir)
  print(f'\n{text}')
  print(f'\nReport: {os.path.abspath(report)}')


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume after the clients that are done')
