r"""Compares methods by a suite, a paper's protocol on its data, and writes a leaderboard.

  python -m pipelines.benchmark --suite=motley_cross_silo --data=school.mat --run_dir=runs/school
  python -m pipelines.benchmark --suite=byzantine --data=mnist --run_dir=runs/byzantine
  python -m pipelines.benchmark --runs=runs/fedavg,runs/ditto_0,runs/ditto_1 --run_dir=runs/board

Each method is trained at points of its grid and repeated at the point with the best mean score on
validation data. The search moves from the middle of the grid to better neighbours, one option after
another. A grid grows while its best value is at an end. Flags after `--` are those of
`pipelines.train` and `pipelines.adapt`, for all runs. Rerun the same command to resume.

--runs trains nothing: its rows are finished runs of `pipelines.train`, with their baselines, and of
`pipelines.adapt`. Runs that differ only in the seed are repeats of one row.

Writes leaderboard.html and leaderboard.csv into --run_dir, one row per method. --suite=byzantine
compares rules by their worst case over attacks, and also writes robustness.csv and report.html.
"""

import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any

from absl import flags

from pipelines import (
  launch,
  outside,
  path_flags,
  robustness_trials,
  run_dirs,
  signals,
  suite_trials,
  trial_pools,
)
from tff_lg import progress, suites, sweeps
from tff_lg.config.option import ConfigError

outside.define()
_SUITES: dict[str, Any] = {**suites.SUITES, **suites.ROBUSTNESS_SUITES}
_SUITE = flags.DEFINE_enum(
  'suite',
  None,
  list(_SUITES),
  f'The suite to run. {" ".join(f"{n}: {e.label}." for n, e in _SUITES.items())}',
)
_DATA = path_flags.define(
  'data',
  None,
  'The data. ' + ' '.join(f'{name}: {entry.data}.' for name, entry in _SUITES.items()),
)
_RUN_DIR = path_flags.define('run_dir', None, 'Folder of the comparison: created, or resumed.')
_RUNS = path_flags.define_list('runs', [], 'Folders of finished runs to compare, without --suite.')
_METHODS = flags.DEFINE_list(
  'methods',
  [],
  'Rows of the suite, or other federated methods, to compare; all rows of the suite by default.',
)
_REPEATS = flags.DEFINE_integer(
  'repeats', None, "Repeats of each method, with seeds from 0; the suite's by default."
)
_SEARCH_REPEATS = flags.DEFINE_integer(
  'search_repeats', None, 'Repeats for comparing points of a grid; all by default.'
)
_SEARCH = flags.DEFINE_enum(
  'search',
  suites.SEARCHES[0],
  suites.SEARCHES,
  'Which points of the grid are tried: better neighbours, all, or only the first one.',
)
_ROUNDS = flags.DEFINE_integer('rounds', None, "Rounds of each run; the suite's by default.")
_GRID = flags.DEFINE_multi_string(
  'grid',
  [],
  'Some cells or attacks of a suite of robustness: byzantine, similarity or attack=value,value.',
)
_FAST = flags.DEFINE_bool(
  'fast', False, 'A complete small comparison on generated data in less than a minute.'
)
flags.adopt_module_key_flags(trial_pools)


def _check() -> str:
  """Checks the flags; gives the folder.

  Raises:
    ConfigError: one that is missing or does not fit.
  """
  run_dir = launch.given(_RUN_DIR, 'a folder for this comparison')
  if bool(_SUITE.value) == bool(_RUNS.value):
    raise ConfigError('Expected either --suite, or --runs with finished runs.')
  for number in (_REPEATS, _SEARCH_REPEATS, _ROUNDS):
    if number.value is not None and number.value < 1:
      raise ConfigError(f'--{number.name} is {number.value}, expected 1 or more.')
  if _RUNS.value:
    of_suite: tuple[flags.FlagHolder[Any], ...] = (_DATA, _METHODS, _REPEATS, _ROUNDS, _FAST)
    for flag in (*of_suite, _SEARCH, _SEARCH_REPEATS, _GRID):
      if flag.present:
        raise ConfigError(f'--{flag.name} is given, but it belongs to --suite.')
  return run_dir


def _plan(name: str, arguments: Sequence[str]) -> suite_trials.Plan | robustness_trials.Plan:
  """Reads what is to be compared."""
  suite, is_fast = _SUITES[name], _FAST.value
  make = suite_trials.Plan if name in suites.SUITES else robustness_trials.Plan
  if _GRID.value:
    if name in suites.SUITES:
      raise ConfigError(f'--grid is given, but --suite={name} has no cells.')
    suite = suite.narrowed([sweeps.parse_axis(text) for text in _GRID.value])
  repeats = _REPEATS.value or (2 if is_fast else suite.num_repeats)
  return make(
    suite,
    methods=suite.choose_methods(_METHODS.value),
    data=_DATA.value,
    arguments=tuple(arguments),
    num_repeats=repeats,
    search_repeats=min(_SEARCH_REPEATS.value or repeats, repeats),
    search='start' if is_fast else _SEARCH.value,
    rounds=_ROUNDS.value or suite.rounds,
    is_fast=is_fast,
  )


def main(argv: Sequence[str]) -> None:
  """Checks the flags, then trains and compares."""
  command = f'python -m pipelines.benchmark {shlex.join(sys.argv[1:])}'
  run_dir = _check()
  run_dirs.check_can_be_made(run_dir)
  plan = _plan(_SUITE.value, argv[1:]) if _SUITE.value else None
  if plan is None and argv[1:]:
    raise ConfigError(f'Unexpected argument {argv[1]!r}; use --name=value.')
  if plan is not None:
    plan.check()
  run_dirs.lock_folder(run_dir)

  with progress.stage('importing pandas'):
    from tff_lg import analysis

  if plan is None:
    table, written = analysis.compare_folders(run_dir, _RUNS.value or (), command)
  else:
    with signals.stopped_by_exception(), trial_pools.open_pool(suite_trials.run_trial) as pool:
      table, written = plan.run(run_dir, pool, command)
  print('\n'.join(['', analysis.to_text(table), '', *map(os.path.abspath, written)]))


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume', takes_arguments=True)
