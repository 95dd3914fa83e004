r"""Runs a pipeline for each point of a grid of flags and each seed.

  python -m pipelines.sweep --sweep_dir=runs/sweep --grid=method=fedavg,lg_fedavg \
    --grid=classes_per_client=2,5,10 --seeds=0-2 --x_axis=classes_per_client \
    -- --task=digits --rounds=20

Flags after `--` are those of the pipeline (`python -m pipelines.train --help`), for all trials, on
top of those in --flagfile_of_trials; the grid's values take precedence. `-- --fast` is a
small run on embedded data.

Each trial has a run folder in SWEEP_DIR/trials and what it printed in SWEEP_DIR/logs. Rerun the
same command to resume: it skips complete trials and resumes stopped ones. More seeds or values on
the same axes are added. A trial that fails is run once more; one that diverges is not. With
--trials_on=ray, trials run on a Ray cluster. Writes results.csv (one row per trial), table.md (mean
and standard deviation over seeds), figures/ and report.html; `python -m pipelines.report` makes the
page of one trial.
"""

import importlib
import os
import shlex
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from absl import flags

from pipelines import launch, path_flags, run_dirs, trial_pools
from tff_lg import sweeps
from tff_lg.run_folder import run_settings

_SWEEP_DIR = path_flags.define('sweep_dir', None, 'Folder of the sweep: created, or resumed.')
_PIPELINE = flags.DEFINE_string('pipeline', 'train', 'The pipeline that runs the trials.')
_GRID = flags.DEFINE_multi_string(
  'grid',
  [],
  'An axis of the grid: a flag of the pipeline and its values, name=value,value; or '
  'name=value;value where values have commas',
)
_FLAGFILE_OF_TRIALS = path_flags.define('flagfile_of_trials', None, 'File of flags for all trials.')
_METRIC = flags.DEFINE_string(
  'metric',
  None,
  "Entry of the trials' summary.json to show; the main metric on local test data by default.",
)
_X_AXIS = flags.DEFINE_string('x_axis', None, 'Axis along x; by default the first with numbers.')
_SERIES = flags.DEFINE_list(
  'series', [], 'The other axes, in the order of the legend; all by default.'
)
_HEAT_MAP = flags.DEFINE_bool(
  'heat_map',
  False,
  'Also draw a heat map: --x_axis along x, the first of --series along y, a panel for each '
  'value of the others.',
)

flags.adopt_module_key_flags(trial_pools)


def _load_pipeline(name: str) -> ModuleType:
  """Returns the module of a pipeline that can be swept."""
  try:
    pipeline = importlib.import_module(f'pipelines.{name}')
  except ModuleNotFoundError:
    raise sweeps.SweepError(f'--pipeline is {name}, but there is no pipelines.{name}.') from None
  except flags.DuplicateFlagError:
    pipeline = ModuleType(name)  # Its flags are the program's, such as this one's own.
  if not hasattr(pipeline, 'config_from_arguments') or not hasattr(pipeline, 'run'):
    raise sweeps.SweepError(
      f'--pipeline is {name}, which cannot be swept: it has no config_from_arguments and run.'
    )
  return pipeline


def _configs(
  pipeline: ModuleType, trials: Sequence[sweeps.Trial], common: Sequence[str]
) -> dict[str, Any]:
  """Returns what the pipeline makes of each trial's flags, by the trial's name."""
  configs = {}
  for trial in trials:
    try:
      configs[trial.name] = pipeline.config_from_arguments([*common, *trial.arguments])
    except (flags.Error, ValueError) as error:
      raise sweeps.SweepError(f'trial {trial.name}: {error}') from error
  return configs


def _command() -> str:
  """Returns the command line, of this pipeline or of one that calls it."""
  name = os.path.splitext(os.path.basename(sys.argv[0]))[0]
  return f'python -m pipelines.{name} {shlex.join(sys.argv[1:])}'


def main(argv: Sequence[str]) -> None:
  """Checks the flags of all trials, runs the trials, writes table and figures."""
  common = list(argv[1:])
  sweeps.check_common(common)
  if _FLAGFILE_OF_TRIALS.value:
    common.insert(0, f'--flagfile={_FLAGFILE_OF_TRIALS.value}')
  sweep_dir = launch.given(_SWEEP_DIR, 'a folder for this sweep')
  axes = [sweeps.parse_axis(text) for text in _GRID.value]
  trials = sweeps.build_trials(axes, sweeps.parse_seeds(trial_pools.SEEDS.value or '0'))
  layout = sweeps.choose_layout(axes, _X_AXIS.value, _SERIES.value, heat_map=_HEAT_MAP.value)
  pipeline = _load_pipeline(_PIPELINE.value)
  configs = _configs(pipeline, trials, common)
  trial_pools.check(configs)
  folder = sweeps.SweepFolder(sweep_dir)
  run_dirs.lock_folder(sweep_dir, '--sweep_dir')
  folder.claim(_PIPELINE.value, axes, trials, configs, run_settings.TRIAL_CHANGES)

  failures = trial_pools.run_trials(pipeline.run, folder, configs)

  # pandas and Matplotlib take seconds to import.
  from tff_lg import analysis

  if len(failures) < len(trials):
    table, written = analysis.write_sweep(
      sweep_dir,
      metric=_METRIC.value,
      x_axis=layout.x_axis,
      series=layout.series,
      command=_command(),
      with_heat_map=_HEAT_MAP.value,
    )
    print('\n'.join(['', analysis.to_text(table), '', *map(os.path.abspath, written)]))
  trial_pools.check_failures('trials', failures, len(trials))


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume', takes_arguments=True)
