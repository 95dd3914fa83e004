"""Files that are either whole or not there at all."""

import contextlib
import errno
import os
from collections.abc import Iterator

# What the system says when a disk, or one's share of it, is full.
FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# What file systems say that cannot put a folder on disk by itself.
_NO_SYNC = (errno.EINVAL, errno.EBADF, errno.EACCES, errno.ENOTSUP)


class FolderGoneError(ValueError):
  """A folder that was deleted while it was written; one sentence."""


class FolderWatch:
  """Notices that a folder was deleted, which writing to it would make again without the rest."""

  def __init__(self, folder: str) -> None:
    """Makes the folder if need be."""
    os.makedirs(folder, exist_ok=True)
    self._folder, self._found = folder, os.stat(folder)

  def check(self) -> None:
    """Refuses a folder that is gone, or another one; FolderGoneError."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
      if os.path.samestat(self._found, os.stat(self._folder)):
        return
    raise FolderGoneError(
      f'{self._folder} was deleted or moved while it was written: what is left there is not whole; '
      'delete it and run again.'
    )


def write_atomically(path: str, content: str | bytes) -> str:
  """Writes a file through a temporary one, so that a killed writer leaves no half of it.

  When it returns, the file and its name are on disk.

  Args:
    path: the file; its folder is made if need be.
    content: text, written as UTF-8, or bytes.

  Returns:
    `path`.

  Raises:
    OSError: the folder cannot be made or written; it names the file.
    ValueError: the text has characters that UTF-8 cannot hold; one sentence.
  """
  folder = os.path.dirname(path)
  if folder:
    os.makedirs(folder, exist_ok=True)
  content = _encode(path, content) if isinstance(content, str) else content
  # The name is fixed, so what a killed writer left is overwritten by the next.
  temporary = f'{path}.tmp'
  try:
    with naming(path), open(temporary, 'wb') as file:
      file.write(content)
      file.flush()
      os.fsync(file.fileno())
    os.replace(temporary, path)
  except OSError:
    # A disk that is full needs the space.
    with contextlib.suppress(OSError):
      os.unlink(temporary)
    raise
  sync_folder(folder or '.')
  return path


def move_folder(folder: str, path: str) -> None:
  """Moves a folder that is whole to its place.

  When it returns, its files and its name are on disk.

  Args:
    folder: on the same file system as `path`.
    path: where there is nothing, or an empty folder.

  Raises:
    OSError: it cannot be moved, or not be put on disk.
  """
  for inner, _, names in os.walk(folder):
    for name in names:
      with open(os.path.join(inner, name), 'rb') as file, naming(file.name):
        os.fsync(file.fileno())
    sync_folder(inner)
  os.replace(folder, path)
  sync_folder(os.path.dirname(os.path.abspath(path)))


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
  """Names a file in an `OSError` of the block that names none, as of a write to a full disk."""
  try:
    yield
  except OSError as error:
    if error.filename is None:
      error.filename = path
    raise


def _encode(path: str, text: str) -> bytes:
  try:
    return text.encode('utf-8')
  except UnicodeEncodeError as error:
    around = text[max(error.start - 20, 0) : error.end + 20]
    raise ValueError(
      f'{path} cannot be written: in {around!r} a character is half of a surrogate '
      'pair, expected text that UTF-8 can hold.'
    ) from None


def sync_folder(folder: str) -> None:
  """Puts the names in a folder on disk, which a power loss could take back."""
  handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
  try:
    with naming(folder):
      os.fsync(handle)
  except OSError as error:
    if error.errno not in _NO_SYNC:
      raise
  finally:
    os.close(handle)
