"""Columns of a table that say whose a row is, or when it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tff_lg import errors
from tff_lg.data import examples, table_encoding, table_files

if TYPE_CHECKING:  # pandas takes a second to import.
  import pandas as pd


def to_names(frame: pd.DataFrame, column: str, where: str, what: str) -> np.ndarray:
  """Returns a column's values as text.

  Args:
    frame: the table.
    column: a column of it.
    where: what the error calls the table.
    what: the error expects in each row.

  Returns:
    object [n], no text empty.

  Raises:
    DataError: a value is missing.
  """
  names = table_encoding.to_names(frame[column])
  missing = np.flatnonzero(names == '')
  if len(missing):
    raise examples.DataError(
      f'{where}: {column} is missing in {table_files.describe_row(frame, missing[0])} '
      f'({len(missing)} such rows), expected {what} in each.'
    )
  return names


def to_order(column: pd.Series, where: str) -> np.ndarray:
  """Returns the rows in the order of their times; rows of one time stay in theirs.

  Args:
    column: numbers, dates, or text that pandas reads as dates.
    where: what the error calls the table.

  Returns:
    int64 [n], places of rows.

  Raises:
    DataError: a value is missing or no date.
  """
  import pandas as pd

  times = column if pd.api.types.is_numeric_dtype(column) else _to_dates(column, where)
  if times.isna().any():
    row = table_files.describe_row(column, int(np.flatnonzero(times.isna())[0]))
    raise examples.DataError(f'{where}: {column.name} is missing in {row}, expected a time.')
  return np.argsort(times.to_numpy(), kind='stable')


def _to_dates(column: pd.Series, where: str) -> pd.Series:
  import pandas as pd

  try:
    return pd.to_datetime(column, utc=True)
  except (TypeError, ValueError) as error:
    reason = errors.first_line(error).rstrip('.')
    raise examples.DataError(
      f'{where}: {column.name} has values that are not dates ({reason}).'
    ) from error
