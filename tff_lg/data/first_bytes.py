"""Checks the first bytes of data files, so that a wrong file is named before TensorFlow starts.

Nothing more is read. Loaders say all else that is wrong, and which files are missing.
"""

import gzip
import pathlib
from collections.abc import Mapping
from typing import NamedTuple

from tff_lg.data import bounded, examples, visible_files

_SPACE = b' \t\r\n'
_BYTE_ORDER_MARK = b'\xef\xbb\xbf'
_NUM_BYTES = 64
# Of a folder with a file for each client, so many are looked at.
_MOST_FILES = 100


class _Kind(NamedTuple):
  """The first bytes of a file.

  Attributes:
    name: of the kind, for people.
    starts: of files of this kind, once they are unpacked.
  """

  name: str
  starts: tuple[bytes, ...]


_KINDS = {
  'npz': _Kind('an npz file', (b'PK\x03\x04', b'PK\x05\x06')),
  'sqlite': _Kind('an SQLite database', (b'SQLite format 3\0',)),
  'idx': _Kind('an idx file', (b'\0\0\x08',)),
  'pickle': _Kind('a python batch of CIFAR-10', (b'\x80',)),
  'json': _Kind('JSON', (b'{', b'[')),
}


def check_files(data_dir: str, in_folder: Mapping[str, str], single: str | None = None) -> None:
  """Checks the first bytes of a data set's files.

  Args:
    data_dir: the folder or file with the data.
    in_folder: patterns of files in the folder, and the kind of each: npz, sqlite, idx, pickle or
      json.
    single: the kind of a file in place of a folder; None leaves it to the loader.

  Raises:
    DataError: there is no such folder or file, or one of its files is of another kind.
    OSError: a file cannot be read.
  """
  path = pathlib.Path(data_dir).expanduser()
  if not path.exists():
    raise examples.DataError(f'data_dir: {path} found, expected a file or folder that exists.')
  if path.is_file():
    if single is not None:
      _check(path, _KINDS[single])
    return
  for pattern, kind in in_folder.items():
    for file in visible_files.find(path, pattern)[:_MOST_FILES]:
      _check(file, _KINDS[kind])


def check_npz(path: str) -> None:
  """Checks that a file is an npz file, as `check_files` does; one that is not there is none.

  Raises:
    DataError: it is of another kind, or not there.
    OSError: it cannot be read.
  """
  file = pathlib.Path(path).expanduser()
  if not file.is_file():
    raise examples.DataError(f'{path}: no file found, expected {_KINDS["npz"].name}.')
  _check(file, _KINDS['npz'])


def _check(path: pathlib.Path, kind: _Kind) -> None:
  if not path.is_file():
    return
  try:
    start = bytes(bounded.read(path, _NUM_BYTES))
  except gzip.BadGzipFile as error:
    raise examples.DataError(f'{path}: cannot be unpacked by gzip ({error}).') from error
  if kind is _KINDS['json']:
    start = start.removeprefix(_BYTE_ORDER_MARK).lstrip(_SPACE)
  if not start.startswith(kind.starts):
    found = f'begins with {start[:8]!r}' if start else 'is empty'
    raise examples.DataError(f'{path}: {found}, expected {kind.name}.')
