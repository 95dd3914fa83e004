"""Reads a table from CSV or Parquet files."""

import collections
import contextlib
import csv
import io
import itertools
import pathlib
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, BinaryIO

from tff_lg import errors
from tff_lg.data import bounded, examples, visible_files

if TYPE_CHECKING:  # pandas takes a second to import.
  import pandas as pd
  import pyarrow as pa

_CSV = ('.csv', '.csv.gz', '.tsv', '.tsv.gz')
# Between the cells of a CSV file: that with which its header has most, of equals the first.
_DELIMITERS = (',', '\t', ';')
_PARQUET = ('.parquet',)
ENDINGS = _CSV + _PARQUET
_PARQUET_MAGIC = b'PAR1'
# Attribute of a table of several files: the name of each and its number of rows.
_FILES = 'files'
# Rows of a Parquet file that are read before their size is added up.
_ROWS_AT_A_TIME = 4096
# Bytes of a CSV file in which its first lines are looked for.
_HEAD = 1 << 20


def find_files(path: str) -> list[pathlib.Path]:
  """Lists the files of a table, by name, without reading more than their first bytes.

  Args:
    path: a file whose name ends in .csv, .tsv or .parquet, also .csv.gz, or a folder of such files.

  Returns:
    One file or more.

  Raises:
    DataError: there is none, or one is not what its name says.
  """
  table = pathlib.Path(path).expanduser()
  if table.is_dir():
    found = [f for f in visible_files.find(table) if f.name.lower().endswith(ENDINGS)]
    if not found:
      raise examples.DataError(f'data_dir: {table} has no file that ends in {", ".join(ENDINGS)}.')
  elif table.is_file() and table.name.lower().endswith(ENDINGS):
    found = [table]
  else:
    what = 'another file' if table.exists() else 'nothing'
    raise examples.DataError(
      f'data_dir: {what} found at {table}, expected a file that ends in {", ".join(ENDINGS)}, or a '
      'folder of them.'
    )
  for file in found:
    with open(file, 'rb') as opened:
      is_parquet = opened.read(len(_PARQUET_MAGIC)) == _PARQUET_MAGIC
    if is_parquet != file.name.lower().endswith(_PARQUET):
      raise examples.DataError(
        f'{file}: {"a" if is_parquet else "no"} Parquet file found, expected what its name says.'
      )
  return found


def read_table(path: str, file_column: str | None = None) -> 'pd.DataFrame':
  """Reads a file, or all files of a folder one below the other.

  Args:
    path: as of `find_files`. CSV files are UTF-8 with a header, whose commas, semicolons or tabs
      tell what separates cells. Without commas between cells, numbers may have a decimal comma.
    file_column: name of a further column, with the name of each row's file without its ending.

  Returns:
    The rows, numbered from 0.

  Raises:
    DataError: a file is missing, damaged or too large for the memory. Or it has no rows, names a
      column twice, has the file column, or has other columns than the first file.
  """
  import pandas as pd

  files = find_files(path)
  tables = [_read(file) for file in files]
  for file, table in zip(files, tables, strict=True):
    if set(table.columns) != set(tables[0].columns):
      differing = sorted(set(table.columns) ^ set(tables[0].columns))
      raise examples.DataError(
        f'{file}: its columns differ from those of {files[0].name} in {", ".join(differing)}.'
      )
  if file_column is not None:
    _check_new(files[0], tables[0].columns, file_column)
    tables = [
      table.assign(**{file_column: _stem(file)}) for file, table in zip(files, tables, strict=True)
    ]
  # A table without rows has columns of objects, which would make all numbers such.
  joined = pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)
  if len(files) > 1:
    # For `describe_row`. pandas hands attributes on to parts of a table.
    joined.attrs[_FILES] = list(zip((file.name for file in files), map(len, tables), strict=True))
  if joined.empty:
    raise examples.DataError(f'{path}: no rows found, expected one at least.')
  return joined


def describe_row(table: 'pd.DataFrame | pd.Series', row: int) -> str:
  """Returns what an error calls a row: `row 7`, or `row 2 of North.csv` if there are several files.

  Args:
    table: with all rows of `read_table`, or one of its columns.
    row: its number, from 0. Rows are named from 1, without headers.
  """
  before = 0
  for name, num_rows in table.attrs.get(_FILES, ()):
    if row < before + num_rows:
      return f'row {row - before + 1} of {name}'
    before += num_rows
  return f'row {row + 1}'


def read_columns(path: str, file_column: str | None = None) -> list[str]:
  """Reads the names of a table's columns from the beginning of its first file.

  Args:
    path: as of `find_files`.
    file_column: as of `read_table`.

  Returns:
    The names that the table of `read_table` has.

  Raises:
    DataError: the file is missing or damaged, names a column twice, or has the file column.
  """
  first, *_ = find_files(path)
  columns = list(_read(first, only_head=True).columns)
  if file_column is None:
    return columns
  _check_new(first, columns, file_column)
  return [*columns, file_column]


def _stem(file: pathlib.Path) -> str:
  """Returns a file's name without the ending of a table."""
  ending = next(each for each in ENDINGS if file.name.lower().endswith(each))
  return file.name[: -len(ending)]


def _check_new(file: pathlib.Path, columns: Collection[str], file_column: str) -> None:
  """Refuses a file that has the column which would name it."""
  if file_column in columns:
    raise examples.DataError(
      f'{file}: column {file_column} found, expected another name for the column of file names.'
    )


def check_columns(where: str, found: Collection[str], wanted: Iterable[str]) -> None:
  """Refuses a table without one of the columns that are wanted.

  Args:
    where: what the error calls the table.
    found: the names of its columns.
    wanted: the names that it must have.

  Raises:
    DataError: one is missing.
  """
  for name in wanted:
    if name not in found:
      raise examples.DataError(
        f'{where}: column {name} not found; it has {", ".join(map(str, found))}.'
      )


def check_names(where: str, names: Iterable[str]) -> None:
  """Refuses a table that has two columns of one name; pandas would rename the second.

  Args:
    where: what the error calls the table.
    names: of its columns, in the file's spelling.

  Raises:
    DataError: it has.
  """
  for name, number in collections.Counter(names).items():
    if number > 1:
      raise examples.DataError(f'{where}: {number} columns {name} found, expected each name once.')


def first_rows(where: str, file: BinaryIO, delimiter: str = _DELIMITERS[0]) -> list[list[str]]:
  """Returns the cells of the first two rows of a CSV file; blank lines are none.

  Args:
    where: what the error calls the file.
    file: at its beginning before and after.
    delimiter: between cells.

  Raises:
    DataError: the first row names a column twice; columns without a name do not count.
    UnicodeDecodeError: the file is not in UTF-8.
  """
  rows: list[list[str]] = []
  lines = io.TextIOWrapper(file, 'utf-8-sig', newline='')
  try:
    with contextlib.suppress(csv.Error):  # Of cells that are longer than its limit.
      for row in itertools.islice(filter(None, csv.reader(lines, delimiter=delimiter)), 2):
        rows.append(row)
  finally:
    lines.detach()  # Else it would close the file.
    file.seek(0)
  for header in rows[:1]:
    check_names(where, filter(None, header))
  return rows


def _read_head(file: pathlib.Path) -> bytearray:
  """Returns the first whole lines of a CSV file."""
  content = bounded.read(file, _HEAD)
  if len(content) <= _HEAD:
    return content
  end = content.rfind(b'\n') + 1
  return content[:end] if end else bounded.read(file)


def _read_parquet(file: pathlib.Path) -> 'pa.Table':
  import pyarrow as pa
  import pyarrow.parquet

  with pyarrow.parquet.ParquetFile(file) as opened:
    groups = map(opened.metadata.row_group, range(opened.metadata.num_row_groups))
    space, size, batches = bounded.room(), 0, []
    # These bytes are encoded: a value that repeats itself may be in them once.
    bounded.check(file, sum(group.total_byte_size for group in groups), space)
    for batch in opened.iter_batches(_ROWS_AT_A_TIME):
      size += batch.nbytes
      bounded.check(file, size, space)
      batches.append(batch)
    return pa.Table.from_batches(batches, opened.schema_arrow)


def _read_schema(file: pathlib.Path) -> 'pa.Table':
  import pyarrow.parquet

  return pyarrow.parquet.read_schema(file).empty_table()


def _read_csv(file: BinaryIO, delimiter: str, only_head: bool) -> 'pd.DataFrame':
  import pandas as pd

  def read(decimal: str) -> pd.DataFrame:
    file.seek(0)
    rows = 1 if only_head else None
    return pd.read_csv(file, sep=delimiter, encoding='utf-8', nrows=rows, decimal=decimal)

  table = read('.')
  if only_head or delimiter == ',':
    return table
  # Of cells apart from commas: the decimal mark with which more columns are numbers.
  return max(table, read(','), key=lambda found: found.select_dtypes('number').shape[1])


def _read(file: pathlib.Path, only_head: bool = False) -> 'pd.DataFrame':
  """Reads a file, or as little of it as has all columns."""
  import pandas as pd
  import pyarrow as pa

  try:
    if file.name.lower().endswith(_PARQUET):
      read = _read_schema(file) if only_head else _read_parquet(file)
      check_names(str(file), read.column_names)
      table = read.to_pandas()
    else:
      opened = io.BytesIO(_read_head(file) if only_head else bounded.read(file))
      by_delimiter = {each: first_rows(str(file), opened, each) or [[]] for each in _DELIMITERS}
      delimiter = max(by_delimiter, key=lambda each: len(by_delimiter[each][0]))
      header, *rest = by_delimiter[delimiter]
      table = _read_csv(opened, delimiter, only_head)
      # The index does not tell: of one that counts, pandas makes the index of tables without any.
      if rest and len(rest[0]) > len(header):
        table = table.reset_index()
    if not isinstance(table.index, pd.RangeIndex):
      table = table.reset_index()
  except examples.DataError:
    raise
  except UnicodeDecodeError as error:
    raise examples.DataError(
      f'{file}: cannot be read as a table: byte {error.object[error.start]:#x} found where UTF-8 '
      'has none; save it as UTF-8.'
    ) from error
  except (OSError, ValueError, pa.ArrowException) as error:
    reason = errors.first_line(error).rstrip('.')
    raise examples.DataError(f'{file}: cannot be read as a table ({reason}).') from error
  table.columns = [str(name) for name in table.columns]
  return table
