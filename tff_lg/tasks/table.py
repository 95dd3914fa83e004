"""The task `table`: the user's own rows, spread by a column or by a partition."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from tff_lg import data, entries, metrics
from tff_lg.tasks import named, networks, shared, task

_NAME = 'table'
# The columns of the table that is generated without --data_dir.
GENERATED = {'client_column': 'hospital', 'label_column': ('readmitted',)}
# As `tff_lg.data.table_encoding` has them; the first is the default.
STANDARDIZATIONS = ('pooled', 'clients', 'none')

# Options that say which rows are for testing.
_TEST_ROWS = ('test_column', 'time_column', 'test_fraction')


@attrs.frozen(kw_only=True)
class Options:
  """Options of a table."""

  client_column: str | None = entries.option(
    None,
    "Column with each row's client, such as hospital",
    more='Without it --partition spreads the rows over --num_clients.',
  )
  label_column: tuple[str, ...] | None = entries.option(
    None,
    'Column to predict: classes, or numbers with --objective=regression. For '
    '--objective=multilabel several columns of 0 and 1, separated by commas',
  )
  test_column: str | None = entries.option(
    None,
    'Column that tells which rows are for testing: test or train, true or false, 1 or 0',
    by_default='--test_fraction of the rows',
  )
  time_column: str | None = entries.option(
    None,
    "Column with dates or numbers by which the last --test_fraction of each client's rows are for "
    'testing, instead of random ones',
    more='It is not a feature.',
  )
  weight_column: str | None = entries.option(
    None,
    "Column with each row's weight, a number from 0, by which its loss in training is multiplied",
    more='It is not a feature, and metrics count rows alike.',
    by_default='equal weights',
  )
  file_column: str | None = entries.option(
    None,
    "Name for a further column: the name of each row's file without its ending, for a folder with "
    'a file per client or with train.csv and test.csv',
    more='Give it to --client_column or --test_column too; else it is a feature.',
    by_default='no such column',
  )
  input_columns: tuple[str, ...] | None = entries.option(
    None,
    'For a --model of several inputs, the input of each column as input:column, such as '
    'vitals:age,vitals:bmi,place:region',
    by_default='one input with all columns',
  )
  category_columns: tuple[str, ...] | None = entries.option(
    None, 'Columns of numbers that are categories, such as postal codes', by_default='none'
  )
  ignored_columns: tuple[str, ...] | None = entries.option(
    None, 'Columns that are not features', by_default='none'
  )
  standardize: str = entries.option(
    STANDARDIZATIONS[0],
    "Mean and deviation that standardise numbers: pooled, those of all clients' training rows, "
    "from sums over clients; clients, each client's own; none, numbers stay as they are",
    choices=STANDARDIZATIONS,
  )
  test_fraction: float | None = shared.test_fraction()
  hidden_units: tuple[int, ...] = shared.hidden_units(networks.SMALL_UNITS)


def _defaults(config: Any) -> Mapping[str, Any]:
  is_said = config.test_column is not None or config.folds is not None
  fraction = {} if is_said else {'test_fraction': 0.2}
  return {**fraction, **(GENERATED if config.data_dir is None else {})}


def _partition(config: Any) -> str:
  return 'iid' if config.client_column is None and config.data_dir is not None else 'natural'


def _check(config: Any) -> Iterator[str]:
  roles = [
    (f'--{name}', column)
    for name in ('client_column', 'test_column', 'time_column', 'weight_column')
    if (column := getattr(config, name)) is not None
  ]
  roles += [('--label_column', column) for column in config.label_column or ()]
  roles += [('--ignored_columns', column) for column in config.ignored_columns or ()]
  roles += [('--category_columns', column) for column in config.category_columns or ()]
  by_column: dict[str, str] = {}
  for flag, column in roles:
    if column in by_column:
      yield f'{flag} and {by_column[column]} both name the column {column}, expected one of them.'
    by_column[column] = flag
  yield from _check_inputs(config, by_column)
  if config.file_column is not None:
    roles.append(('--file_column', config.file_column))
  if config.data_dir is None:
    yield from _check_generated(config, roles)
  else:
    yield from _check_given(config)
  if config.test_column is not None and config.time_column is not None:
    yield '--test_column and --time_column both say which rows are for testing: give one of them.'
  if config.folds is not None:
    if others := [f'--{name}' for name in _TEST_ROWS if getattr(config, name) is not None]:
      yield f'--folds and {others[0]} both say which rows are for testing: give one of them.'
    if config.data_dir is not None and config.client_column is None:
      yield '--folds splits the rows of each client, which needs --client_column.'
  if config.test_column is not None and config.test_fraction is not None:
    yield '--test_fraction is given, but --test_column says which rows are for testing.'


def _check_inputs(config: Any, by_column: Mapping[str, str]) -> Iterator[str]:
  for pair in config.input_columns or ():
    name, _, column = pair.partition(':')
    if not name or not column:
      yield f'--input_columns has {pair}, expected input:column, such as vitals:age.'
    elif by_column.get(column, '--category_columns') != '--category_columns':
      yield f'--input_columns has the column {column}, which {by_column[column]} names too.'


def _inputs(pairs: tuple[str, ...] | None) -> dict[str, list[str]]:
  """Returns the columns of each input, by its name, in the order of their first mention."""
  inputs: dict[str, list[str]] = {}
  for pair in pairs or ():
    name, _, column = pair.partition(':')
    inputs.setdefault(name, []).append(column)
  return inputs


def _check_generated(config: Any, roles: list[tuple[str, str]]) -> Iterator[str]:
  if roles:
    yield (
      f'{roles[0][0]} is given, but not --data_dir, a CSV or Parquet file or a folder of them; '
      'without it a table is generated.'
    )
  if not metrics.find_objective(config.objective).predicts_classes:
    yield (
      f'--objective is {config.objective}, but the generated table of --task={_NAME} has classes.'
    )
  if config.partition is not None and not data.PARTITIONS[config.partition].keeps_users:
    yield (
      f'--partition is {config.partition}, but the generated table of --task={_NAME} names its '
      'clients: natural.'
    )


def _check_given(config: Any) -> Iterator[str]:
  labels, partition = config.label_column, config.partition or _partition(config)
  is_natural = data.PARTITIONS[partition].is_natural
  if labels is None:
    yield f'--task={_NAME} needs --label_column, the column to predict.'
  if len(labels or ()) > 1 and not metrics.find_objective(config.objective).predicts_labels:
    yield (
      f'--label_column is {",".join(labels)}, expected one column; several are for '
      '--objective=multilabel.'
    )
  if is_natural and config.client_column is None:
    yield f'--partition is {partition}, which needs --client_column.'
  if not is_natural and config.client_column is not None:
    yield (
      f'--client_column is given, but --partition is {partition}, which makes clients of its own: '
      'add the column to --ignored_columns, or use --partition=natural.'
    )


def _look_at_files(options: Options, data_dir: str | None) -> None:
  from tff_lg.data import first_bytes, table_files  # They import NumPy.

  if data_dir is None:
    return
  first_bytes.check_files(data_dir, {})
  path = os.path.expanduser(data_dir)
  roles = (options.client_column, options.test_column, options.time_column, options.weight_column)
  wanted = [*(options.label_column or ()), *filter(None, roles)]
  wanted += [*(options.category_columns or ()), *(options.ignored_columns or ())]
  found = table_files.read_columns(path, options.file_column)
  table_files.check_columns(path, found, wanted)


def _load(options: Options, setting: task.Setting) -> data.Source:
  """Loads the table, or generates one.

  Raises:
    data.DataError: files or columns missing, or values that cannot be.
  """
  path = setting.data_dir
  return data.load_table(
    data.generate_patients(setting.seed) if path is None else path,
    options.label_column or (),
    options.client_column,
    objective=setting.objective,
    test_column=options.test_column,
    time_column=options.time_column,
    weight_column=options.weight_column,
    file_column=options.file_column,
    inputs=_inputs(options.input_columns),
    test_fraction=options.test_fraction or 0.0,
    fold=setting.fold,
    category_columns=options.category_columns or (),
    ignored_columns=options.ignored_columns or (),
    standardize=options.standardize,
    seed=setting.seed,
  )


task.register(
  task.TaskEntry(
    name=_NAME,
    label='your own table, one row per example',
    options=Options,
    network=named.MLP,
    load_source=_load,
    data_dir='a CSV or Parquet file, or a folder of them (one is generated without it)',
    partition=_partition,
    partition_note='natural (with a --client_column, else iid)',
    objectives=named.ANY_LABELS,
    has_images=False,
    is_own_data=True,
    makes_folds=True,
    derived=(
      task.Derived(
        'table_encoding',
        None,
        'The encoding of columns, with their means, deviations and categories,',
      ),
    ),
    defaults=_defaults,
    contradictions=_check,
    look_at_files=_look_at_files,
  )
)
