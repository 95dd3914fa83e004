"""Tests of the clients' states on disk: the same as in memory, dropped in time, damage told."""

import collections
import errno
import os
import shutil
import struct
from unittest import mock

import lmdb
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
    self.file = f'{self.folder}/data.mdb'

  def _store(self, folder=None, initial=None, num_clients=6, **kwargs):
    store = disk_client_store.DiskClientStateStore(
      folder or self.folder, initial or _state(0), num_clients, **kwargs
    )
    self.addCleanup(store.close)
    return store

  def _checkpoint(self):
    """Makes a store that was closed after its checkpoint of round 2; returns what that holds."""
    store = self._store()
    store.put(1, [3, 1], [_state(3), _state(1)])
    store.put(2, [1], [_state(5)])
    arrays = store.to_arrays(2)
    store.close()
    return arrays

  def _num_states(self, store) -> int:
    return len(store._file.keys(store._file.states))

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
        sizes.append((self._num_states(store), store._file._used_bytes()))
    # Of each client the chosen state and those of two checkpoints, at most.
    self.assertLessEqual(max(number for number, _ in sizes), 18)
    self.assertLessEqual(sizes[-1][1], sizes[9][1])
    # As of round 33, in which client 3 was put first and client 4 second; client 0 in round 30.
    chosen = list(store.chosen.get(np.array([3, 4, 0])))
    np.testing.assert_equal(chosen, [_state(33), _state(-33), _state(30)])
    store.settle([60])
    states = {struct.unpack('>QQ', key) for key in store._file.keys(store._file.states)}
    present, chosen = store.snapshot(range(6)).rounds, store.chosen.rounds
    self.assertEqual(states, {*enumerate(present), *enumerate(chosen)})

  def test_damaged_state_is_named(self):
    arrays = self._checkpoint()
    with open(self.file, 'r+b') as file:
      old, new = (np.array([3, x], np.float32).tobytes() for x in (3, 4))
      content = file.read().replace(old, new)  # LMDB may have several copies.
      file.seek(0)
      file.write(content)
    store = self._store()
    store.load_arrays(arrays, 2)
    np.testing.assert_equal(store.get([1]), [_state(5)])
    with self.assertRaisesRegex(
      client_state_file.ClientStoreError, f'{self.file}: the state of client 3 .* is damaged'
    ):
      store.get([3])
    store._file.delete(store._file.states, [disk_client_store._key(3, 1)])
    with self.assertRaisesRegex(client_state_file.ClientStoreError, 'client 3 after round 1 is mi'):
      store.get([3])

  def test_refuses_what_does_not_fit_the_checkpoint(self):
    arrays = self._checkpoint()
    kept = shutil.copytree(self.folder, f'{self.root}/kept')

    def truncate(size):
      os.truncate(self.file, size)

    def truncate_used():
      with lmdb.open(self.folder, max_dbs=3) as env:
        size = env.info()['last_pgno'] * env.stat()['psize']
      truncate(size)

    def write(start):
      with open(self.file, 'r+b') as file:
        file.seek(start)
        file.write(b'\0' * 8192)

    for damage, kwargs, round_num, sentence in (
      (lambda: shutil.rmtree(self.folder), {}, 2, 'refers to client states in .*, which is missin'),
      (lambda: truncate(0), {}, 2, 'is truncated: it has 0 bytes'),
      (truncate_used, {}, 2, 'is truncated: it has [0-9,]+ bytes, expected'),
      (lambda: write(0), {}, 2, 'data.mdb cannot be used'),
      (lambda: None, {}, 3, 'what the checkpoint of round 3 refers to is missing'),
      (lambda: None, {'initial': _state(0, 3)}, 2, 'type: array 0 is <f4 .2., expected <f4 .3.'),
      (
        lambda: None,
        {'initial': learning.ClientState((np.zeros(2, np.float32),), ())},
        2,
        'type: 5 arrays, expected 1.',
      ),
      (self._start_over, {}, 2, 'belongs to another run: it has the id'),
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

  def test_quota_is_told_as_a_full_disk(self):
    os.makedirs(self.folder)
    store = self._store()
    for number in (errno.EDQUOT, errno.EFBIG):
      with self.assertRaisesRegex(OSError, 'No space left on device.*data.mdb'):
        with store._file.errors():
          raise lmdb.Error(f'{self.folder}: {os.strerror(number)}')

  def test_full_disk_changes_nothing(self):
    arrays = self._checkpoint()
    store = self._store()
    store.load_arrays(arrays, 2)
    with (
      mock.patch.object(client_state_file, '_LARGEST_MAP_BYTES', 2**20),
      self.assertRaisesRegex(OSError, 'No space left on device.*data.mdb') as raised,
    ):
      store.put(3, [1], [_state(6)])
    self.assertEqual(raised.exception.errno, errno.ENOSPC)
    np.testing.assert_equal(store.get([1]), [_state(5)])
    store.put(3, [1], [_state(6)])
    np.testing.assert_equal(store.get([1]), [_state(6)])

  def test_grows_as_needed(self):
    store = self._store(initial=_state(0, 2**20))
    with mock.patch.object(client_state_file, '_FIRST_MAP_BYTES', 2**20):
      for round_num in range(1, 5):
        store.put(round_num, [0, 1], [_state(round_num, 2**20)] * 2)
    np.testing.assert_equal(store.get([1]), [_state(4, 2**20)])


if __name__ == '__main__':
  absltest.main()
