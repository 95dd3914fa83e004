"""One writer at a time in a folder: a lock file that names who holds it."""

import contextlib
import datetime
import errno
import fcntl
import os
import socket
import threading
from collections.abc import Iterator
from typing import TextIO

from absl import logging

from tff_lg import file_names, files

# What file systems say that have no locks.
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)

# Threads of this process with the folders that they hold.
_held: set[tuple[int, str]] = set()


class FolderInUseError(ValueError):
  """A folder in which another process writes; one sentence."""


class FolderLock:
  """A lock on a folder, from when it is made to `release`.

  The system frees it when the process ends, however it ends. A file that a killed process has left
  locks nothing.
  """

  def __init__(self, folder: str, option: str = '--run_dir') -> None:
    """Takes the lock, and makes the folder if need be.

    Where the file system has no locks, a warning says so and the folder is not locked.

    Args:
      folder: the folder.
      option: the flag that names it.

    Raises:
      FolderInUseError: another process, or another run of this one, holds the lock.
      OSError: the folder cannot be made or written.
    """
    self._key = _key(folder)
    self._is_new = not os.path.exists(folder)
    self._watch = files.FolderWatch(folder)
    self._path = os.path.join(folder, file_names.LOCK)
    self._file: TextIO | None = None
    while self._file is None:
      file = open(self._path, 'a+', encoding='utf-8')  # noqa: SIM115, open as long as it is held.
      try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
      except BlockingIOError:
        with file:
          file.seek(0)
          raise FolderInUseError(self._refusal(file.read(), folder, option)) from None
      except OSError as error:
        if error.errno not in _NO_LOCKS:
          file.close()
          raise
        logging.warning(
          '%s=%s is on a file system without locks (%s): make sure that no other process writes '
          'there, or choose a folder on a local disk.',
          option,
          folder,
          error.strerror,
        )
      if self._is_there(file):
        self._file = file
      else:
        file.close()  # Whoever held it has removed it meanwhile.
    holder = (
      f'process {os.getpid()} on {socket.gethostname()} since '
      f'{datetime.datetime.now():%Y-%m-%d %H:%M:%S}\n'
    )
    try:
      with files.naming(self._path):
        self._file.truncate(0)
        # Not into a buffer, which a full disk would leave to be written at the end.
        os.write(self._file.fileno(), holder.encode())
    except OSError:
      self.release()
      raise
    _held.add(self._key)

  def check(self) -> None:
    """Refuses a folder that was deleted meanwhile; files.FolderGoneError."""
    self._watch.check()

  def release(self) -> None:
    """Frees the folder and removes the file, and a new folder in which nothing was written."""
    if self._file is None:
      return
    _held.discard(self._key)
    with contextlib.suppress(FileNotFoundError):  # The folder may have been deleted.
      if self._is_there(self._file):
        os.unlink(self._path)
    self._file.close()
    self._file = None
    if self._is_new:
      with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(self._path))

  def _is_there(self, file: TextIO) -> bool:
    """Returns whether the path is still that of the open file."""
    try:
      return os.path.samestat(os.fstat(file.fileno()), os.stat(self._path))
    except FileNotFoundError:
      return False

  def _refusal(self, holder: str, folder: str, option: str) -> str:
    return (
      f'{option}={folder} is in use by {holder.strip() or "another process"}: wait for its end, or '
      f'stop it. If it is gone and this stays, delete {self._path}.'
    )


def is_held(folder: str) -> bool:
  """Returns whether this thread holds the lock of a folder."""
  return _key(folder) in _held


def _key(folder: str) -> tuple[int, str]:
  return threading.get_ident(), os.path.realpath(folder)


def written_names(folder: str) -> set[str]:
  """Returns the names of what runs have written in a folder; none where there is no folder.

  Those of a lock, and of a file that a killed run was writing, are left out.
  """
  names = os.listdir(folder) if os.path.isdir(folder) else []
  return {name for name in names if not name.endswith('.tmp')} - {file_names.LOCK}


@contextlib.contextmanager
def hold(folder: str, option: str = '--run_dir') -> Iterator[None]:
  """Holds the lock of a folder in a `with` block.

  Raises:
    FolderInUseError, OSError: as `FolderLock`.
    files.FolderGoneError: the folder was deleted in the block.
  """
  lock = FolderLock(folder, option)
  try:
    yield
    lock.check()
  except OSError:
    lock.check()
    raise
  finally:
    lock.release()
