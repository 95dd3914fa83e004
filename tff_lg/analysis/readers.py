"""Reads one file of a run folder each, or says in a sentence what is wrong with it."""

import csv
import io
import json
import math
import os
from collections.abc import Callable
from typing import Any, TypeVar

import pandas as pd

from tff_lg import checksums, csv_text, metrics

_T = TypeVar('_T')


class RunFolderError(ValueError):
  """A run folder cannot be used; the message is one sentence that names the file."""


def if_present(read: Callable[[str], _T], path: str) -> _T | None:
  """Reads a file that a run folder may lack; None if it does."""
  return read(path) if os.path.exists(path) else None


def read_text(path: str) -> str:
  """Reads a text file.

  Args:
    path: the file, UTF-8.

  Returns:
    Its text.

  Raises:
    RunFolderError: it is missing, unreadable, no UTF-8 text, or not as the run wrote it.
  """
  _check(path)
  try:
    with open(path, encoding='utf-8') as file:
      return file.read()
  except FileNotFoundError:
    raise RunFolderError(
      f'{path}: the file is missing; either the run has not finished or this is not a run folder.'
    ) from None
  except OSError as error:
    raise RunFolderError(f'{path}: the file cannot be read ({error.strerror}).') from error
  except UnicodeDecodeError as error:
    raise RunFolderError(
      f'{path}: byte {error.start} is not UTF-8, expected a text file.'
    ) from error


def read_object(path: str) -> dict[str, Any]:
  """Reads one JSON object.

  Args:
    path: the file.

  Returns:
    Its values by name.

  Raises:
    RunFolderError: it is missing or not a JSON object.
  """
  try:
    content = json.loads(read_text(path))
  except json.JSONDecodeError as error:
    raise RunFolderError(
      f'{path}: line {error.lineno} is not JSON, expected one object of names and values.'
    ) from error
  except RecursionError as error:
    raise RunFolderError(
      f'{path}: its values are nested too deeply, expected one object of names and values.'
    ) from error
  if not isinstance(content, dict):
    raise RunFolderError(
      f'{path}: found a JSON {type(content).__name__}, expected one object of names and values.'
    )
  return content


def read_flat_object(path: str) -> dict[str, float | str]:
  """Reads one flat JSON object of numbers and texts, where null is NaN.

  Args:
    path: the file.

  Returns:
    The values by name.

  Raises:
    RunFolderError: it is missing, not an object, or a value is neither.
  """
  values = {}
  for name, value in read_object(path).items():
    if value is None:
      value = math.nan
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
      raise RunFolderError(f'{path}: {name} is {json.dumps(value)}, expected a number or text.')
    values[name] = value
  return values


def read_rounds(path: str) -> pd.DataFrame:
  """Reads a table with one row per round.

  Args:
    path: a CSV file with a column `round_num`.

  Returns:
    The table, indexed and sorted by `round_num`; `method` is text, all other
    columns are float64 with NaN for an empty field.

  Raises:
    RunFolderError: it is missing, a row is cut off, a field is not a number, or a
      round comes twice.
  """
  table = _read_csv(path, key='round_num')
  lines = pd.RangeIndex(2, 2 + len(table), name='row')
  rounds = _as_whole_numbers(path, pd.Series(table.index, index=lines, name='round_num'))
  table.index = pd.Index(rounds.astype('int64'), name='round_num')
  columns = {
    name: table[name].where(table[name] != '')
    if name == 'method'
    else _as_floats(path, table[name])
    for name in table
  }
  return pd.DataFrame(columns, index=table.index).sort_index()


def read_label_counts(path: str) -> pd.DataFrame:
  """Reads how many training examples of each class each client has.

  Args:
    path: a CSV file with a column `client_id` and one for each class.

  Returns:
    int64 counts, clients (rows, indexed by id) by classes.

  Raises:
    RunFolderError: it is missing, a row is cut off, or a field is not a count.
  """
  table = _read_csv(path, key='client_id')
  columns = {
    csv_text.unescape(name): _as_whole_numbers(path, table[name]).astype('int64') for name in table
  }
  return pd.DataFrame(columns, index=table.index.map(csv_text.unescape))


def read_clients(path: str, is_text: Callable[[str], bool] = lambda name: False) -> pd.DataFrame:
  """Reads the metrics of each client.

  Args:
    path: a Parquet file with a column `client_id`.
    is_text: whether a column, by its name, holds texts, which are left as they are.

  Returns:
    float64 columns and the texts, one row per client, indexed by its id as text.

  Raises:
    RunFolderError: it is missing or no Parquet file, a client comes twice, a column
      is not numeric, or an accuracy is not in [0, 1].
  """
  table = _indexed(path, _read_parquet(path), 'client_id')
  # What pandas takes a missing text for depends on its version.
  columns = {
    name: table[name].astype(object).where(table[name].notna(), None)
    if is_text(name)
    else _as_floats(path, table[name])
    for name in table
  }
  for name, values in columns.items():
    if _is_share(name) and not values.dropna().between(0, 1).all():
      client = values.index[~(values.isna() | values.between(0, 1))][0]
      raise RunFolderError(
        f'{path}: {name} of client {client} is {values[client]:g}, expected a share in [0, 1].'
      )
  return pd.DataFrame(columns, index=table.index)


def read_client_curves(path: str) -> dict[str, pd.DataFrame]:
  """Reads how the model of each client scored in each evaluation.

  Args:
    path: a Parquet file with the columns `round_num` and `client_id`, and one per metric.

  Returns:
    A table per client, by its id as text: the metrics by `round_num`, its index.

  Raises:
    RunFolderError: it is missing or no Parquet file, or one of both columns is missing.
  """
  table = _read_parquet(path)
  for key in ('round_num', 'client_id'):
    _check_column(path, table, key)
  by_client = table.set_index('round_num').groupby(table['client_id'].astype(str).to_numpy())
  return {str(client): rows.drop(columns='client_id') for client, rows in by_client}


def read_validation_curves(path: str) -> pd.DataFrame:
  """Reads the means over validation data by adaptation, setting and epoch.

  Args:
    path: a CSV file with the columns `model`, `epoch` and, last, a metric.

  Returns:
    The table as it is, with NaN for an empty field.

  Raises:
    RunFolderError: it is missing or no such table.
  """
  text = read_text(path)
  try:
    table = pd.read_csv(io.StringIO(text))
  except ValueError as error:  # pandas' errors of parsing are ValueErrors.
    raise RunFolderError(f'{path}: the file is damaged, expected a CSV table.') from error
  for key in ('model', 'epoch'):
    _check_column(path, table, key)
  return table


def _is_share(column: str) -> bool:
  """Returns whether a column holds a metric that is in [0, 1]."""
  found = metrics.METRICS.get(column.rpartition('/')[2])
  return found is not None and found.is_share and '/' in column


def _check(path: str) -> None:
  try:
    checksums.check(path)
  except checksums.DamagedFileError as error:
    raise RunFolderError(str(error)) from None


def _read_parquet(path: str) -> pd.DataFrame:
  if not os.path.exists(path):
    raise RunFolderError(
      f'{path}: the file is missing; either the run has not finished or this is not a run folder.'
    )
  _check(path)
  try:
    return pd.read_parquet(path)
  except (OSError, ValueError) as error:  # Arrow's errors are ValueErrors.
    raise RunFolderError(f'{path}: the file is damaged, expected a Parquet table.') from error


def _read_csv(path: str, key: str) -> pd.DataFrame:
  """Reads a CSV file as text, indexed by the column `key`."""
  # pandas would take a row that is cut off for one with empty fields.
  try:
    rows = list(csv.reader(io.StringIO(read_text(path), newline='')))
  except csv.Error as error:
    raise RunFolderError(f'{path}: the file is damaged ({error}), expected a CSV table.') from error
  if not rows:
    raise RunFolderError(f'{path}: the file is empty, expected a table with a column {key}.')
  header = rows[0]
  for line, row in enumerate(rows[1:], start=2):
    if len(row) != len(header):
      raise RunFolderError(
        f'{path}: row {line} has {len(row)} fields, expected {len(header)} as in the header.'
      )
  return _indexed(path, pd.DataFrame(rows[1:], columns=header, dtype=str), key)


def _check_column(path: str, table: pd.DataFrame, name: str) -> None:
  if name not in table:
    found = ', '.join(map(str, table.columns)) or 'none'
    raise RunFolderError(f'{path}: there is no column {name}; the columns are {found}.')


def _indexed(path: str, table: pd.DataFrame, key: str) -> pd.DataFrame:
  _check_column(path, table, key)
  table = table.set_index(table[key].astype(str)).drop(columns=key)
  repeated = table.index[table.index.duplicated()]
  if len(repeated):
    raise RunFolderError(f'{path}: {key} {repeated[0]} comes twice, expected one row each.')
  return table


def _as_floats(path: str, column: pd.Series) -> pd.Series:
  """Returns numbers of a column, NaN where a field is empty."""
  numbers = pd.to_numeric(column, errors='coerce').astype('float64')
  # 'nan' is how a metric that is not finite is written: it is no damage.
  text = column.astype(str).str.strip().str.lower()
  damaged = numbers.isna() & ~column.isna() & ~text.isin(['', 'nan', 'none'])
  if damaged.any():
    row = column.index[damaged][0]
    raise RunFolderError(
      f'{path}: {column.name} of {column.index.name} {row} is {column[row]!r}, expected a number.'
    )
  return numbers


def _as_whole_numbers(path: str, column: pd.Series) -> pd.Series:
  numbers = _as_floats(path, column)
  damaged = ~((numbers >= 0) & (numbers % 1 == 0))
  if damaged.any():
    row = column.index[damaged][0]
    raise RunFolderError(
      f'{path}: {column.name} of {column.index.name} {row} is {column[row]!r}, '
      'expected a whole number that is not negative.'
    )
  return numbers
