"""Tests of a set of embeddings and its file."""

import dataclasses
import os
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import bounded
from tff_lg.embeddings import embedding_set


def _set(**changes):
  values = {
    'ids': np.array(['a.wav', 'b.wav', 'c.wav']),
    'x': np.array([[1, 2], [3, 4], [5, 6]], np.float32),
    'y': np.array([0, 1, 1], np.int32),
    'split': np.array(['train', 'test', 'train']),
    'class_names': np.array(['rest', 'Cough']),
    'keys': np.array(['k1', 'k2', 'k3']),
    'provenance': '{"preset": "yamnet"}',
  }
  return embedding_set.EmbeddingSet(**{**values, **changes})


class EmbeddingSetTest(parameterized.TestCase):
  def test_file_gives_back_the_set(self):
    path = os.path.join(self.create_tempdir().full_path, 'folder', 'set.npz')
    self.assertEqual(_set().save(path), path)
    loaded = embedding_set.EmbeddingSet.load(path)
    for field in dataclasses.fields(loaded):
      found, wanted = getattr(loaded, field.name), getattr(_set(), field.name)
      np.testing.assert_array_equal(found, wanted)
      if field.name != 'provenance':
        self.assertEqual(found.dtype, wanted.dtype)
    self.assertIsInstance(loaded.provenance, str)
    with open(path, 'rb') as file, np.load(file) as arrays:
      self.assertEqual(arrays['provenance'].shape, ())
      self.assertEqual(arrays['x'].dtype, np.float32)

  def test_same_set_gives_the_same_bytes(self):
    folder = self.create_tempdir().full_path
    contents = []
    for name in ('one.npz', 'two.npz'):
      with open(_set().save(os.path.join(folder, name)), 'rb') as file:
        contents.append(file.read())
    self.assertEqual(*contents)
    self.assertCountEqual(os.listdir(folder), ['one.npz', 'two.npz'])

  def test_part(self):
    train = _set().part('train')
    self.assertLen(train, 2)
    np.testing.assert_array_equal(train.ids, ['a.wav', 'c.wav'])
    np.testing.assert_array_equal(train.x, [[1, 2], [5, 6]])
    np.testing.assert_array_equal(train.keys, ['k1', 'k3'])
    np.testing.assert_array_equal(train.class_names, ['rest', 'Cough'])
    np.testing.assert_array_equal(_set().part('test').y, [1])
    with self.assertRaisesRegex(ValueError, "split is 'valid', expected 'train' or 'test'"):
      _set().part('valid')

  @parameterized.named_parameters(
    ('double', {'x': np.zeros((3, 2))}, r'x is float64 \[3, 2\], expected float32 \[n, d\]'),
    ('flat', {'x': np.zeros(3, np.float32)}, r'x is float32 \[3\]'),
    ('labels', {'y': np.zeros(2, np.int32)}, r'y is int32 \[2\], expected int32 \[3\]'),
    ('long_labels', {'y': np.zeros(3, np.int64)}, 'y is int64'),
    ('names', {'ids': np.array(['a'])}, r'ids is <U1 \[1\], expected strings \[3\]'),
    ('numbers', {'keys': np.arange(3)}, 'keys is int64'),
    ('classes', {'class_names': np.array([['a', 'b']])}, r'class_names is <U1 \[1, 2\]'),
    ('twice', {'ids': np.array(['a', 'b', 'a'])}, 'ids has a twice'),
    ('split', {'split': np.array(['train', 'dev', 'test'])}, "split has 'dev'"),
    ('range', {'y': np.array([0, 2, 1], np.int32)}, 'y goes from 0 to 2, expected 0 to 1'),
    (
      'not_finite',
      {'x': np.array([[1, 2], [3, np.nan], [5, 6]], np.float32)},
      'x of b.wav has a value that is not finite',
    ),
  )
  def test_refuses(self, changes, message):
    with self.assertRaisesRegex(embedding_set.EmbeddingError, message):
      _set(**changes)

  def _assert_file_refused(self, content, message):
    file = self.create_tempfile(content=content, mode='wb')
    with self.assertRaisesRegex(embedding_set.EmbeddingError, message):
      embedding_set.EmbeddingSet.load(file.full_path)

  def test_file_that_is_not_an_archive(self):
    self._assert_file_refused(b'no archive', 'cannot be read as a file of pipelines.embed')

  def test_file_cut_short(self):
    path = _set().save(os.path.join(self.create_tempdir().full_path, 'set.npz'))
    with open(path, 'rb') as file:
      content = file.read()
    self._assert_file_refused(content[:-40], 'cannot be read as a file of pipelines.embed')

  def test_file_without_some_arrays(self):
    path = os.path.join(self.create_tempdir().full_path, 'set.npz')
    np.savez(path, x=_set().x, y=_set().y, ids=_set().ids)
    with self.assertRaisesRegex(embedding_set.EmbeddingError, 'no split, class_names, keys, prov'):
      embedding_set.EmbeddingSet.load(path)

  def test_file_with_wrong_arrays_is_named(self):
    path = os.path.join(self.create_tempdir().full_path, 'set.npz')
    np.savez(path, **{**dataclasses.asdict(_set()), 'y': np.zeros(1, np.int32)})
    with self.assertRaisesRegex(embedding_set.EmbeddingError, r'set.npz: y is int32 \[1\]'):
      embedding_set.EmbeddingSet.load(path)

  def test_file_too_large_for_the_memory(self):
    path = _set().save(os.path.join(self.create_tempdir().full_path, 'set.npz'))
    with mock.patch.object(bounded, 'room', return_value=100):
      with self.assertRaisesRegex(embedding_set.EmbeddingError, f'^{path}: .* once unpacked'):
        embedding_set.EmbeddingSet.load(path)

  def test_missing_file(self):
    with self.assertRaisesRegex(embedding_set.EmbeddingError, 'nowhere.npz: no such file'):
      embedding_set.EmbeddingSet.load('nowhere.npz')


if __name__ == '__main__':
  absltest.main()
