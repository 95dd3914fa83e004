"""Texts with a score of their writer's mood, by user, from a CSV file."""

import io
import pathlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tff_lg.data import bounded, examples, table_files

if TYPE_CHECKING:
  import pandas as pd

_COLUMNS = ('user', 'text', 'score')
_FILE = 'mood.csv'


class ScoredTexts(NamedTuple):
  """The texts of one user.

  Attributes:
    texts: the texts.
    scores: float64, the mood at each, in whatever unit.
  """

  texts: tuple[str, ...]
  scores: np.ndarray


def read_scored_texts(path: str) -> dict[str, ScoredTexts]:
  """Reads the texts of each user.

  The file is UTF-8, perhaps packed by gzip. Its header names the columns `user`, `text` and
  `score`, in any order and with others beside them. Blank lines are ignored. A text may be empty.

  Args:
    path: the file, or a folder with `mood.csv`.

  Returns:
    By user, in the order of the first text of each.

  Raises:
    DataError: the file or a column is missing, or a column is there twice. There are no rows, or a
      row has no user or no finite score. Or the file does not fit in memory. One sentence names the
      file and, if there is one, the line.
  """
  import pandas as pd  # Takes half a second to import.

  file = pathlib.Path(path).expanduser()
  file = file / _FILE if file.is_dir() else file
  if not file.is_file():
    raise examples.DataError(f'data_dir: {file} not found, expected a CSV file, or its folder.')
  try:
    content = io.BytesIO(bounded.read(file))
    table_files.first_rows(f'{file}, line 1', content)
    # Blank lines as rows, or lines could not be counted.
    rows = pd.read_csv(
      content,
      dtype=str,
      keep_default_na=False,
      skip_blank_lines=False,
      encoding='utf-8',
    )
  except (OSError, UnicodeDecodeError, pd.errors.EmptyDataError, pd.errors.ParserError) as error:
    reason = str(error).strip().rstrip('.')
    raise examples.DataError(f'{file}: cannot be read as UTF-8 CSV ({reason}).') from error
  if not isinstance(rows.index, pd.RangeIndex):  # pandas takes surplus cells for an index.
    raise examples.DataError(
      f'{file}, line 2: {len(rows.columns) + rows.index.nlevels} cells found, expected '
      f'{len(rows.columns)} as in the header.'
    )
  missing = [name for name in _COLUMNS if name not in rows]
  if missing:
    raise examples.DataError(
      f'{file}, line 1: columns {", ".join(map(str, rows.columns))} found, expected '
      f'{", ".join(_COLUMNS)} among them.'
    )
  # Cells that a short row does not have are NaN, whatever pandas is told.
  rows = rows.fillna('')
  inner_ends = sum((rows[name].str.count('\n') for name in rows.columns), start=0)
  rows = rows.assign(line=2 + np.arange(len(rows)) + np.cumsum(inner_ends) - inner_ends)
  rows = rows[(rows[list(_COLUMNS)] != '').any(axis=1)]
  if rows.empty:
    raise examples.DataError(f'{file}: no rows found, expected a text in each.')
  scores = pd.to_numeric(rows['score'], errors='coerce').to_numpy(np.float64)
  _refuse(rows, rows['user'].str.strip() == '', file, 'user', 'a name')
  _refuse(rows, ~np.isfinite(scores), file, 'score', 'a finite number')
  by_user = rows.assign(score=scores).groupby('user', sort=False)
  return {
    str(user): ScoredTexts(tuple(group['text']), group['score'].to_numpy())
    for user, group in by_user
  }


def _refuse(
  rows: 'pd.DataFrame', is_wrong: np.ndarray, file: pathlib.Path, column: str, expected: str
) -> None:
  """Names the first wrong row, if there is one."""
  wrong = rows[np.asarray(is_wrong)]
  if len(wrong):
    first = wrong.iloc[0]
    raise examples.DataError(
      f'{file}, line {first["line"]}: {column} is {first[column]!r}, expected {expected}.'
    )
