"""The user's own table: one row per example, of a client that a column names."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from absl import logging

from tff_lg import metrics
from tff_lg.data import (
  examples,
  folds,
  splits,
  table_columns,
  table_encoding,
  table_files,
  table_suspects,
)

if TYPE_CHECKING:  # pandas takes a second to import.
  import pandas as pd

_TRUE_NAMES = {'true': True, '1': True, 'false': False, '0': False}
_TEST_NAMES = {'test': True, 'train': False} | _TRUE_NAMES


def load_table(
  table: str | pd.DataFrame | Any,
  label_column: str | Sequence[str],
  client_column: str | None = None,
  *,
  objective: str = 'classification',
  test_column: str | None = None,
  time_column: str | None = None,
  weight_column: str | None = None,
  file_column: str | None = None,
  inputs: Mapping[str, Sequence[str]] = types.MappingProxyType({}),
  test_fraction: float = 0.2,
  fold: folds.Fold | None = None,
  category_columns: Collection[str] = (),
  ignored_columns: Collection[str] = (),
  standardize: str = 'pooled',
  seed: int = 0,
) -> examples.Source:
  """Loads a table whose rows are examples.

  All other columns are features. Numbers, dates, durations and truth values are standardised; a
  missing value becomes the mean, and another feature says that it is missing. All else is one-hot,
  with zeros for categories that training rows do not have. The source's `encoding` holds the
  details; it is fitted to the rows that are not for testing.

  Args:
    table: a CSV or Parquet file, a folder of them, a pandas DataFrame or an Arrow table.
    label_column: the class of each row, a name or a whole number. For regression: a number, which
      is standardised as `encoding.label` says. For several labels: their columns of 0 and 1.
    client_column: the client of each row; None if the data name none.
    objective: what is predicted, see `examples.Examples.objective`.
    test_column: says of each row whether it is for testing: test or train, true or false, 1 or 0.
    time_column: dates or numbers; the last rows of each client are for testing.
    weight_column: numbers from 0, the factor of each row's loss in training; not a feature.
    file_column: name of a further column with the name of each row's file, without its ending. It
      may be `client_column` or `test_column`.
    inputs: columns of each input, by its name, for a model of several inputs; each column that is a
      feature once.
    test_fraction: part of each client's rows that is for testing where no column says it, in
      [0, 1); without `time_column` at random, stratified by class.
    fold: of each client's rows that is for testing, instead of these.
    category_columns: columns of numbers that are categories.
    ignored_columns: columns that are not features.
    standardize: by which means and deviations, one of `table_encoding.STANDARDIZATIONS`.
    seed: of the split at random.

  Returns:
    The data set, named 'table', with the clients as users.

  Raises:
    DataError: files or columns missing, or values that cannot be; one sentence.
  """
  where = table if isinstance(table, str) else 'The table'
  if isinstance(table, str):
    frame = table_files.read_table(table, file_column)
  elif file_column is None:
    frame = _to_frame(table)
  else:
    raise examples.DataError(
      f'file_column is {file_column!r} for a {type(table).__name__}, expected the path of files.'
    )
  label_columns = (label_column,) if isinstance(label_column, str) else tuple(label_column)
  roles = [*label_columns, *filter(None, (client_column, test_column, time_column, weight_column))]
  table_files.check_columns(where, list(frame), (*roles, *category_columns, *ignored_columns))
  for name in roles:
    if roles.count(name) > 1:
      raise examples.DataError(
        f'{where}: column {name} is given twice, expected other columns for label, client, time '
        'and weight.'
      )
  predicts = metrics.get_objective(objective)
  y, class_names = _read_labels(predicts)(frame, label_columns, where)
  users = (
    None
    if client_column is None
    else table_columns.to_names(frame, client_column, where, 'a client')
  )
  owners = None if users is None else np.unique(users, return_inverse=True)[1]
  strata = y if predicts.predicts_classes else np.zeros(len(y), np.int32)
  rng = np.random.default_rng(seed)
  if fold is not None:
    is_test = splits.deal_folds(strata, owners, fold.num_folds, rng) == fold.number
  elif test_column is not None:
    is_test = _to_flags(frame[test_column], f'{where}, column {test_column}')
  elif time_column is not None:
    is_test = _last_of_each(frame[time_column], owners, test_fraction, where)
  else:
    is_test = splits.hold_out_of_each(strata, owners, test_fraction, rng)
  if is_test.all():
    raise examples.DataError(f'{where}: every row is for testing, expected some for training.')
  features = frame.drop(columns=[*roles, *ignored_columns])
  if inputs:
    features = features[_columns_of(inputs, features, where)]
  table_encoding.check_numbers(features, category_columns, where)
  known = features[~is_test]
  encoding = table_encoding.fit(
    known,
    class_names,
    category_columns=category_columns,
    standardize=standardize,
    clients=None if users is None else users[~is_test],
    labels=y[~is_test] if predicts.predicts_numbers else None,
  )
  for sentence in (
    *table_suspects.find_suspects(known, y[~is_test], encoding),
    *table_suspects.find_copies(features, y, is_test),
  ):
    logging.warning('%s: %s', where, sentence)
  if predicts.predicts_numbers:
    mean, deviation = encoding.label
    y = (y - mean) / deviation
  rows = examples.Examples(
    encoding.encode(features, users),
    y.astype(np.int32 if predicts.predicts_classes else np.float32),
    None if users is None else users.astype(str),
    weights=None if weight_column is None else _to_weights(frame[weight_column], where),
  )
  train, test = (rows.take(np.flatnonzero(part)) for part in (~is_test, is_test))
  widths = {
    name: (sum(len(encoding.features_of(column)) for column in columns),)
    for name, columns in inputs.items()
  }
  return examples.Source(
    'table', train, test, len(class_names), class_names, encoding, inputs=widths
  )


def _to_frame(table: Any) -> pd.DataFrame:
  import pandas as pd

  frame = table.to_pandas() if hasattr(table, 'to_pandas') else table
  if not isinstance(frame, pd.DataFrame):
    raise examples.DataError(
      f'The table is a {type(table).__name__}, expected one of pandas or with to_pandas, or a path.'
    )
  frame = frame.reset_index(drop=True)
  frame.columns = [str(name) for name in frame.columns]
  if frame.empty:
    raise examples.DataError('The table has no rows, expected one at least.')
  table_files.check_names('The table', list(frame))
  return frame


def _columns_of(
  inputs: Mapping[str, Sequence[str]], features: pd.DataFrame, where: str
) -> list[str]:
  """Returns the columns of all inputs in their order, each of the features once."""
  columns = [column for of_input in inputs.values() for column in of_input]
  for name in (*columns, *features.columns):
    times = columns.count(name)
    if name not in features:
      raise examples.DataError(
        f'{where}: an input has the column {name}, which is not a feature; these are '
        f'{", ".join(features.columns)}.'
      )
    if times != 1:
      raise examples.DataError(
        f'{where}: {times} inputs have the column {name}, expected one; leave columns out by '
        'ignored_columns.'
      )
  return columns


def _to_weights(column: pd.Series, where: str) -> np.ndarray:
  with np.errstate(over='ignore'):
    weights = table_encoding.to_numbers(column).astype(np.float32)
  examples.check_weights(weights, len(weights), f'{where}: column {column.name}', first=1)
  return weights


def _read_classes(
  frame: pd.DataFrame, columns: Sequence[str], where: str
) -> tuple[np.ndarray, tuple[str, ...]]:
  (column,) = columns
  labels = table_columns.to_names(frame, column, where, 'a class')
  class_names = _class_names(labels, frame[column], f'{where}, column {column}')
  number_of = {name: number for number, name in enumerate(class_names)}
  return np.array([number_of[name] for name in labels]), class_names


def _read_numbers(
  frame: pd.DataFrame, columns: Sequence[str], where: str
) -> tuple[np.ndarray, tuple[str, ...]]:
  (column,) = columns
  numbers = table_encoding.to_numbers(frame[column])
  missing = np.flatnonzero(np.isnan(numbers))
  if len(missing):
    raise examples.DataError(
      f'{where}: {column} is missing in {table_files.describe_row(frame, missing[0])}, expected a '
      'number in each.'
    )
  return numbers, (column,)


def _read_several_labels(
  frame: pd.DataFrame, columns: Sequence[str], where: str
) -> tuple[np.ndarray, tuple[str, ...]]:
  flags = [_to_flags(frame[column], f'{where}, column {column}', _TRUE_NAMES) for column in columns]
  return np.stack(flags, axis=1), tuple(columns)


def _read_labels(
  predicts: metrics.Objective,
) -> Callable[[Any, Sequence[str], str], tuple[np.ndarray, tuple[str, ...]]]:
  """Returns the function from rows to labels, [n] or [n, num_labels], and their names."""
  if predicts.predicts_classes:
    return _read_classes
  return _read_numbers if predicts.predicts_numbers else _read_several_labels


def _class_names(labels: np.ndarray, column: pd.Series, where: str) -> tuple[str, ...]:
  """Returns the classes: numbers in their order, names by the alphabet."""
  names = sorted(set(labels))
  try:
    names.sort(key=float)
  except ValueError:
    pass  # Some are not numbers.
  if column.dtype.kind == 'f' and (column % 1 != 0).any():
    raise examples.DataError(
      f'{where}: {names[0]} found, expected classes: names or whole numbers.'
    )
  if len(names) < 2:
    raise examples.DataError(f'{where}: one class found, {names[0]}, expected at least two.')
  examples.check_class_names(names, where)
  return tuple(names)


def _to_flags(
  column: pd.Series, where: str, meanings: Mapping[str, bool] = _TEST_NAMES
) -> np.ndarray:
  """Returns what a column's values mean, bool [n]; by default which rows are for testing."""
  names = [name.lower() for name in table_encoding.to_names(column)]
  unknown = [name for name in names if name not in meanings]
  if unknown:
    raise examples.DataError(
      f'{where}: {unknown[0]!r} found, expected one of {", ".join(meanings)}.'
    )
  return np.array([meanings[name] for name in names])


def _last_of_each(
  column: pd.Series, owners: np.ndarray | None, fraction: float, where: str
) -> np.ndarray:
  """Returns which rows are the last of their client, bool [n], at most all but one."""
  order = table_columns.to_order(column, where)
  is_test = np.zeros(len(column), bool)
  if owners is None:
    owners = np.zeros(len(column), np.int64)
  for places in splits.group_by_owner(owners[order], owners.max() + 1):
    rows = order[places]
    num_test = min(max(round(fraction * len(rows)), int(fraction > 0)), len(rows) - 1)
    is_test[rows[len(rows) - num_test :]] = True
  return is_test
