"""A list that is known without any client's data, such as a word list, from a file."""

import pathlib

from tff_lg.data import examples


def read_list(path: str) -> list[str]:
  """Reads a list of one entry per line.

  The file is UTF-8; spaces are part of an entry, so that one may be an entry itself.

  Args:
    path: the file.

  Returns:
    The entries in their order; one that comes twice counts once.

  Raises:
    DataError: no such file, a blank line, or no entry; one sentence with the file and, where there
      is one, the line.
  """
  try:
    text = pathlib.Path(path).expanduser().read_text(encoding='utf-8')
  except (OSError, UnicodeDecodeError) as error:
    raise examples.DataError(f'{path}: cannot be read as UTF-8 text ({error}).') from error
  lines = text.removesuffix('\n').split('\n')
  if '' in lines:
    raise examples.DataError(f'{path}, line {lines.index("") + 1}: blank, expected one entry.')
  return list(dict.fromkeys(lines))
