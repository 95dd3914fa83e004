"""An advice for each of several seeds, on processes or Ray, and the one of all of them.

Its folder is that of a sweep without axes: the same command resumes in it.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

from pipelines import run_dirs, trial_pools
from tff_lg import config as config_lib
from tff_lg import sweeps
from tff_lg.experiments import advise_config
from tff_lg.run_folder import run_settings


@dataclasses.dataclass(frozen=True)
class AdviseRun:
  """The settings of one advice: of `advise_config.base_config`, and what is tried."""

  base: config_lib.TrainConfig
  options: advise_config.AdviseOptions


def plan(
  base: config_lib.TrainConfig, options: advise_config.AdviseOptions, seeds: Sequence[int]
) -> dict[str, AdviseRun]:
  """Lists the runs by their names; all have the clients and test examples of the first seed.

  Raises:
    sweeps.SweepError: a seed comes twice; one sentence.
  """
  if len(seeds) < 2:
    raise config_lib.ConfigError(
      f'--seeds is {",".join(map(str, seeds))}, expected two seeds or more; --seed takes one.'
    )
  given = base.partition_seed
  runs = {}
  for trial in sweeps.build_trials((), seeds, needs_axis=False):
    changes: dict[str, Any] = {'seed': trial.seed}
    if given is None and trial.seed != seeds[0]:
      changes['partition_seed'] = seeds[0]
    runs[trial.name] = AdviseRun(dataclasses.replace(base, **changes), options)
  trial_pools.check({name: run.base for name, run in runs.items()})
  return runs


def run_all(runs: dict[str, AdviseRun], run_dir: str) -> None:
  """Runs what is not complete, then writes the advice of all.

  Raises:
    ValueError, OSError: the folder holds something else, or a run failed twice; one sentence.
  """
  folder = sweeps.SweepFolder(run_dir, '--run_dir', 'set of runs')
  run_dirs.lock_folder(run_dir)
  trials = sweeps.build_trials((), [run.base.seed for run in runs.values()], needs_axis=False)
  folder.claim('advise', (), trials, runs, run_settings.TRIAL_CHANGES)
  failures = trial_pools.run_trials(run_one, folder, runs)
  trial_pools.check_failures('runs', failures, len(runs))

  # pandas takes seconds to import.
  from tff_lg.experiments import advise_seeds

  base = next(iter(runs.values())).base
  advise_seeds.combine(base, run_dir, [folder.run_dir(name) for name in runs])


def run_one(run: AdviseRun, run_dir: str) -> None:
  """Runs the advice of one seed in its folder, or resumes there; pools of trials call it."""
  # TensorFlow takes seconds to import.
  from tff_lg import simulation
  from tff_lg.experiments import advise

  simulation.set_execution_context(run.base)
  advise.run_advise(run.base, run.options, run_dir)
