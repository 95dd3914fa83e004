r"""Repeats a table of a paper, and shows how far our numbers are from it.

  python -m pipelines.reproduce mnist_lg --data=mnist --run_dir=runs/mnist_lg
  python -m pipelines.reproduce digits_lg --quick --run_dir=runs/quick

Without a table it lists all tables. Each table is a few runs of `pipelines.train` for each seed.
Rerun the same command to resume; more --seeds are added. Flags after `--` apply to all runs.

It writes table.md into --run_dir. With --record=docs it also writes docs/results/TABLE.json and the
table's part of docs/RESULTS.md, so that nobody types a number. The flag --quick runs a tenth of the
rounds with one seed: it shows that a table can be made, and compares nothing.
"""

import dataclasses
import os
from collections.abc import Mapping, Sequence

from absl import flags

from pipelines import config_flags, launch, path_flags, run_dirs, training_run, trial_pools
from tff_lg import config as config_lib
from tff_lg import files, progress, published, sweeps
from tff_lg.config.option import ConfigError
from tff_lg.run_folder import changed_settings

_RUN_DIR = path_flags.define('run_dir', None, 'Folder of the runs: created, or resumed.')
_DATA = path_flags.define('data', None, 'The data of the table, as in the list of tables.')
_QUICK = flags.DEFINE_bool(
  'quick', False, 'Run a tenth of the rounds with one seed; compare nothing.'
)
_RECORD = path_flags.define(
  'record', None, 'Folder of the documentation, whose RESULTS.md gets the table.'
)
flags.adopt_module_key_flags(trial_pools)

_CONFIGS = os.path.join(os.path.dirname(__file__), 'configs')
_AXIS = 'run'
_SHORTER = ('rounds', 'warm_start_rounds', 'evaluate_every', 'checkpoint_every')


def _choose(argv: Sequence[str]) -> tuple[published.TableEntry, list[str]]:
  """Returns the table that the command line names, and further flags of its runs.

  Raises:
    ConfigError: no table, or flags that do not fit it.
  """
  name, *rest = argv
  if name not in published.TABLES:
    raise ConfigError(
      f'Unexpected argument {name!r}, expected a table: {", ".join(published.TABLES)}.'
    )
  table = published.TABLES[name]
  if unknown := [each for each in rest if not each.startswith('--')]:
    raise ConfigError(f'Unexpected argument {unknown[0]!r}; use --name=value.')
  launch.given(_RUN_DIR, 'a folder for the runs')
  if table.data and not _DATA.value:
    raise ConfigError(f'--data is missing, expected {table.data}.')
  if _DATA.value and not table.data:
    raise ConfigError(f'--data is {_DATA.value}, but the data of {name} are embedded.')
  if _QUICK.value and (trial_pools.SEEDS.value or _RECORD.value):
    raise ConfigError('--quick has one seed and is not recorded: leave out --seeds and --record.')
  if _RECORD.value and rest:
    raise ConfigError(f'--record takes runs with the flags of the table, found {rest[0]}.')
  return table, rest


def _config(run: published.Run, seed: int, rest: Sequence[str]) -> config_lib.TrainConfig:
  """Returns the config of a run; a tenth of its rounds with --quick."""
  *given, of_seed = published.arguments_of(run, _CONFIGS, _DATA.value, seed)
  config = config_flags.parse([*given, *rest, of_seed])
  if not _QUICK.value:
    return config
  return dataclasses.replace(config, **{n: -(-getattr(config, n) // 10) for n in _SHORTER})


def _run(table: published.TableEntry, rest: Sequence[str]) -> Mapping[int, Mapping[str, str]]:
  """Runs what is not complete; returns the run folders by seed and name.

  Raises:
    ValueError, OSError: flags, data or folders do not fit; one sentence.
  """
  seeds = sweeps.parse_seeds(trial_pools.SEEDS.value) if trial_pools.SEEDS.value else table.seeds
  seeds = seeds[:1] if _QUICK.value else seeds
  axis = sweeps.Axis(_AXIS, tuple(run.name for run in table.runs))
  trials = sweeps.build_trials([axis], seeds)
  runs = {run.name: run for run in table.runs}
  names = {trial.name: dict(trial.values)[_AXIS] for trial in trials}
  configs = {trial.name: _config(runs[names[trial.name]], trial.seed, rest) for trial in trials}
  trial_pools.check(configs)
  for config in configs.values():
    training_run.look_at_data(config)
  run_dir = launch.given(_RUN_DIR)
  run_dirs.check_can_be_made(run_dir)
  run_dirs.lock_folder(run_dir)
  folder = sweeps.SweepFolder(run_dir, '--run_dir', 'table')
  may_change = changed_settings.may_change
  folder.claim('train', [axis], trials, configs, config_lib.WITHOUT_EFFECT, may_change)
  minutes = table.cpu_minutes * len(seeds) / (10 if _QUICK.value else 1)
  print(f'{len(trials)} runs of {len(seeds)} seeds take about {minutes:.0f} CPU minutes in all.')
  failures = trial_pools.run_trials(training_run.run, folder, configs)
  trial_pools.check_failures('runs', failures, len(trials))
  found: dict[int, dict[str, str]] = {}
  for trial in trials:
    found.setdefault(trial.seed, {})[names[trial.name]] = folder.run_dir(trial.name)
  return found


def main(argv: Sequence[str]) -> None:
  """Checks the flags, then runs, measures and compares."""
  if len(argv) < 2:
    print(published.describe_tables())
    return
  table, rest = _choose(argv[1:])
  folders = _run(table, rest)

  with progress.stage('importing pandas'):
    from tff_lg import analysis
    from tff_lg.published import outcome as outcomes
    from tff_lg.published import page

  runs = {
    seed: {name: analysis.RunFolder.load(path) for name, path in of_seed.items()}
    for seed, of_seed in folders.items()
  }
  outcome = outcomes.measure(table, runs)
  text = page.render(table, outcome, is_compared=not _QUICK.value)
  files.write_atomically(os.path.join(launch.given(_RUN_DIR), 'table.md'), f'{text}\n')
  if _RECORD.value:
    page.record(_RECORD.value, table, outcome)
  print(f'\n{text}')


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume', takes_arguments=True)
