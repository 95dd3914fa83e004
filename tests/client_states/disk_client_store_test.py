"""Tests of the clients' states on disk: the same as in memory, dropped in time, damage told."""

import collections
import contextlib
import errno
import os
import resource
import shutil
import sqlite3
import threading
from unittest import mock

import numpy as np
from absl.testing import absltest

from tff_lg import learning
from tff_lg.client_states import client_state_file, client_store, disk_client_store


def _state(value, size=2) -> learning.ClientState:
  # Keys out of alphabetical order, as in TFF's optimisers; types of several widths.
  optimizer_state = collections.OrderedDict(
    rate=np.float64(value), accumulator=(np.full([size, 0], 1.0), np.array([value > 2]))
  )
  return learning.ClientState((np.full([size], value, np.float32), np.int32(7)), optimizer_state)


class DiskClientStateStoreTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = self.create_tempdir().full_path
    self.folder = f'{self.root}/client_states/phase_0'
    self.file = f'{self.folder}/states.sqlite'

  def _store(self, folder=None, initial=None, num_clients=6, **kwargs):
    store = disk_client_store.DiskClientStateStore(
      folder or self.folder, initial or _state(0), num_clients, **kwargs
    )
    self.addCleanup(store.close)
    return store

  def _checkpoint(self, num_clients=6):
    """Makes a store that was closed after its checkpoint of round 2; returns what that holds."""
    store = self._store(num_clients=num_clients)
    store.put(1, [3, 1], [_state(3), _state(1)])
    store.put(2, [1], [_state(5)])
    arrays = store.to_arrays(2)
    store.close()
    return arrays

  def _num_states(self, store) -> int:
    return int((store._file.keys()[:, 1] != disk_client_store._EVERYONE).sum())

  def _execute(self, *statement):
    """Changes the file behind the store's back; returns what it answers."""
    with contextlib.closing(sqlite3.connect(self.file)) as db, db:
      return db.execute(*statement).fetchall()

  def test_same_as_in_memory(self):
    stores = client_store.ClientStateStore(_state(0)), self._store()
    for store in stores:
      store.put(1, [4, 2], [_state(4), _state(2)])
      store.chosen.take(np.array([1, 2]), store.snapshot(range(6)))
      store.put(2, [], [])
      store.put(3, [0, 2], [_state(1), _state(3)])
      store.chosen.take(np.array([0]), store.snapshot(range(6)))
    memory, disk = stores
    clients = [5, 2, 0, 4, 2, 9]
    for got, want in (
      (disk.get(clients), memory.get(clients)),
      (disk.chosen.get(np.array([2, 0, 1])), memory.chosen.get(np.array([2, 0, 1]))),
      (disk.snapshot(range(6))[1:4], memory.snapshot(range(6))[1:4]),
    ):
      self.assertEqual(len(got), len(want))
      for a, b in zip(got, want, strict=True):
        np.testing.assert_equal(a, b)
        self.assertEqual(list(a.optimizer_state), ['rate', 'accumulator'])
        self.assertEqual(a.local_weights[0].dtype, np.float32)
    with mock.patch.object(disk_client_store, 'CLIENTS_AT_A_TIME', 2):
      written = list(disk.written())
    self.assertEqual([clients for clients, _ in written], [[0, 2], [4]])
    np.testing.assert_equal(written[1][1], [_state(4)])

  def test_clients_never_written_take_no_space(self):
    store = self._store(num_clients=10**6)
    self.assertIs(store.get([999_999])[0], store.initial_state)
    self.assertFalse(os.path.exists(self.root + '/client_states'))
    store.put(1, [5], [_state(1)])
    self.assertEqual(self._num_states(store), 1)

  def test_states_without_arrays_need_no_file(self):
    empty = learning.ClientState((), ())
    store = self._store(initial=empty)
    store.put(1, [1], [empty])
    store.load_arrays(store.to_arrays(1), 1)
    store.settle([1])
    self.assertEqual(store.get([1]), [empty])
    self.assertFalse(os.path.exists(self.folder))

  def test_refuses_states_of_another_type(self):
    with self.assertRaisesRegex(ValueError, 'expected'):
      self._store().put(1, [1], [_state(1, size=3)])

  def test_goes_back_to_a_checkpoint(self):
    arrays = self._checkpoint()
    store = self._store()
    store.load_arrays(arrays, 2)
    store.put(3, [1, 0], [_state(8), _state(9)])
    store.chosen.take(np.array([1]), store.snapshot(range(6)))
    store.close()  # As if killed before the next checkpoint.
    for again in (self._store(), self._store(read_only=True)):
      again.load_arrays(arrays, 2)
      np.testing.assert_equal(again.get(range(4)), [_state(0), _state(5), _state(0), _state(3)])
      np.testing.assert_equal(list(again.chosen.get(np.array([1]))), [_state(0)])
      self.assertEqual(self._num_states(again), 3)
      again.close()

  def test_run_without_checkpoint_starts_over(self):
    self._checkpoint()
    store = self._store()
    store.put(1, [2], [_state(2)])
    self.assertEqual(self._num_states(store), 1)
    np.testing.assert_equal(store.get([1, 2]), [_state(0), _state(2)])

  def test_drops_what_no_checkpoint_needs(self):
    store = self._store()
    sizes = []
    for round_num in range(1, 61):
      clients = [round_num % 6, (round_num + 1) % 6]
      store.put(round_num, clients, [_state(round_num, 2), _state(-round_num, 2)])
      if round_num in (4, 33):
        store.chosen.take(np.arange(6), store.snapshot(range(6)))
      if round_num % 3 == 0:
        store.to_arrays(round_num)
        store.settle([round_num - 3, round_num])
        sizes.append((self._num_states(store), os.path.getsize(self.file)))
    # Of each client the chosen state and those of two checkpoints, at most.
    self.assertLessEqual(max(number for number, _ in sizes), 18)
    self.assertLessEqual(sizes[-1][1], sizes[9][1])
    # As of round 33, in which client 3 was put first and client 4 second; client 0 in round 30.
    chosen = list(store.chosen.get(np.array([3, 4, 0])))
    np.testing.assert_equal(chosen, [_state(33), _state(-33), _state(30)])
    store.settle([60])
    found = set(map(tuple, store._file.keys().tolist()))
    named = [*store.snapshot(range(6)).keys, *store.chosen.get(np.arange(6)).keys]
    self.assertEqual(found, {(60, disk_client_store._EVERYONE), *map(tuple, named)})

  def test_damaged_state_is_named(self):
    arrays = self._checkpoint()
    with open(self.file, 'r+b') as file:
      old, new = (np.array([3, x], np.float32).tobytes() for x in (3, 4))
      content = file.read()
      self.assertEqual(content.count(old), 1)
      file.seek(0)
      file.write(content.replace(old, new))
    store = self._store()
    store.load_arrays(arrays, 2)
    np.testing.assert_equal(store.get([1]), [_state(5)])
    damaged = f'{self.file}: the state of client 3 after round 1 is damaged; put back a copy'
    with self.assertRaisesRegex(client_state_file.ClientStoreError, damaged):
      store.get([3])
    self._execute('DELETE FROM contents WHERE client = 3')
    with self.assertRaisesRegex(client_state_file.ClientStoreError, 'client 3 after round 1 is mi'):
      store.get([3])
    # The value of another key, whole but not this one's; and none of bytes.
    for change in ('client = 3 WHERE client = 1 AND round_num = 1', 'content = 5 WHERE client = 3'):
      self._execute(f'UPDATE contents SET {change}')
      with self.assertRaisesRegex(client_state_file.ClientStoreError, 'client 3 .* is damaged'):
        store.get([3])

  def test_refuses_what_does_not_fit_the_checkpoint(self):
    arrays = self._checkpoint()
    kept = shutil.copytree(self.folder, f'{self.root}/kept')
    size = os.path.getsize(self.file)

    def truncate(size):
      os.truncate(self.file, size)

    def write(start, content=bytes(8192)):
      with open(self.file, 'r+b') as file:
        file.seek(start)
        file.write(content)

    def describe(old, new):
      new_content = f"CAST(replace(content, '{old}', '{new}') AS BLOB)"
      self._execute(f'UPDATE contents SET content = {new_content} WHERE round_num = -1')

    for damage, kwargs, round_num, sentence in (
      (lambda: shutil.rmtree(self.folder), {}, 2, 'states.sqlite: no such file, but the check'),
      (lambda: truncate(0), {}, 2, 'states.sqlite: it may be damaged or truncated .n'),
      (lambda: truncate(size - 1), {}, 2, 'states.sqlite: its description is missing; put'),
      (lambda: truncate(size - 16384), {}, 2, 'it may be damaged or truncated .database disk i'),
      (lambda: write(0), {}, 2, 'it may be damaged or truncated .file is not a database'),
      (lambda: write(100), {}, 2, 'it may be damaged or truncated .database disk image is '),
      (lambda: describe('array', 'arrai'), {}, 2, 'states.sqlite: its description is damaged; put'),
      (lambda: None, {}, 3, 'what the checkpoint of round 3 refers to is missing'),
      (lambda: None, {'initial': _state(0, 3)}, 2, 'type: array 0 is <f4 .2., expected <f4 .3.'),
      (
        lambda: None,
        {'initial': learning.ClientState((np.zeros(2, np.float32),), ())},
        2,
        'type: structure is ClientState.*OrderedDict.*, expected ClientState',
      ),
      (self._start_over, {}, 2, 'belongs to another run: its id is'),
    ):
      shutil.rmtree(self.folder, ignore_errors=True)
      shutil.copytree(kept, self.folder)
      damage()
      for read_only in (False, True):
        store = self._store(read_only=read_only, **kwargs)
        with self.assertRaisesRegex(client_state_file.ClientStoreError, sentence):
          store.load_arrays(arrays, round_num)
        store.close()

  def _start_over(self):
    store = self._store()
    store.put(1, [2], [_state(2)])
    store.to_arrays(2)
    store.close()

  def test_store_of_an_earlier_version(self):
    arrays = self._checkpoint()
    os.rename(self.file, f'{self.folder}/data.mdb')
    with self.assertRaisesRegex(
      client_state_file.ClientStoreError, 'phase_0/data.mdb was written by an earlier version'
    ):
      self._store().load_arrays(arrays, 2)

  def test_ended_run_is_read_and_nothing_is_written(self):
    arrays = self._checkpoint()

    def found():
      with open(self.file, 'rb') as file:
        return os.listdir(self.folder), os.stat(self.file).st_mtime_ns, file.read()

    before = found()
    store = self._store(read_only=True)
    store.load_arrays(arrays, 2)
    np.testing.assert_equal(store.get([1]), [_state(5)])
    self.assertEqual(found(), before)
    store.close()
    self.assertEqual(found(), before)

  def test_killed_as_it_writes(self):
    arrays = self._checkpoint(4000)
    with open(self.file, 'rb') as file:
      before = file.read()
    left = f'{self.root}/left/phase_0'

    def states():
      yield _state(6)
      yield from [_state(7)] * 3000
      # What is in the folder when a process is killed here.
      shutil.copytree(self.folder, left)
      yield _state(8)

    settings = client_state_file._SETTINGS + 'PRAGMA cache_size=10;'
    with mock.patch.object(client_state_file, '_SETTINGS', settings):
      store = self._store()
      store.load_arrays(arrays, 2)
      store.put(3, range(3002), states())
    with open(f'{left}/states.sqlite', 'rb') as file:
      self.assertNotEqual(file.read(), before)
    reading = self._store(left, read_only=True)
    with self.assertRaisesRegex(
      client_state_file.ClientStoreError, f'{left}/states.sqlite: it is half written; resume the '
    ):
      reading.load_arrays(arrays, 2)
    resumed = self._store(left)
    resumed.load_arrays(arrays, 2)
    np.testing.assert_equal(resumed.get([0, 1, 3]), [_state(0), _state(5), _state(3)])
    self.assertEqual(os.listdir(left), ['states.sqlite'])
    self.assertEqual(self._num_states(resumed), 3)

  def test_full_disk_changes_nothing(self):
    arrays = self._checkpoint(400)
    store = self._store()
    store.load_arrays(arrays, 2)
    size = os.path.getsize(self.file)
    clients, states = range(400), [_state(6, 2)] * 400

    def fill(pages):
      store._file._db.execute(f'PRAGMA max_page_count={pages}')

    def limit(num_bytes):
      # As with a full quota, the system says something else than that the disk is full.
      resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, limits[1]))

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for full, value, empty in ((fill, size // 16384, 2**30), (limit, size, limits[0])):
      full(value)
      try:
        with self.assertRaisesRegex(OSError, 'No space left on device.*states.sqlite') as raised:
          store.put(3, clients, states)
      finally:
        full(empty)
      self.assertEqual(raised.exception.errno, errno.ENOSPC)
      np.testing.assert_equal(store.get([1, 3]), [_state(5), _state(3)])
      self.assertEqual(os.path.getsize(self.file), size)
    store.put(3, clients, states)
    np.testing.assert_equal(store.get([1]), [_state(6)])

  def test_large_states(self):
    store = self._store(initial=_state(0, 2**20))
    for round_num in range(1, 5):
      store.put(round_num, [0, 1], [_state(round_num, 2**20)] * 2)
      store.to_arrays(round_num)
      store.settle([round_num])
    np.testing.assert_equal(store.get([1]), [_state(4, 2**20)])
    # Two rounds of two states of 12 MiB each: the space of dropped ones is used again.
    self.assertLess(os.path.getsize(self.file), 5 * 12 * 2**20)

  def test_is_read_in_any_thread(self):
    store, found = self._store(), []
    store.put(1, [1], [_state(1)])
    thread = threading.Thread(target=lambda: found.extend(store.get([1])))
    thread.start()
    thread.join()
    np.testing.assert_equal(found, [_state(1)])

  def test_use_before_it_is_open(self):
    with self.assertRaisesRegex(RuntimeError, 'states.sqlite is not open'):
      self._store().read((1, 1))


if __name__ == '__main__':
  absltest.main()
