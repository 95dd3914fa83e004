"""Tests of what every embedding run does."""

import json
import os
from unittest import mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg.embeddings import cache, embedding_set, extractor, presets, runs

_SPLIT = np.array(['train'] * 8 + ['test'] * 4)


class ChooseTest(parameterized.TestCase):
  @parameterized.parameters((1, 1, 0), (3, 2, 1), (6, 4, 2), (11, 7, 4))
  def test_each_part_by_its_share(self, max_examples, num_train, num_test):
    chosen = runs.choose(_SPLIT, max_examples, seed=3)
    self.assertEqual((chosen < 8).sum(), num_train)
    self.assertEqual((chosen >= 8).sum(), num_test)
    self.assertTrue((np.diff(chosen) > 0).all())

  @parameterized.parameters(None, 12, 100)
  def test_all(self, max_examples):
    np.testing.assert_array_equal(runs.choose(_SPLIT, max_examples, seed=0), np.arange(12))

  def test_seed_decides(self):
    split = np.array(['train'] * 1000 + ['test'] * 500)
    small, large = (set(runs.choose(split, count, seed=7)) for count in (30, 300))
    self.assertLess(small, large)
    self.assertEqual(small, set(runs.choose(split, 30, seed=7)))
    self.assertNotEqual(small, set(runs.choose(split, 30, seed=8)))


class FillTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.asked = []

  def _compute(self, rows):
    """Embeds row r as [r], two at a time."""
    self.asked.append(rows.tolist())
    for start in range(0, len(rows), 2):
      batch = rows[start : start + 2]
      yield batch, batch[:, None].astype(np.float32)

  def _fill(self, keys, compute=None):
    store = cache.EmbeddingCache(self.folder)
    count = runs.fill(store, np.array(keys), compute or self._compute, 'row')
    return count, store

  def test_equal_keys_once(self):
    count, store = self._fill(['a', 'b', 'a', 'c', 'b'])
    self.assertEqual((count, self.asked), (3, [[0, 1, 3]]))
    np.testing.assert_array_equal(store.gather(['c', 'b', 'a']), [[3], [1], [0]])

  def test_only_what_is_missing(self):
    self._fill(['a', 'b'])
    self.assertEqual(self._fill(['b', 'a'])[0], 0)
    count, store = self._fill(['b', 'x', 'a'])
    self.assertEqual((count, self.asked), (1, [[0, 1], [1]]))
    np.testing.assert_array_equal(store.gather(['a', 'x']), [[0], [1]])

  def test_shards_are_whole_batches(self):
    with mock.patch.object(runs, '_ROWS_A_SHARD', 3):
      self._fill(list('abcdefghi'))
    sizes = []
    for name in os.listdir(self.folder):
      with np.load(os.path.join(self.folder, name)) as shard:
        sizes.append(len(shard['keys']))
    self.assertCountEqual(sizes, [4, 4, 1])

  def test_resumes_after_a_failure(self):
    def failing(rows):
      for number, batch in enumerate(self._compute(rows)):
        if number == 2:
          raise KeyboardInterrupt
        yield batch

    with mock.patch.object(runs, '_ROWS_A_SHARD', 2):
      with self.assertRaises(KeyboardInterrupt):
        self._fill(list('abcdefg'), failing)
      count, _ = self._fill(list('abcdefg'))
    self.assertEqual((count, self.asked[1]), (3, [4, 5, 6]))

  def test_embedding_that_is_not_finite(self):
    def compute(rows):
      yield rows, np.full((len(rows), 1), -np.inf, np.float32)

    with self.assertRaisesRegex(embedding_set.EmbeddingError, 'not finite'):
      self._fill(['a'], compute)
    self.assertEmpty(os.listdir(self.folder))

  def test_rows_left_out(self):
    count, store = self._fill(['a', 'b'], lambda rows: iter(()))
    self.assertEqual(count, 0)
    self.assertNotIn('a', store)


class ProvenanceTest(absltest.TestCase):
  def test_says_what_and_how(self):
    network = extractor.Extractor(presets.PRESETS['yamnet'], 'here', 'digest', tf.identity)
    said = json.loads(runs.provenance(network, {'source': 'fsd'}))
    self.assertEqual(said['model_sha256'], 'digest')
    self.assertEqual((said['preset'], said['handle'], said['source']), ('yamnet', 'here', 'fsd'))
    self.assertEqual(said['preprocessing']['sample_rate'], 16000)
    self.assertEqual(said['versions']['tensorflow'], tf.__version__)


if __name__ == '__main__':
  absltest.main()
