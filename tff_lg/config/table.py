"""Options of the task on the user's own table."""

import dataclasses
from typing import Any

from tff_lg.config.option import ConfigError, check_belongs, option
from tff_lg.config.partition import NATURAL

TASK = 'table'
# The columns of the table that is generated without --data_dir.
GENERATED = {'client_column': 'hospital', 'label_column': ('readmitted',)}
# As `tff_lg.data.table_encoding` has them; the first is the default.
STANDARDIZATIONS = ('pooled', 'clients', 'none')


@dataclasses.dataclass(frozen=True)
class TableOptions:
  """Options of --task=table; None stands for a default."""

  client_column: str | None = option(
    None,
    "Column with each row's client, such as hospital (--task=table); without it --partition "
    'spreads the rows over --num_clients.',
  )
  label_column: tuple[str, ...] | None = option(
    None,
    'Column with what is to be predicted (--task=table): classes, with --objective=regression '
    'numbers; for --objective=multilabel several columns of 0 and 1, separated by commas.',
  )
  test_column: str | None = option(
    None,
    'Column that says of each row whether it is for testing: test or train, true or false, 1 or 0 '
    '(--task=table); --test_fraction of the rows by default.',
  )
  time_column: str | None = option(
    None,
    "Column with dates or numbers by which the last --test_fraction of each client's rows are for "
    'testing, instead of random ones (--task=table). It is no feature.',
  )
  category_columns: tuple[str, ...] | None = option(
    None, 'Columns of numbers that are names, such as postal codes (--task=table); none by default.'
  )
  ignored_columns: tuple[str, ...] | None = option(
    None, 'Columns that are no features (--task=table); none by default.'
  )
  standardize: str | None = option(
    None,
    'By which mean and deviation numbers are standardised (--task=table): pooled, those of all '
    "clients' training rows, which sums over clients give, by default; clients, each client's own; "
    'none, as they are.',
    STANDARDIZATIONS,
  )


_NAMES = tuple(field.name for field in dataclasses.fields(TableOptions))


def defaults(config: Any) -> dict[str, Any]:
  """What options of a `TrainConfig` that are None stand for, by name, where they apply."""
  if config.task != TASK:
    return {}
  fraction = {} if config.test_column is not None else {'test_fraction': 0.2}
  generated = GENERATED if config.data_dir is None else {}
  return {'standardize': STANDARDIZATIONS[0], **fraction, **generated}


def without() -> dict[str, Any]:
  """Every option for another task."""
  return dict.fromkeys(_NAMES)


def default_partition(client_column: str | None, data_dir: str | None) -> str:
  """The partition, if none is named."""
  return 'iid' if client_column is None and data_dir is not None else 'natural'


def check(config: Any, partition: str) -> None:
  """Refuses options that contradict each other or the task.

  Args:
    config: a `TrainConfig`, as the user gave it.
    partition: the partition's name.

  Raises:
    ConfigError: the first of them.
  """
  check_belongs(config, _NAMES, 'task', config.task, (TASK,))
  if config.task != TASK:
    return
  roles = [
    (f'--{name}', column)
    for name in ('client_column', 'test_column', 'time_column')
    if (column := getattr(config, name)) is not None
  ]
  roles += [('--label_column', column) for column in config.label_column or ()]
  roles += [('--ignored_columns', column) for column in config.ignored_columns or ()]
  roles += [('--category_columns', column) for column in config.category_columns or ()]
  by_column: dict[str, str] = {}
  for flag, column in roles:
    if column in by_column:
      raise ConfigError(
        f'{flag} and {by_column[column]} both name the column {column}, expected one of them.'
      )
    by_column[column] = flag
  is_generated = config.data_dir is None
  conflicts = (
    (
      is_generated and bool(roles),
      f'{roles[0][0] if roles else ""} is given, but not --data_dir, a CSV or Parquet file or a '
      'folder of them; without it a table is generated.',
    ),
    (
      not is_generated and config.label_column is None,
      f'--task={TASK} needs --label_column, the column to predict.',
    ),
    (
      is_generated and config.objective not in (None, 'classification'),
      f'--objective is {config.objective}, but the generated table of --task={TASK} has classes.',
    ),
    (
      len(config.label_column or ()) > 1 and config.objective != 'multilabel',
      f'--label_column is {",".join(config.label_column or ())}, expected one column; several are '
      'for --objective=multilabel.',
    ),
    (
      is_generated and partition != 'natural',
      f'--partition is {partition}, but the generated table of --task={TASK} names its clients: '
      'natural.',
    ),
    (
      not is_generated and partition in NATURAL and config.client_column is None,
      f'--partition is {partition}, which needs --client_column.',
    ),
    (
      partition not in NATURAL and config.client_column is not None,
      f'--client_column is given, but --partition is {partition}, which makes clients of its own: '
      f'add the column to --ignored_columns, or use --partition=natural.',
    ),
    (
      config.test_column is not None and config.time_column is not None,
      '--test_column and --time_column both say which rows are for testing: give one of them.',
    ),
    (
      config.test_column is not None and config.test_fraction is not None,
      '--test_fraction is given, but --test_column says which rows are for testing.',
    ),
  )
  for found, sentence in conflicts:
    if found:
      raise ConfigError(sentence)
