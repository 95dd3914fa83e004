"""Several runs of one config with different seeds or folds, on processes or Ray, and their report.

Its folder is that of a sweep, with an axis of folds or none: the same command resumes in it.
"""

import dataclasses
import os
import shlex
import sys
from collections.abc import Mapping
from typing import Any

from absl import flags

from pipelines import run_dirs, training_run, trial_pools
from tff_lg import config as config_lib
from tff_lg import sweeps
from tff_lg.run_folder import run_settings

_SAME_CLIENTS = flags.DEFINE_bool(
  'same_clients',
  True,
  'Whether runs with --seeds have the clients and the test examples of the first seed, or of '
  '--partition_seed. This allows verdicts over all seeds. Otherwise each seed distributes and '
  'splits the data again.',
)
flags.adopt_module_key_flags(trial_pools)

# Flags that mean nothing to a single run.
_OF_SETS = ('same_clients', 'max_concurrent', 'trials_on')


def is_wanted(config: config_lib.TrainConfig) -> bool:
  """Returns whether the flags ask for several runs: for seeds, or for folds without --fold.

  Raises:
    config_lib.ConfigError: they ask for one, with flags of several; one sentence.
  """
  if trial_pools.SEEDS.value is not None or config.folds is not None and config.fold is None:
    return True
  for name in _OF_SETS:
    if flags.FLAGS[name].present:
      raise config_lib.ConfigError(
        f'--{name} belongs to several runs, but there are neither --seeds nor --folds without '
        '--fold.'
      )
  return False


def read_seeds() -> tuple[int, ...] | None:
  """Returns the seeds that --seeds names, None without the flag.

  Raises:
    config_lib.ConfigError, sweeps.SweepError: they cannot be; one sentence.
  """
  if trial_pools.SEEDS.value is None:
    return None
  if flags.FLAGS['seed'].present:
    raise config_lib.ConfigError('--seed and --seeds are both given, expected one of them.')
  return sweeps.parse_seeds(trial_pools.SEEDS.value)


@dataclasses.dataclass(frozen=True)
class RunSet:
  """The runs that the flags ask for.

  Attributes:
    folder: of all of them.
    axes: of folds, if there are any.
    trials: the runs.
    configs: resolved, by the runs' names.
  """

  folder: sweeps.SweepFolder
  axes: tuple[sweeps.Axis, ...]
  trials: tuple[sweeps.Trial, ...]
  configs: Mapping[str, config_lib.TrainConfig]


def plan(config: config_lib.TrainConfig, run_dir: str) -> RunSet:
  """Lists the runs that the flags ask for; writes nothing.

  Args:
    config: as the user gave it.
    run_dir: the folder of all runs.

  Raises:
    ValueError: flags or a folder that cannot be; one sentence.
  """
  axes: tuple[sweeps.Axis, ...] = ()
  if config.folds is not None and config.fold is None:
    axes = (sweeps.Axis('fold', tuple(map(str, range(max(config.folds, 1))))),)
  seeds = read_seeds() or (config.seed,)
  trials = sweeps.build_trials(axes, seeds, needs_axis=False)
  configs = {}
  for trial in trials:
    changes: dict[str, Any] = {name: int(value) for name, value in trial.values}
    if config.partition_seed is None and _SAME_CLIENTS.value and trial.seed != seeds[0]:
      changes['partition_seed'] = seeds[0]
    changed = dataclasses.replace(config, seed=trial.seed, **changes)
    configs[trial.name] = config_lib.resolve(changed)
  trial_pools.check(configs)
  run_dirs.check_can_be_made(run_dir)
  folder = sweeps.SweepFolder(run_dir, '--run_dir', 'set of runs')
  for name, of_trial in configs.items():
    training_run.check_warm_start(of_trial, folder.run_dir(name))
  return RunSet(folder, axes, trials, configs)


def claim(runs: RunSet) -> None:
  """Makes the folder these runs', new or resumed.

  Raises:
    ValueError: it holds something else; one sentence.
    OSError: it cannot be written.
  """
  run_dirs.lock_folder(runs.folder.path)
  runs.folder.claim(
    'train',
    runs.axes,
    runs.trials,
    runs.configs,
    run_settings.TRIAL_CHANGES,
  )


def run(runs: RunSet) -> None:
  """Runs what is not complete, then writes and prints the report.

  Raises:
    ValueError, OSError: a run failed twice, or something cannot be written; one sentence.
  """
  failures = trial_pools.run_trials(training_run.run, runs.folder, runs.configs)

  # pandas and Matplotlib take seconds to import.
  from tff_lg import analysis

  if len(failures) < len(runs.configs):
    command = f'python -m pipelines.train {shlex.join(sys.argv[1:])}'
    report, text = analysis.write_run_set(runs.folder.path, command)
    print(f'{text}\n\nReport: {os.path.abspath(report)}')
  trial_pools.check_failures('runs', failures, len(runs.configs))
