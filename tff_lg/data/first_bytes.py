"""Looks at the first bytes of data files: what is no such file is told before TensorFlow starts.

Nothing more is read. Loaders say all else that is wrong, and which files are missing.
"""

import gzip
import pathlib
import zlib
from typing import NamedTuple

from tff_lg.data import bounded, examples

_SPACE = b' \t\r\n'
_BYTE_ORDER_MARK = b'\xef\xbb\xbf'
_NUM_BYTES = 64
# Of a folder with a file for each client, so many are looked at.
_MOST_FILES = 100


class _Kind(NamedTuple):
  """What a file begins with.

  Attributes:
    name: of the kind, for people.
    starts: of files of this kind, once they are unpacked.
  """

  name: str
  starts: tuple[bytes, ...]


_NPZ = _Kind('an npz file', (b'PK\x03\x04', b'PK\x05\x06'))
_SQLITE = _Kind('an SQLite database', (b'SQLite format 3\0',))
_IDX = _Kind('an idx file', (b'\0\0\x08',))
_PICKLE = _Kind('a python batch of CIFAR-10', (b'\x80',))
_JSON = _Kind('JSON', (b'{', b'['))
_TEXT = {f'*.{ending}{packed}': _JSON for ending in ('json', 'jsonl') for packed in ('', '.gz')}

# Of each task the files in its folder, and what its file is where it takes one.
_IN_FOLDER = {
  'arrays': {'train.npz': _NPZ, 'test.npz': _NPZ},
  'mnist': {'*-idx?-ubyte': _IDX, '*-idx?-ubyte.gz': _IDX},
  'cifar10': {'**/data_batch_?': _PICKLE, '**/test_batch': _PICKLE},
  'client_files': {'*.npz': _NPZ},
  'text': _TEXT,
  'chars': _TEXT,
  'vqa': {'*_questions.json': _JSON, '*_annotations.json': _JSON},
}
_SINGLE = {'client_files': _SQLITE, 'text': _JSON, 'chars': _JSON}


def check_task_files(task: str, data_dir: str) -> None:
  """Checks the files that a task reads.

  Args:
    task: its name.
    data_dir: the folder or file with its data.

  Raises:
    DataError: there is no such folder or file, or one of its files is of another kind.
    OSError: a file cannot be read.
  """
  path = pathlib.Path(data_dir).expanduser()
  if not path.exists():
    raise examples.DataError(f'data_dir: {path} found, expected a file or folder that exists.')
  if path.is_file():
    if task in _SINGLE:
      _check(path, _SINGLE[task])
    return
  for pattern, kind in _IN_FOLDER.get(task, {}).items():
    for file in sorted(path.glob(pattern))[:_MOST_FILES]:
      _check(file, kind)


def check_npz(path: str) -> None:
  """Checks that a file is an npz file, as `check_task_files` does; one that is not there is none.

  Raises:
    DataError: it is of another kind, or not there.
    OSError: it cannot be read.
  """
  file = pathlib.Path(path).expanduser()
  if not file.is_file():
    raise examples.DataError(f'{path}: no file found, expected {_NPZ.name}.')
  _check(file, _NPZ)


def _check(path: pathlib.Path, kind: _Kind) -> None:
  if not path.is_file():
    return
  try:
    start = bytes(bounded.read(path, _NUM_BYTES))
  except (gzip.BadGzipFile, EOFError, zlib.error) as error:
    raise examples.DataError(f'{path}: cannot be unpacked by gzip ({error}).') from error
  if kind is _JSON:
    start = start.removeprefix(_BYTE_ORDER_MARK).lstrip(_SPACE)
  if not start.startswith(kind.starts):
    found = f'begins with {start[:8]!r}' if start else 'is empty'
    raise examples.DataError(f'{path}: {found}, expected {kind.name}.')
