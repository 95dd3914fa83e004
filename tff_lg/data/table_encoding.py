"""How the columns of a table become features: numbers standardised, categories one-hot.

An encoding is fitted to training rows. It can be written as JSON and used again later.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tff_lg.data import examples, splits, table_files

if TYPE_CHECKING:  # pandas takes a second to import.
  import pandas as pd

STANDARDIZATIONS = ('pooled', 'clients', 'none')
# Of a column of categories; more of them are rather names than categories.
MOST_CATEGORIES = 1000
# What a cell without a value is, as a category.
_MISSING = ''


@dataclasses.dataclass(frozen=True)
class NumberColumn:
  """A column of numbers, dates or truth values.

  Attributes:
    name: of the column.
    mean: of the training rows; it stands for missing values.
    deviation: the standard deviation by which numbers are divided, in the column's unit.
    has_missing: whether a second feature says that the value is missing.
  """

  name: str
  mean: float
  deviation: float
  has_missing: bool

  @property
  def feature_names(self) -> tuple[str, ...]:
    """One name a feature, such as `age` and `age is missing`."""
    return (self.name, *[f'{self.name} is missing'] * self.has_missing)


@dataclasses.dataclass(frozen=True)
class CategoryColumn:
  """A column of names.

  Attributes:
    name: of the column.
    categories: those of the training rows, sorted, one feature each; all others have zeros.
  """

  name: str
  categories: tuple[str, ...]

  @property
  def feature_names(self) -> tuple[str, ...]:
    """One name a feature, such as `country=France`."""
    return tuple(f'{self.name}={category}' for category in self.categories)


@dataclasses.dataclass(frozen=True)
class TableEncoding:
  """The mapping from rows of a table to features.

  Attributes:
    columns: in the table's order.
    by_client: the mean and the deviation of each column of numbers, in order, for each client that
      has its own. Other clients have those of the columns.
    class_names: of the labels, by number.
    label: mean and deviation by which a number that is predicted is standardised.
  """

  columns: tuple[NumberColumn | CategoryColumn, ...]
  by_client: Mapping[str, tuple[tuple[float, float], ...]]
  class_names: tuple[str, ...]
  label: tuple[float, float] = (0.0, 1.0)

  @property
  def feature_names(self) -> tuple[str, ...]:
    """One name a feature, such as `age`, `age is missing` and `country=France`."""
    return tuple(name for column in self.columns for name in column.feature_names)

  def features_of(self, column: str) -> tuple[str, ...]:
    """Returns the names of a column's features."""
    return next(found.feature_names for found in self.columns if found.name == column)

  def encode(
    self, table: pd.DataFrame, clients: Sequence[str] | np.ndarray | None = None
  ) -> np.ndarray:
    """Returns the features of rows, float32 [num_rows, num_features].

    Args:
      table: with the encoding's columns, and any others.
      clients: the client of each row; None where no client has means of its own.

    Raises:
      DataError: a column is missing, or a number is infinite or none.
    """
    missing = [column.name for column in self.columns if column.name not in table]
    if missing:
      raise examples.DataError(f'Columns {", ".join(missing)} not found in the table.')
    moments = self._moments(clients, len(table))
    numbers = 0
    features: list[np.ndarray] = []
    for column in self.columns:
      if isinstance(column, NumberColumn):
        values = to_numbers(table[column.name])
        is_missing = np.isnan(values)
        mean, deviation = moments[:, numbers].T
        features.append(np.where(is_missing, 0, (values - mean) / deviation)[:, np.newaxis])
        features += [is_missing[:, np.newaxis]] * column.has_missing
        numbers += 1
      else:
        names = to_names(table[column.name])
        features.append(names[:, np.newaxis] == np.array(column.categories, object))
    return np.concatenate([each.astype(np.float32) for each in features], axis=1)

  def _moments(self, clients: Sequence[str] | np.ndarray | None, num_rows: int) -> np.ndarray:
    """Returns the mean and deviation of each row's numbers, float64 [num_rows, num_numbers, 2]."""
    numbers = [column for column in self.columns if isinstance(column, NumberColumn)]
    pooled = np.array([(column.mean, column.deviation) for column in numbers]).reshape(-1, 2)
    if clients is None or not self.by_client:
      return np.broadcast_to(pooled, (num_rows, *pooled.shape))
    names, inverse = np.unique(np.asarray(clients, object), return_inverse=True)
    return np.array([self.by_client.get(name, pooled) for name in names])[inverse]

  def to_json(self) -> dict[str, Any]:
    """Returns the encoding as values of JSON, for `from_json`."""
    return {
      'columns': [
        {'kind': 'number' if isinstance(column, NumberColumn) else 'category'}
        | dataclasses.asdict(column)
        for column in self.columns
      ],
      'by_client': {name: [list(pair) for pair in pairs] for name, pairs in self.by_client.items()},
      'class_names': list(self.class_names),
      'label': list(self.label),
    }

  @classmethod
  def from_json(cls, values: Mapping[str, Any]) -> TableEncoding:
    """Returns the encoding that `to_json` gave."""
    columns: list[NumberColumn | CategoryColumn] = []
    for column in values['columns']:
      rest = {name: value for name, value in column.items() if name != 'kind'}
      if column['kind'] == 'number':
        columns.append(NumberColumn(**rest))
      else:
        columns.append(CategoryColumn(rest['name'], tuple(rest['categories'])))
    by_client = {
      name: tuple((float(mean), float(deviation)) for mean, deviation in pairs)
      for name, pairs in values['by_client'].items()
    }
    mean, deviation = values['label']
    names = tuple(values['class_names'])
    return cls(tuple(columns), by_client, names, (float(mean), float(deviation)))


def fit(
  table: pd.DataFrame,
  class_names: tuple[str, ...],
  *,
  category_columns: Collection[str] = (),
  standardize: str = 'pooled',
  clients: Sequence[str] | np.ndarray | None = None,
  labels: np.ndarray | None = None,
) -> TableEncoding:
  """Fits an encoding to training rows.

  Args:
    table: the rows, of the columns that are features.
    class_names: of the labels.
    category_columns: columns of numbers that are categories.
    standardize: one of `STANDARDIZATIONS`.
    clients: the client of each row, where clients have means of their own.
    labels: float64 [num_rows], numbers that are predicted; None for other labels.

  Returns:
    The encoding.

  Raises:
    ValueError: an unknown `standardize`.
    DataError: no column, one with more than `MOST_CATEGORIES` categories, or an infinite number.
  """
  if standardize not in STANDARDIZATIONS:
    raise ValueError(
      f'standardize is {standardize!r}, expected one of {", ".join(STANDARDIZATIONS)}.'
    )
  if not len(table.columns):
    raise examples.DataError('The table has no columns left as features, expected one at least.')
  columns: list[NumberColumn | CategoryColumn] = []
  numbers = []
  for name in table:
    if name not in category_columns and _is_number(table[name]):
      values = to_numbers(table[name])
      mean, deviation = (0.0, 1.0) if standardize == 'none' else _moments_of(values)
      columns.append(NumberColumn(str(name), mean, deviation, bool(np.isnan(values).any())))
      numbers.append(values)
      continue
    counts = collections.Counter(to_names(table[name]))
    if len(counts) > MOST_CATEGORIES:
      raise examples.DataError(
        f'Column {name} has {len(counts)} different values, expected at most {MOST_CATEGORIES} '
        f'categories: add it to --ignored_columns.'
      )
    columns.append(CategoryColumn(str(name), tuple(sorted(counts))))
  by_client: dict[str, tuple[tuple[float, float], ...]] = {}
  if standardize == 'clients' and clients is not None:
    names, owners = np.unique(np.asarray(clients, object), return_inverse=True)
    pooled = [(c.mean, c.deviation) for c in columns if isinstance(c, NumberColumn)]
    for client, rows in zip(names, splits.group_by_owner(owners, len(names)), strict=True):
      by_client[client] = tuple(
        _moments_of(values[rows], pair) for values, pair in zip(numbers, pooled, strict=True)
      )
  label = (0.0, 1.0)
  if labels is not None and standardize != 'none':
    label = _moments_of(labels)
  return TableEncoding(tuple(columns), by_client, class_names, label)


def check_numbers(table: pd.DataFrame, category_columns: Collection[str], where: str) -> None:
  """Refuses infinite numbers in any row.

  Args:
    table: all rows, of the columns that are features.
    category_columns: columns of numbers that are categories.
    where: the table is, for the message.

  Raises:
    DataError: one sentence that names the table, the column and the row.
  """
  for name in table:
    if name not in category_columns and _is_number(table[name]):
      try:
        to_numbers(table[name])
      except examples.DataError as error:
        raise examples.DataError(f'{where}: {error}') from error


def to_names(column: pd.Series) -> np.ndarray:
  """Returns a column's values as text, object [n]: whole numbers without a point, '' if missing."""
  import pandas as pd

  is_missing = column.isna().to_numpy()
  if pd.api.types.is_float_dtype(column) and (column.dropna() % 1 == 0).all():
    column = column.fillna(0).astype(np.int64)
  names = column.astype(str).to_numpy(object)
  if column.dtype == object:
    # Of 1 in one file and 1.0 in another, where a third has text.
    for row, value in enumerate(column):
      if isinstance(value, float) and value.is_integer():
        names[row] = str(int(value))
  names[is_missing] = _MISSING
  return names


def to_numbers(column: pd.Series) -> np.ndarray:
  """Returns a column's values, float64 [n]: dates and durations in days, NaN if missing.

  Dates are days since 1970.

  Raises:
    DataError: a value is infinite, or no number.
  """
  import pandas as pd

  if pd.api.types.is_datetime64_any_dtype(column):
    dates = pd.to_datetime(column, utc=True)
    return ((dates - pd.Timestamp(0, tz='UTC')) / pd.Timedelta(days=1)).to_numpy(np.float64)
  if pd.api.types.is_timedelta64_dtype(column):
    return (column / pd.Timedelta(days=1)).to_numpy(np.float64)
  try:
    values = pd.to_numeric(column).to_numpy(np.float64, na_value=np.nan)
  except (TypeError, ValueError) as error:
    raise examples.DataError(f'Column {column.name}: {error}, expected numbers.') from error
  # Also what would be infinite as float32.
  wrong = np.flatnonzero(np.abs(values) > np.finfo(np.float32).max)
  if len(wrong):
    row = table_files.describe_row(column, wrong[0])
    raise examples.DataError(
      f'Column {column.name} has {values[wrong[0]]} in {row}, expected finite numbers.'
    )
  return values


def _is_number(column: pd.Series) -> bool:
  import pandas as pd

  types = pd.api.types
  if types.is_object_dtype(column):  # Databases and Parquet files have decimals.
    return types.infer_dtype(column, skipna=True) == 'decimal'
  return (
    types.is_numeric_dtype(column)
    or types.is_datetime64_any_dtype(column)
    or types.is_timedelta64_dtype(column)
  )


def _moments_of(
  values: np.ndarray, otherwise: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float]:
  """Returns the mean and standard deviation of the values that are there.

  Args:
    values: float64 [n], NaN where there is none.
    otherwise: the mean where there are no values, and the deviation of equal ones.
  """
  known = values[~np.isnan(values)]
  if not len(known):
    return otherwise
  mean, deviation = float(known.mean()), float(known.std())
  # Less than that is the rounding of equal numbers.
  is_constant = deviation <= 1e-9 * abs(mean)
  return mean, otherwise[1] if is_constant else deviation
