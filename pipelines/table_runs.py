"""The runs of a published table, of several pipelines: some start from others of the same seed.

Their folder is that of a sweep over the runs' names, so that the same command resumes.
"""

import dataclasses
import hashlib
import os
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from absl import flags as absl_flags

from pipelines import (
  adaptation_run,
  mixing_run,
  new_device_run,
  run_dirs,
  training_run,
  trial_pools,
)
from tff_lg import published, sweeps
from tff_lg.run_folder import run_settings

# By name: what makes a config of flags, runs it, and reads the folder of a finished run. Those
# whose runs start from no other look at their data first.
PIPELINES: Mapping[str, ModuleType] = {
  'train': training_run,
  'adapt': adaptation_run,
  'new_device': new_device_run,
  'mixing': mixing_run,
}

_CONFIGS = os.path.join(os.path.dirname(__file__), 'configs')
_AXIS = 'run'
_SHORTER = (
  *('rounds', 'warm_start_rounds', 'evaluate_every', 'checkpoint_every'),
  *('epochs', 'evaluate_every_epochs', 'aggregate_epochs', 'client_epochs'),
)


@dataclasses.dataclass(frozen=True)
class TableRuns:
  """The runs of a table with each seed.

  Attributes:
    table: its entry.
    folder: of all of them.
    trials: the runs.
    configs: resolved where they start from no other run, by the trials' names.
  """

  table: published.TableEntry
  folder: sweeps.SweepFolder
  trials: tuple[sweeps.Trial, ...]
  configs: Mapping[str, Any]


def plan(
  table: published.TableEntry,
  run_dir: str,
  seeds: Sequence[int],
  *,
  data: str | None,
  flags: Sequence[str] = (),
  is_quick: bool = False,
) -> TableRuns:
  """Lists the runs of a table; writes nothing.

  Args:
    table: its entry.
    run_dir: the folder of all runs.
    seeds: of each run.
    data: what --data names; None for embedded data.
    flags: further ones of the runs that start from no other.
    is_quick: whether runs have a tenth of their rounds and epochs.

  Raises:
    ValueError, OSError: flags or data that cannot be; one sentence.
  """
  folder = sweeps.SweepFolder(run_dir, '--run_dir', 'table')
  trials = sweeps.build_trials([_axis(table)], seeds)
  runs = {run.name: run for run in table.runs}
  folders: dict[int, dict[str, str]] = {}
  configs = {}
  for trial in trials:
    run = runs[_run_name(trial)]
    of_seed = folders.setdefault(trial.seed, {})
    *given, seed = published.arguments_of(run, _CONFIGS, data, trial.seed, of_seed)
    added = () if run.sources else flags
    config = PIPELINES[run.pipeline].config_from_arguments([*given, *added, seed])
    configs[trial.name] = _shortened(config) if is_quick else config
    of_seed[run.name] = folder.run_dir(trial.name)
  trial_pools.check(configs)
  for trial in trials:
    run = runs[_run_name(trial)]
    if not run.sources:
      PIPELINES[run.pipeline].look_at_data(configs[trial.name])
  run_dirs.check_can_be_made(run_dir)
  return TableRuns(table, folder, trials, configs)


def identify(table: published.TableEntry) -> str:
  """Returns what changes with the flags of a table's runs, and with those of their flag files."""
  names = {run.name: run.name for run in table.runs}
  given = []
  for run in table.runs:
    arguments = published.arguments_of(run, _CONFIGS, '{data}', 0, names)
    given += [run.name, run.pipeline, *absl_flags.FlagValues().read_flags_from_files(arguments)]
  return hashlib.sha256('\n'.join(given).encode()).hexdigest()[:16]


def run(runs: TableRuns) -> dict[int, dict[str, Any]]:
  """Runs what is not complete, step by step.

  Returns:
    What analyses read of the runs, by seed and by the runs' names.

  Raises:
    ValueError, OSError: runs failed twice, or the folder holds something else; one sentence.
  """
  run_dirs.lock_folder(runs.folder.path)
  steps = published.steps(runs.table.runs)
  changes = run_settings.TRIAL_CHANGES
  if len(steps) > 1:  # What other runs start from stays as it was.
    changes = dataclasses.replace(changes, may_change=None)
  runs.folder.claim(
    '+'.join(dict.fromkeys(run.pipeline for run in runs.table.runs)),
    [_axis(runs.table)],
    runs.trials,
    runs.configs,
    changes,
  )
  found: dict[int, dict[str, Any]] = {}
  for step in steps:
    pipeline = PIPELINES[step[0].pipeline]
    names = {run.name for run in step}
    trials = [trial for trial in runs.trials if _run_name(trial) in names]
    configs = {trial.name: runs.configs[trial.name] for trial in trials}
    failures = trial_pools.run_trials(pipeline.run, runs.folder, configs)
    trial_pools.check_failures('runs', failures, len(configs))
    for trial in trials:
      path = runs.folder.run_dir(trial.name)
      found.setdefault(trial.seed, {})[_run_name(trial)] = pipeline.load_folder(path)
  return found


def _axis(table: published.TableEntry) -> sweeps.Axis:
  return sweeps.Axis(_AXIS, tuple(run.name for run in table.runs))


def _run_name(trial: sweeps.Trial) -> str:
  return dict(trial.values)[_AXIS]


def _shortened(config: Any) -> Any:
  """Returns a config with a tenth of its rounds and epochs."""
  numbers = {name: getattr(config, name, None) for name in _SHORTER}
  tenths = {name: _tenth(number) for name, number in numbers.items() if number is not None}
  return dataclasses.replace(config, **tenths)


def _tenth(number: int | tuple[int, ...]) -> int | tuple[int, ...]:
  if isinstance(number, tuple):
    return tuple(dict.fromkeys(-(-each // 10) for each in number))
  return -(-number // 10)
