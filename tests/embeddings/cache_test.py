"""Tests of the cache of embeddings."""

import os
from unittest import mock

import numpy as np
from absl.testing import absltest

from tff_lg.data import bounded, examples
from tff_lg.embeddings import cache


class CacheTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = os.path.join(self.create_tempdir().full_path, 'cache')

  def _rows(self, *values):
    return np.array([[value, -value] for value in values], np.float32)

  def test_gather_in_the_order_asked_for(self):
    store = cache.EmbeddingCache(self.folder)
    store.add(['a', 'b'], self._rows(1, 2))
    store.add(['c'], self._rows(3))
    result = store.gather(['c', 'a', 'c', 'b'])
    np.testing.assert_array_equal(result, self._rows(3, 1, 3, 2))
    self.assertEqual(result.dtype, np.float32)
    self.assertLen(store, 3)
    with self.assertRaises(KeyError):
      store.gather(['a', 'd'])

  def test_another_process_finds_them(self):
    cache.EmbeddingCache(self.folder).add(['a', 'b'], self._rows(1, 2))
    store = cache.EmbeddingCache(self.folder)
    self.assertIn('b', store)
    self.assertNotIn('c', store)
    np.testing.assert_array_equal(store.gather(['b']), self._rows(2))

  def test_nothing_is_written_before_the_first_row(self):
    self.assertEmpty(cache.EmbeddingCache(self.folder))
    self.assertFalse(os.path.exists(self.folder))

  def test_two_writers_in_one_folder(self):
    one, two = cache.EmbeddingCache(self.folder), cache.EmbeddingCache(self.folder)
    one.add(['a'], self._rows(1))
    two.add(['b'], self._rows(2))
    np.testing.assert_array_equal(
      cache.EmbeddingCache(self.folder).gather(['a', 'b']), self._rows(1, 2)
    )

  def test_embeddings_of_other_sizes_live_side_by_side(self):
    store = cache.EmbeddingCache(self.folder)
    store.add(['a'], self._rows(1))
    store.add(['b'], np.ones((1, 3), np.float32))
    np.testing.assert_array_equal(store.gather(['b']), [[1, 1, 1]])

  def test_damaged_shard_is_left_out(self):
    store = cache.EmbeddingCache(self.folder)
    store.add(['a'], self._rows(1))
    (name,) = os.listdir(self.folder)
    store.add(['b'], self._rows(2))
    with open(os.path.join(self.folder, name), 'r+b') as file:
      file.truncate(100)
    with self.assertLogs('absl', 'WARNING') as logs:
      store = cache.EmbeddingCache(self.folder)
    self.assertIn(f'{name}: cannot be read', logs.output[0])
    self.assertNotIn('a', store)
    np.testing.assert_array_equal(store.gather(['b']), self._rows(2))

  def test_shard_of_another_form_is_left_out(self):
    os.mkdir(self.folder)
    np.savez(os.path.join(self.folder, 'x.npz'), keys=np.array(['a', 'b']), x=self._rows(1))
    with self.assertLogs('absl', 'WARNING'):
      self.assertEmpty(cache.EmbeddingCache(self.folder))

  def test_shard_too_large_for_the_memory(self):
    store = cache.EmbeddingCache(self.folder)
    store.add(['a'], self._rows(1))
    with mock.patch.object(bounded, 'room', return_value=10):
      self.assertEmpty(cache.EmbeddingCache(self.folder))
      with self.assertRaisesRegex(examples.DataError, 'found once unpacked'):
        store.gather(['a'])

  def test_half_written_shard_is_ignored(self):
    os.mkdir(self.folder)
    with open(os.path.join(self.folder, 'x.npz.tmp'), 'wb') as file:
      file.write(b'half')
    self.assertEmpty(cache.EmbeddingCache(self.folder))


if __name__ == '__main__':
  absltest.main()
