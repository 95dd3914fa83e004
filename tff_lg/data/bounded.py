"""Files that are read into memory whole, if the machine has room for what is in them."""

import contextlib
import gzip
import os
import pathlib
import zlib
from collections.abc import Collection, Iterator

import numpy as np
import psutil

from tff_lg.data import examples

_GZIP_MAGIC = b'\x1f\x8b'
_CHUNK = 1 << 20
# What a group of processes, such as a container's, may have and has.
_CGROUPS = (
  ('/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory.current'),
  (
    '/sys/fs/cgroup/memory/memory.limit_in_bytes',
    '/sys/fs/cgroup/memory/memory.usage_in_bytes',
  ),
)


def room() -> int:
  """Returns how many bytes a file may have in memory: half of what is free."""
  free = psutil.virtual_memory().available
  for most, used in _CGROUPS:
    try:
      free = min(free, int(pathlib.Path(most).read_text()) - int(pathlib.Path(used).read_text()))
    except (OSError, ValueError):  # No such group, or one without a limit.
      continue
  return max(free, 0) // 2


def check(path: str | os.PathLike, num_bytes: int, space: int | None = None) -> None:
  """Refuses a file whose content would take more memory than there is room for.

  Args:
    path: named in the error.
    num_bytes: of the content.
    space: the `room` before any of it was in memory; that of now by default.

  Raises:
    DataError: it would.
  """
  most = room() if space is None else space
  if num_bytes > most:
    raise examples.DataError(
      f'{path}: {num_bytes / 1e9:.3g} GB found once unpacked, expected at most half of the free '
      f'memory, {most / 1e9:.3g} GB.'
    )


def read(path: pathlib.Path, most: int | None = None) -> bytearray:
  """Reads a file, unpacked if it is a gzip file.

  Args:
    path: of the file.
    most: bytes wanted; of a longer content one byte more is read. All of it by default.

  Returns:
    The content, or its beginning.

  Raises:
    DataError: the content does not fit in memory.
    OSError: the file cannot be read, or unpacked (gzip.BadGzipFile).
  """
  space = room()
  limit = space if most is None else min(most, space)
  content = bytearray()
  with open(path, 'rb') as file:
    # By content, not by name: some browsers unpack a .gz and keep its name.
    is_packed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    file.seek(0)
    unpacked = gzip.GzipFile(fileobj=file) if is_packed else file
    try:
      while chunk := unpacked.read(min(_CHUNK, limit + 1 - len(content))):
        content += chunk
    except (EOFError, zlib.error) as error:  # Cut off, or changed.
      raise gzip.BadGzipFile(str(error)) from error
  check(path, len(content), space)
  return content


@contextlib.contextmanager
def open_npz(
  path: str | os.PathLike, names: Collection[str] | None = None
) -> Iterator[np.lib.npyio.NpzFile]:
  """Opens an npz file of plain arrays for a `with` block, if they fit in memory.

  Args:
    path: of the file.
    names: of the arrays that are wanted; all of them by default.

  Raises:
    DataError: the arrays do not fit in memory.
    Exception: the file is missing or damaged; a damaged archive can raise nearly anything.
  """
  with open(path, 'rb') as file, np.load(file, allow_pickle=False) as arrays:
    sizes = {member.filename: member.file_size for member in arrays.zip.infolist()}
    wanted = sizes if names is None else [f'{name}.npy' for name in names]
    check(path, sum(sizes.get(name, 0) for name in wanted))
    yield arrays
