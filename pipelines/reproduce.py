r"""Repeats a table of a paper, and shows how far our numbers are from it.

  python -m pipelines.reproduce mnist_lg --data=mnist --run_dir=runs/mnist_lg
  python -m pipelines.reproduce digits_lg --quick --run_dir=runs/quick

Without a table it lists all tables. Each table is a few runs for each seed. They are of
`pipelines.train`, of `pipelines.mixing`, or of a pipeline that starts from a training run:
`pipelines.adapt`, `pipelines.new_device`. Rerun the same command to resume; more --seeds are added.
Flags after `--` apply to all runs that start from no other.

It writes table.md into --run_dir. With --record=docs it also writes docs/results/TABLE.json and the
table's part of docs/RESULTS.md, so that nobody types a number. Seeds that TABLE.json has already
are kept, so that --seeds=0 and --seeds=1 may run on different days or machines. The page also lists
the tables that lack seeds, and has charts of stored tables, drawn into docs/images. Without a
table, --record=docs writes all stored tables into the page again. The flag --quick runs a tenth of
the rounds and epochs with one seed: it shows that a table can be made, and compares nothing.
"""

import os
from collections.abc import Sequence

from absl import flags

from pipelines import launch, path_flags, table_runs, trial_pools
from tff_lg import file_names, files, progress, published, sweeps
from tff_lg.config.option import ConfigError

_RUN_DIR = path_flags.define('run_dir', None, 'Folder of the runs: created, or resumed.')
_DATA = path_flags.define('data', None, 'The data of the table, as in the list of tables.')
_QUICK = flags.DEFINE_bool(
  'quick', False, 'Run a tenth of the rounds and epochs with one seed; compare nothing.'
)
_RECORD = path_flags.define(
  'record', None, 'Folder of the documentation, whose RESULTS.md gets the table.'
)
flags.adopt_module_key_flags(trial_pools)


def _choose(argv: Sequence[str]) -> tuple[published.TableEntry, list[str]]:
  """Returns the table that the command line names, and further flags of its runs.

  Raises:
    ConfigError: no table, or flags that do not fit it.
  """
  name, *rest = argv
  if name not in published.TABLES:
    known = [table.name for tables in published.by_paper().values() for table in tables]
    raise ConfigError(f'Unexpected argument {name!r}, expected a table: {", ".join(known)}.')
  table = published.TABLES[name]
  if unknown := [each for each in rest if not each.startswith('--')]:
    raise ConfigError(f'Unexpected argument {unknown[0]!r}; use --name=value.')
  sweeps.check_common(rest)
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


def _seeds(table: published.TableEntry) -> tuple[int, ...]:
  """Returns the seeds of a table's runs; the first one with --quick."""
  given = trial_pools.SEEDS.value
  seeds = sweeps.parse_seeds(given) if given else table.seeds
  return seeds[:1] if _QUICK.value else seeds


def main(argv: Sequence[str]) -> None:
  """Checks the flags, then runs, measures and compares."""
  if len(argv) < 2:
    print(published.describe_tables())
    if _RECORD.value:
      from tff_lg.published import page

      page.rewrite(_RECORD.value)
    return
  table, rest = _choose(argv[1:])
  run_dir, seeds = launch.given(_RUN_DIR), _seeds(table)
  runs = table_runs.plan(table, run_dir, seeds, data=_DATA.value, flags=rest, is_quick=_QUICK.value)
  minutes = table.cpu_minutes * len(seeds) / (10 if _QUICK.value else 1)
  print(
    f'{len(runs.trials)} runs of {len(seeds)} seeds take about {minutes:.0f} CPU minutes in all.'
  )
  with progress.stage('importing pandas'):
    from tff_lg.published import outcome as outcomes
    from tff_lg.published import page
  settings = table_runs.identify(table)
  if _RECORD.value:  # Before the runs, so that they are not in vain.
    page.load_recorded(_RECORD.value, table, settings)

  found = table_runs.run(runs)
  outcome = outcomes.measure(table, found)
  text = page.render(table, outcome, is_compared=not _QUICK.value)
  files.write_atomically(os.path.join(run_dir, file_names.TABLE), f'{text}\n')
  if _RECORD.value:
    page.record(_RECORD.value, table, outcome, settings)
  print(f'\n{text}')


if __name__ == '__main__':
  launch.run(main, after_stop='rerun the same command to resume', takes_arguments=True)
