"""Text by user from a table with a post in each row: CSV, TSV or Parquet."""

from collections.abc import Collection, Sequence

import numpy as np
from absl import logging

from tff_lg.data import table_columns, table_files, text_posts

# Of users and texts, and of times, as in exports of BigQuery.
_COLUMNS = ('author', 'body')
_TIME = 'created_utc'


def read_users(path: str, columns: Sequence[str] = ()) -> dict[str, list[str]]:
  """Reads the lines of each user.

  Args:
    path: a file or a folder, as of `table_files.find_files`.
    columns: of users, of texts and, if they are known, of times. By default `author`, `body` and,
      if the table has it, `created_utc`.

  Returns:
    By user, in the order of the table, the posts that are neither blank nor taken away, a line
    each. They are sorted by their times; without these they have the order of the rows.

  Raises:
    DataError: a file is missing or damaged, or a column is; or a row has no user, or no time.
  """
  table = table_files.read_table(path)
  user, text, *time = choose_columns(path, table.columns, columns)
  users = table_columns.to_names(table, user, path, 'a user')
  texts = np.array([' '.join(str(each).split()) for each in table[text].fillna('')], object)
  is_gone = table[[user, text]].isin(text_posts.GONE).any(axis=1).to_numpy()
  if is_gone.any():
    logging.info(
      '%s: %d posts were deleted or removed, and are left out.', path, np.count_nonzero(is_gone)
    )
  order = table_columns.to_order(table[time[0]], path) if time else np.arange(len(table))
  lines: dict[str, list[str]] = {each: [] for each in users[~is_gone]}
  for row in order[(~is_gone & (texts != ''))[order]]:
    lines[users[row]].append(texts[row])
  return lines


def choose_columns(path: str, found: Collection[str], columns: Sequence[str]) -> Sequence[str]:
  """Returns the columns of users, texts and, if they are known, times.

  Args:
    path: what the error calls the table.
    found: the names of its columns.
    columns: as of `read_users`.

  Raises:
    DataError: one is missing.
  """
  chosen = columns or (*_COLUMNS, *((_TIME,) if _TIME in found else ()))
  table_files.check_columns(path, found, chosen)
  return chosen
