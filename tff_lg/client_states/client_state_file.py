"""The LMDB file of a client-state store: opened once, checked, and made larger as needed.

LMDB keeps no checksums, so each value has one. It maps its file into memory: the pages count as
resident, but the system takes them back when memory is short. The file must be on a local disk.
"""

import contextlib
import errno
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence

import lmdb

from tff_lg import checkpoints, files
from tff_lg.client_states import client_state_codec as codec_lib

# The file's first size in memory, doubled when it is full; no file system holds the largest.
_FIRST_MAP_BYTES, _LARGEST_MAP_BYTES = 2**26, 2**46

# Deleted in one transaction at most, where there may be one for each client.
_KEYS_AT_A_TIME = 1000

# What a changed key takes beside its value at most: pages of the tree and of the list of free ones.
_PAGES_OF_A_KEY = 16

_ID, _SCHEMA = b'id', b'schema'
_REMEDY = 'put back a copy of the run folder, or delete it and run again'


class ClientStoreError(checkpoints.CheckpointError):
  """A store that is damaged, missing, or another one; the message names the file."""


class ClientStateFile:
  """States, the journal of their keys, and snapshots, each by key; transactions are on disk.

  Whatever cannot be read is a `ClientStoreError`, a full disk an `OSError` with `errno.ENOSPC`.

  Attributes:
    id: tells this file from every other.
    states, journal, snapshots: names of what it holds.
  """

  states, journal, snapshots = b'states', b'journal', b'snapshots'

  def __init__(self, folder: str, schema: str, read_only: bool) -> None:
    """Touches no file; `create` or `open` come first."""
    self.id = ''
    self._folder, self._path = folder, os.path.join(folder, 'data.mdb')
    self._schema, self._read_only = schema, read_only
    self._opened: lmdb.Environment | None = None
    self._dbs: dict[bytes, lmdb._Database] = {}

  def create(self) -> None:
    """Makes an empty file, in place of what a run left that had no checkpoint of it yet."""
    with self.errors():
      shutil.rmtree(self._folder, ignore_errors=True)
      os.makedirs(self._folder)
      self._open_files()
      self.id = uuid.uuid4().hex
      with self.write(2, len(self._schema)) as txn:
        for key, text in ((_ID, self.id), (_SCHEMA, self._schema)):
          txn.put(key, codec_lib.seal(key, text.encode()))

  def open(self, expected_id: str) -> None:
    """Opens the file that has this id; one of the same id and schema, or ClientStoreError."""
    if not os.path.isfile(self._path):
      raise ClientStoreError(
        f'The checkpoint refers to client states in {self._path}, which is missing; {_REMEDY}.'
      )
    # LMDB would take a file without its first pages for a new one.
    self._check_size(2 * os.sysconf('SC_PAGESIZE'))
    with self.errors():
      self._open_files()
      self.id, schema = (self.load(None, key, 'its description').decode() for key in (_ID, _SCHEMA))
    if self.id != expected_id:
      raise ClientStoreError(
        f'{self._path} belongs to another run: it has the id {self.id}, but the checkpoint refers '
        f'to {expected_id}; {_REMEDY}.'
      )
    if schema != self._schema:
      raise ClientStoreError(
        f'{self._path} holds client states of another type: '
        f'{codec_lib.describe_difference(schema, self._schema)}.'
      )

  def close(self) -> None:
    """Ends the use of the file."""
    if self._opened is not None:
      self._opened.close()
    self._opened = None

  @property
  def _env(self) -> lmdb.Environment:
    if self._opened is None:
      raise RuntimeError(f'{self._path} is not open: `create` or `open` come first.')
    return self._opened

  def load(self, name: bytes | None, key: bytes, what: str) -> bytes:
    """Returns the value of a key; ClientStoreError that says `what` is missing or damaged."""
    with self.errors(), self._env.begin(buffers=True) as txn:
      value = txn.get(key, db=None if name is None else self._dbs[name])
      if value is not None:
        with contextlib.suppress(codec_lib.DamagedError):
          return bytes(codec_lib.unseal(key, value))
      problem = 'missing' if value is None else 'damaged'
    raise ClientStoreError(f'{self._path}: {what} is {problem}; {_REMEDY}.')

  def keys(self, name: bytes, start: bytes = b'') -> list[bytes]:
    """Returns keys from one on, in order."""
    with self.errors(), self._env.begin(self._dbs[name]) as txn, txn.cursor() as cursor:
      return list(cursor.iternext(values=False)) if cursor.set_range(start) else []

  def put(self, values: Sequence[tuple[bytes, bytes, bytes]]) -> None:
    """Writes (name, key, value) in one transaction, all of them or none."""
    sealed = [
      (self._dbs[name], key, codec_lib.seal(key, content) if content else b'')
      for name, key, content in values
    ]
    with self.write(len(sealed), sum(len(value) for *_, value in sealed)) as txn:
      for db, key, value in sealed:
        txn.put(key, value, db=db)

  def delete(self, name: bytes, keys: Sequence[bytes]) -> None:
    """Deletes those of these keys that there are, in a few transactions."""
    for start in range(0, len(keys), _KEYS_AT_A_TIME):
      part = keys[start : start + _KEYS_AT_A_TIME]
      with self.write(len(part), 0) as txn:
        for key in part:
          txn.delete(key, db=self._dbs[name])

  @contextlib.contextmanager
  def write(self, num_keys: int, num_bytes: int) -> Iterator[lmdb.Transaction]:
    """Yields a transaction that changes so many keys, with values of so many bytes together."""
    page = self._env.stat()['psize']
    num_bytes += (num_keys + 4) * _PAGES_OF_A_KEY * page
    with self.errors(num_bytes):
      self._reserve(self._used_bytes() + num_bytes)
      with self._env.begin(write=True) as txn:
        yield txn

  @contextlib.contextmanager
  def errors(self, num_bytes: int = 0) -> Iterator[None]:
    """Raises errors of LMDB as this class's, where so many bytes are written."""
    try:
      yield
    except lmdb.Error as error:
      # LMDB may call it an input/output error that the disk is full.
      has_space = num_bytes <= shutil.disk_usage(os.path.dirname(self._folder)).free
      is_told = any(os.strerror(number) in str(error) for number in files.FULL_DISK)
      if isinstance(error, lmdb.MapFullError | lmdb.DiskError) or is_told or not has_space:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path) from error
      raise ClientStoreError(f'{self._path} cannot be used ({error}); {_REMEDY}.') from error

  def _reserve(self, num_bytes: int) -> None:
    """Makes the file, and its map in memory, so large."""
    mapped = map_size = self._env.info()['map_size']
    while map_size < 2 * num_bytes:
      map_size *= 2
    if map_size > _LARGEST_MAP_BYTES:
      raise lmdb.MapFullError(self._path)
    if map_size > mapped:
      self._env.set_mapsize(map_size)
    # A full disk is told before anything is written. Also, the last pages of a transaction may be
    # free ones, never written: without them the file of a killed run could look truncated.
    with open(self._path, 'r+b') as file:
      size = os.fstat(file.fileno()).st_size
      if size < num_bytes:
        os.posix_fallocate(file.fileno(), size, num_bytes - size)

  def _open_files(self) -> None:
    self._opened = lmdb.open(
      self._folder,
      map_size=_FIRST_MAP_BYTES,
      max_dbs=3,
      readonly=self._read_only,
      lock=not self._read_only,
      readahead=False,  # The states of a cohort are not neighbours.
    )
    # Reading what is mapped beyond the file's end would kill the process.
    self._check_size(self._used_bytes())
    for name in (self.states, self.journal, self.snapshots):
      self._dbs[name] = self._env.open_db(name, create=not self._read_only)

  def _check_size(self, expected: int) -> None:
    found = os.path.getsize(self._path)
    if found < expected:
      self.close()
      raise ClientStoreError(
        f'{self._path} is truncated: it has {found:,} bytes, expected {expected:,} at least; '
        f'{_REMEDY}.'
      )

  def _used_bytes(self) -> int:
    return (self._env.info()['last_pgno'] + 1) * self._env.stat()['psize']
