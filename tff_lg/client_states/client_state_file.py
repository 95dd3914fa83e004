"""The SQLite file of a client-state store: checked when opened, each value with its checksum.

A transaction writes in place; until it ends, a journal beside the file has what it replaces.
A killed one is taken back by the next process that opens the file for writing.
"""

import contextlib
import errno
import json
import os
import pathlib
import shutil
import sqlite3
import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tff_lg import checkpoints

# On disk when a transaction ends. Dropped values are not overwritten: their space is used again.
_SETTINGS = ''.join(
  f'PRAGMA {setting};'
  for setting in ('page_size=16384', 'cache_size=-16384', 'secure_delete=OFF', 'synchronous=EXTRA')
)
# The primary key's index has the keys apart from the values, by round.
_COLUMNS = 'round_num INTEGER, client INTEGER, checksum INTEGER, content BLOB'
_TABLE = f'CREATE TABLE contents ({_COLUMNS}, PRIMARY KEY (round_num, client))'
_WHERE = 'FROM contents WHERE round_num = ? AND client = ?'
# The key of id and schema.
_DESCRIPTION = (-1, -1)

# What SQLite calls a full disk, and a full quota.
_FULL = ('SQLITE_FULL', 'SQLITE_IOERR_WRITE')


class ClientStoreError(checkpoints.CheckpointError):
  """A store that is damaged, missing, or another one; the message names the file."""


class ClientStateFile:
  """Values by (round, client); a change is one transaction, on disk when it returns.

  Whatever cannot be read is a `ClientStoreError`, a full disk an `OSError` with `errno.ENOSPC`.

  Attributes:
    id: tells this file from every other; empty before `create` or `open`.
  """

  def __init__(self, folder: str, schema: Mapping[str, str], read_only: bool) -> None:
    """Takes the folder and what the values are, by name; touches no file."""
    self.id = ''
    self._folder, self._path = folder, os.path.join(folder, 'states.sqlite')
    self._schema, self._read_only = schema, read_only
    self._db: sqlite3.Connection | None = None

  def create(self) -> None:
    """Makes an empty file, in place of what a run left that had no checkpoint of it yet."""
    shutil.rmtree(self._folder, ignore_errors=True)
    os.makedirs(self._folder)
    self._connect('rwc')
    with self._transaction() as db:
      db.execute(_TABLE)
    self.id = uuid.uuid4().hex
    self.put([(_DESCRIPTION, json.dumps({'id': self.id, **self._schema}).encode())])

  def open(self, expected_id: str) -> None:
    """Opens the file that has this id; one of the same id and schema, or ClientStoreError."""
    if os.path.exists(earlier := os.path.join(self._folder, 'data.mdb')):
      raise ClientStoreError(
        f'{earlier} was written by an earlier version, with LMDB; use that version, or delete the '
        'run folder and run again.'
      )
    if not os.path.isfile(self._path):
      raise self._error('no such file, but the checkpoint refers to its client states')
    if self._read_only and os.path.exists(f'{self._path}-journal'):
      raise ClientStoreError(f'{self._path}: it is half written; resume the run that was killed.')
    self._connect('ro' if self._read_only else 'rw')
    found = json.loads(self.load(_DESCRIPTION, 'its description'))
    self.id = found['id']
    if self.id != expected_id:
      raise self._error(
        f'it belongs to another run: its id is {self.id}, the checkpoint refers to {expected_id}'
      )
    for name, expected in self._schema.items():
      if found[name] != expected:
        raise self._error(
          f'it has client states of another type: {name} is {found[name]}, expected {expected}'
        )

  def close(self) -> None:
    """Ends the use of the file."""
    if self._db is not None:
      self._db.close()
    self._db = None

  def load(self, key: tuple[int, int], what: str) -> bytes:
    """Returns the value of a key; ClientStoreError that says `what` is missing or damaged."""
    with self._transaction() as db:
      found = db.execute(f'SELECT checksum, content {_WHERE}', key).fetchone()
    if found is None:
      raise self._error(f'{what} is missing')
    checksum, content = found
    if not isinstance(content, bytes) or checksum != _checksum(key, content):
      raise self._error(f'{what} is damaged')
    return content

  def keys(self) -> np.ndarray:
    """Returns the keys that have values, int64 [number, 2]."""
    with self._transaction() as db:
      found = db.execute('SELECT round_num, client FROM contents WHERE round_num >= 0')
      return np.fromiter(found, np.dtype((np.int64, 2)))

  def put(self, values: Iterable[tuple[tuple[int, int], bytes]]) -> None:
    """Writes values by key, all of them or none."""
    rows = ((*key, _checksum(key, content), content) for key, content in values)
    with self._transaction() as db:
      db.executemany('INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?)', rows)

  def delete(self, keys: np.ndarray) -> None:
    """Deletes the values of keys, int64 [number, 2], all of them or none."""
    with self._transaction() as db:
      db.executemany(f'DELETE {_WHERE}', keys.tolist())

  def _connect(self, mode: str) -> None:
    uri = f'{pathlib.Path(self._path).absolute().as_uri()}?mode={mode}'
    with self._errors():
      # SQLite itself lets one thread in at a time.
      self._db = sqlite3.connect(uri, uri=True, check_same_thread=False)
      self._db.executescript(_SETTINGS)

  @contextlib.contextmanager
  def _transaction(self) -> Iterator[sqlite3.Connection]:
    if self._db is None:
      raise RuntimeError(f'{self._path} is not open: `create` or `open` come first.')
    with self._errors(), self._db:
      yield self._db

  @contextlib.contextmanager
  def _errors(self) -> Iterator[None]:
    """Raises errors of SQLite as this class's."""
    try:
      yield
    except sqlite3.Error as error:
      if getattr(error, 'sqlite_errorname', '') in _FULL:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path) from error
      raise self._error(f'it may be damaged or truncated ({error})') from error

  def _error(self, problem: str) -> ClientStoreError:
    return ClientStoreError(
      f'{self._path}: {problem}; put back a copy of the run folder, or delete it and run again.'
    )


def _checksum(key: tuple[int, int], content: bytes) -> int:
  """Returns a CRC-32 of both, so that a value under another's key is told too."""
  return zlib.crc32(content, zlib.crc32(str(key).encode()))
