"""The files of a user's folder. Hidden ones are left out, such as `._a.csv`, which macOS writes."""

import pathlib


def find(folder: pathlib.Path, pattern: str = '*') -> list[pathlib.Path]:
  """Returns the files and folders that match a pattern, in order; hidden ones left out.

  Args:
    folder: where to look, without its subfolders; none is found where it does not exist.
    pattern: of names, as of `pathlib.Path.glob`.
  """
  return sorted(path for path in folder.glob(pattern) if not path.name.startswith('.'))
