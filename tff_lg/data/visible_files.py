"""The files of a user's folder. Hidden ones are left out, such as `._a.csv`, which macOS writes."""

import os
import pathlib
from collections.abc import Iterator


def find(folder: pathlib.Path, pattern: str = '*') -> list[pathlib.Path]:
  """Returns the files and folders that match a pattern, in order; hidden ones left out.

  Args:
    folder: where to look, without its subfolders; none is found where it does not exist.
    pattern: of names, as of `pathlib.Path.glob`.
  """
  return sorted(path for path in folder.glob(pattern) if _is_visible(path.name))


def walk(folder: pathlib.Path) -> Iterator[pathlib.Path]:
  """Yields the files of a folder and of all folders in it, in any order; hidden ones left out."""
  for inner, folders, names in os.walk(folder):
    folders[:] = filter(_is_visible, folders)
    for name in filter(_is_visible, names):
      yield pathlib.Path(inner, name)


def _is_visible(name: str) -> bool:
  return not name.startswith('.')
