"""Faults of tables that spoil an answer: copies of the label, names of rows, copied rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tff_lg.data import table_encoding

if TYPE_CHECKING:  # pandas takes a second to import.
  import pandas as pd

# Fewer rows look like either by chance.
_FEWEST_ROWS = 50
# Rows per value, on average, from which it is no chance that equal values have equal labels.
_ROWS_PER_VALUE = 5
_CORRELATION = 1 - 1e-9
# Share of rows with an equal, up to which it is no chance that some are equal.
_SHARED_BY_CHANCE = 0.05


def find_suspects(
  features: pd.DataFrame, labels: np.ndarray, encoding: table_encoding.TableEncoding
) -> list[str]:
  """Finds columns that may name the rows, or that may be copies of the label.

  Args:
    features: the training rows, of the columns that are features.
    labels: classes, numbers or flags, [num_rows] or [num_rows, num_labels].
    encoding: of the features.

  Returns:
    A sentence for each: what was found, and what to do. Fewer than 50 rows give none.
  """
  import pandas as pd

  num_rows = len(features)
  if num_rows < _FEWEST_ROWS:
    return []
  label_columns = [(column, pd.factorize(column)[0]) for column in labels.reshape(num_rows, -1).T]
  found = []
  for column in encoding.columns:
    is_number = isinstance(column, table_encoding.NumberColumn)
    read = table_encoding.to_numbers if is_number else table_encoding.to_names
    values = read(features[column.name])
    places, distinct = pd.factorize(values, use_na_sentinel=False)
    if any(
      _determines(places, len(distinct), kinds) or is_number and _is_multiple(values, numbers)
      for numbers, kinds in label_columns
      if kinds.any()
    ):
      looks = 'determines the label of every training row, as a copy of it would'
    elif not is_number and len(distinct) > num_rows / 2:
      looks = f'has {len(distinct)} values in {num_rows} training rows, as names of rows would'
    else:
      continue
    found.append(f'Column {column.name} {looks}; if so, use --ignored_columns={column.name}.')
  return found


def find_copies(features: pd.DataFrame, labels: np.ndarray, is_test: np.ndarray) -> list[str]:
  """Finds test rows that are copies of training rows, which a model has seen with their labels.

  Rows of few values are also equal by chance. Copies are looked for where rows that differ
  hardly ever share the column with the most values, or hardly ever share all the others.

  Args:
    features: all rows, of the columns that are features.
    labels: classes, numbers or flags, [num_rows] or [num_rows, num_labels].
    is_test: bool [num_rows].

  Returns:
    A sentence, if there are copies. Fewer than 50 rows that differ give none.
  """
  rows = _hash(features, labels)
  num_copies = rows[is_test].isin(rows[~is_test]).sum()
  is_first = ~rows.duplicated().to_numpy()
  if not num_copies or is_first.sum() < _FEWEST_ROWS:
    return []
  distinct = features[is_first]
  column = distinct.nunique(dropna=False).idxmax()
  others = _hash(distinct.drop(columns=column), labels[is_first])
  shared = (each.duplicated(keep=False).mean() for each in (distinct[column], others))
  if min(shared) > _SHARED_BY_CHANCE:
    return []
  return [
    f'{num_copies} of {is_test.sum()} test rows equal a training row, with its label, as copies '
    'do; if so, remove them, as drop_duplicates() of pandas does.'
  ]


def _hash(features: pd.DataFrame, labels: np.ndarray) -> pd.Series:
  """Returns uint64 [num_rows], equal for equal rows."""
  import pandas as pd

  parts = (features, pd.DataFrame(labels.reshape(len(features), -1)))
  hashes = [pd.util.hash_pandas_object(part, index=False).to_numpy() for part in parts]
  return pd.util.hash_pandas_object(pd.DataFrame(np.stack(hashes, 1)), index=False)


def _determines(places: np.ndarray, num_values: int, kinds: np.ndarray) -> bool:
  """Returns whether equal values always have equal labels, and values are seldom alone.

  Args:
    places: int [num_rows], the number of each row's value.
    num_values: that differ.
    kinds: int [num_rows], the number of each row's label.
  """
  if num_values * _ROWS_PER_VALUE > len(kinds):
    return False
  return len(np.unique(places * (kinds.max() + 1) + kinds)) == num_values


def _is_multiple(values: np.ndarray, labels: np.ndarray) -> bool:
  """Returns whether labels, which differ, are a linear function of numbers, both [num_rows]."""
  if np.isnan(values).any() or not np.ptp(values):
    return False
  return bool(abs(np.corrcoef(values, labels)[0, 1]) > _CORRELATION)
