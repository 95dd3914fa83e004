"""Optimised graphs in a folder of the user's, so that the next process finds them made.

A file is named by the digest of all that its graph was made of, see `surroundings`. So versions and
machines never meet each other's files. A file begins with the digest of its content: one that is
damaged is made again. It gets its name when it is whole, so processes need no lock. Where the
folder cannot be written, nothing is kept and nothing is said.

`TFF_LG_CACHE` names another folder; if it is empty, there is no cache. Graphs may hold constants,
such as a vocabulary: the folder is for its owner alone.
"""

import contextlib
import functools
import hashlib
import inspect
import os
import tempfile
from collections.abc import Callable, Iterator

import tensorflow as tf

from tff_lg import environment
from tff_lg.compatibility import tff
from tff_lg.runtime import grappler

# A run of a small network takes about half a megabyte.
CAPACITY = 256 * 2**20

_DIGEST = hashlib.sha256
_DIGEST_SIZE = _DIGEST().digest_size
_CPU_INFO = '/proc/cpuinfo'


class GraphCache:
  """Files of bytes by the digest of what they were made of; the least recently used are dropped."""

  def __init__(self, folder: str, capacity: int = CAPACITY) -> None:
    """Takes the folder, which need not be there.

    Args:
      folder: of the cache alone.
      capacity: bytes that are kept. It is looked at once a process, and may be exceeded by what
        the process adds; no file is larger than a quarter of it.
    """
    self._folder, self._capacity = folder, capacity
    self._can_write: bool | None = None

  def get_or_make(self, key: bytes, make: Callable[[], bytes]) -> bytes:
    """Returns what a file has, or what is made now, and keeps it.

    Args:
      key: all that the bytes are made of, or a digest of it.
      make: makes them; called at most once.
    """
    path = os.path.join(self._folder, _DIGEST(key).hexdigest())
    with contextlib.suppress(OSError):
      if self._is_own():
        with open(path, 'rb') as file:
          digest, content = file.read(_DIGEST_SIZE), file.read()
        if digest == _DIGEST(content).digest():
          os.utime(path)
          return content
    content = make()
    with contextlib.suppress(OSError):
      self._write(path, content)
    return content

  def _is_own(self) -> bool:
    """Returns whether nobody else could have written the folder's files."""
    found = os.stat(self._folder)
    return found.st_uid == os.getuid() and not found.st_mode & 0o022

  def _write(self, path: str, content: bytes) -> None:
    if self._can_write is None:
      self._can_write = False  # Unless all of this succeeds.
      os.makedirs(self._folder, mode=0o700, exist_ok=True)
      self._can_write = self._is_own()
      if self._can_write:
        self._drop_old()
    if not self._can_write or len(content) > self._capacity // 4:
      return
    descriptor, temporary = tempfile.mkstemp(dir=self._folder)
    try:
      with open(descriptor, 'wb') as file:
        file.write(_DIGEST(content).digest())
        file.write(content)
      os.replace(temporary, path)
    except OSError:
      self._can_write = False  # A full disk, most likely.
      os.unlink(temporary)
      raise

  def _drop_old(self) -> None:
    """Drops files, the least recently used first, until half of the capacity is free."""
    found = sorted(
      (entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in _files(self._folder)
    )
    size = sum(size for _, size, _ in found)
    if size <= self._capacity:
      return
    for _, of_file, path in found:
      with contextlib.suppress(FileNotFoundError):  # Another process drops them, too.
        os.unlink(path)
      size -= of_file
      if size <= self._capacity // 2:
        return


def _files(folder: str) -> Iterator[os.DirEntry]:
  with os.scandir(folder) as entries:
    yield from (entry for entry in entries if entry.is_file(follow_symlinks=False))


@functools.cache
def of_user() -> GraphCache | None:
  """Returns the cache of this user; None if there is to be none."""
  folder = os.environ.get(environment.GRAPH_CACHE)
  if folder is None:
    caches = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    folder = os.path.join(caches, 'tff-lg', 'graphs')
  return GraphCache(folder) if os.path.isabs(folder) else None


@functools.cache
def surroundings() -> bytes:
  """Returns what decides besides a graph how it is optimised, as a part of keys."""
  details = tf.config.experimental.get_device_details
  devices = [(each.device_type, details(each)) for each in tf.config.list_physical_devices()]
  # TF_CPP_* are those of TensorFlow's log.
  settings = sorted(
    (name, value)
    for name, value in os.environ.items()
    if name.startswith('TF_') and not name.startswith('TF_CPP_')
  )
  versions = tf.version.VERSION, tf.version.GIT_VERSION, tff.__version__
  found = versions, inspect.getsource(grappler), devices, settings, _processor()
  return repr(found).encode()


def _processor() -> str:
  """Returns the instructions that the processor has; nothing where the system does not say."""
  with contextlib.suppress(OSError), open(_CPU_INFO) as file:
    return next((line for line in file if line.startswith('flags')), '')
  return ''
