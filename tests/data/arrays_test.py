"""Tests of the user's own npz files."""

import io
import pathlib
from unittest import mock

import numpy as np
from absl import logging
from absl.testing import absltest, parameterized

from tff_lg.data import arrays, bounded, examples

_X = np.arange(8, dtype=np.float64).reshape(4, 2)
_Y = np.array([0, 2, 2, 0])


class ArraysTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _write(self, name: str, **values):
    np.savez(self.folder / name, **values)

  def _load(self, seed: int = 0) -> examples.Source:
    return arrays.load(str(self.folder), seed)

  def test_train_and_test(self):
    self._write('train.npz', x=_X, y=_Y)
    self._write('test.npz', x=_X[:1], y=np.array([1]))
    source = self._load()
    np.testing.assert_array_equal(source.train.x, _X.astype(np.float32))
    np.testing.assert_array_equal(source.train.y, _Y)
    np.testing.assert_array_equal(source.test.y, [1])
    self.assertEqual((source.num_classes, source.class_names), (3, ('0', '1', '2')))
    self.assertIsNone(source.train.users)

  def test_has_users(self):
    self.assertFalse(arrays.has_users(str(self.folder)))
    self._write('train.npz', x=_X, y=_Y)
    self.assertFalse(arrays.has_users(str(self.folder)))
    self._write('train.npz', x=_X, y=_Y, users=_Y)
    self.assertTrue(arrays.has_users(str(self.folder)))
    (self.folder / 'train.npz').write_bytes(b'no archive')
    self.assertFalse(arrays.has_users(str(self.folder)))

  def test_class_names_say_how_many_classes(self):
    self._write('train.npz', x=_X, y=_Y, class_names=np.array(['a', 'b', 'c', 'd']))
    self._write('test.npz', x=_X, y=np.array([0, 1, 2, 3]))
    self.assertEqual(self._load().class_names, ('a', 'b', 'c', 'd'))

  def test_class_of_the_test_file_alone(self):
    self._write('train.npz', x=_X, y=np.array([0, 1, 1, 0]))
    self._write('test.npz', x=_X[:1], y=np.array([2]))
    self.assertEqual(self._load().class_names, ('0', '1', '2'))

  def test_several_inputs_are_columns(self):
    pixels = np.full([4, 1, 2, 1], 255, np.uint8)
    self._write('train.npz', x_image=pixels, x_age=_X[:, :1], y=_Y)
    self._write('test.npz', x_age=_X[:1, :1], x_image=pixels[:1], y=_Y[:1])
    source = self._load()
    self.assertEqual(source.inputs, {'image': (1, 2, 1), 'age': (1,)})
    np.testing.assert_array_equal(source.train.x, [[1, 1, 0], [1, 1, 2], [1, 1, 4], [1, 1, 6]])
    np.testing.assert_array_equal(source.test.x, [[1, 1, 0]])

  @parameterized.parameters(
    ({'x_age': _X}, 'test.npz: the inputs age found, expected age, sex'),
    ({'x': _X}, 'test.npz: the inputs x found, expected age, sex'),
    ({'x_age': _X, 'x_sex': _X[:3]}, r'the input sex has the shape .3, 2., expected .4, 2.'),
    ({'x_age': _X, 'x_sex': _X[:, :1]}, r'the input sex has the shape .4, 1., expected .4, 2.'),
    ({'x_age': _X, 'x_sex': _X * np.nan}, 'the input sex has a value in row 0'),
  )
  def test_refuses_other_inputs(self, arrays_of_test, sentence):
    self._write('train.npz', x_age=_X, x_sex=_X, y=_Y)
    self._write('test.npz', **arrays_of_test, y=_Y)
    with self.assertRaisesRegex(examples.DataError, sentence):
      self._load()

  def test_weights(self):
    self._write('train.npz', x=_X, y=_Y, weights=np.array([0, 1, 2, 3]))
    self._write('test.npz', x=_X, y=_Y, weights=np.array([5, 5, 5, 5]))
    source = self._load()
    np.testing.assert_array_equal(source.train.weights, [0, 1, 2, 3])
    np.testing.assert_array_equal(source.test.weights, [1, 1, 1, 1])

  def test_warns_of_pixels_that_are_not_divided(self):
    pixels = np.full([4, 1, 2], 100)
    self._write('train.npz', x=pixels, y=_Y)
    with mock.patch.object(logging, 'log_first_n') as log:
      self._load()
      log.assert_not_called()
      self._write('train.npz', x=pixels + 1, y=_Y)
      self._load()
    log.assert_called_once()
    _, text, times, *values = log.call_args.args
    self.assertEqual(times, 1)
    self.assertEndsWith(
      text % tuple(values), 'x has numbers up to 101; save pixels as uint8, or divide them by 255.'
    )

  def test_uint8_is_pixels(self):
    self._write('train.npz', x=np.full([4, 2], 255, np.uint8), y=_Y)
    np.testing.assert_array_equal(self._load().train.x, np.ones([3, 2], np.float32))

  @parameterized.parameters(([3, 3, 12, 12],), (['al', 'al', 'bo', 'bo'],))
  def test_users(self, users):
    self._write('train.npz', x=_X, y=_Y, users=np.array(users))
    self._write('test.npz', x=_X, y=_Y)
    expected = ['3', '3', '12', '12'] if users[0] == 3 else ['al', 'al', 'bo', 'bo']
    self.assertEqual(self._load().train.users.tolist(), expected)

  def test_without_test_a_fifth_is_held_out(self):
    self._write('train.npz', x=np.arange(100.0)[:, np.newaxis], y=np.repeat([0, 1], [75, 25]))
    source = self._load()
    np.testing.assert_array_equal(np.bincount(source.test.y), [15, 5])
    both = np.concatenate([source.train.x, source.test.x]).ravel()
    np.testing.assert_array_equal(np.sort(both), np.arange(100))
    np.testing.assert_array_equal(source.test.x, self._load().test.x)
    self.assertFalse(np.array_equal(source.test.x, self._load(seed=1).test.x))

  def test_without_test_a_fifth_of_each_user_is_held_out(self):
    users = np.repeat(['al', 'bo'], [30, 70])
    self._write('train.npz', x=np.zeros([100, 1]), y=np.arange(100) % 2, users=users)
    test = self._load().test
    self.assertEqual((np.sum(test.users == 'al'), np.sum(test.users == 'bo')), (6, 14))

  def test_needs_data_dir(self):
    with self.assertRaisesRegex(ValueError, 'data_dir: none found, expected the folder'):
      arrays.load()

  def _assert_refused(self, message: str):
    with self.assertRaisesRegex(examples.DataError, message):
      self._load()

  def test_missing_train(self):
    self._assert_refused(f'{self.folder}: no train.npz found, expected one with x and y')

  def test_texts_are_classes_of_both_files(self):
    self._write('train.npz', x=_X, y=np.array(['dog', 'ant', 'dog', 'cow']))
    self._write('test.npz', x=_X[:2], y=np.array(['elk', 'cow']))
    source = arrays.load(str(self.folder))
    self.assertEqual(source.class_names, ('ant', 'cow', 'dog', 'elk'))
    self.assertEqual(source.train.y.tolist(), [2, 0, 2, 1])
    self.assertEqual(source.test.y.tolist(), [3, 1])

  def test_texts_are_numbered_as_their_names_are(self):
    names = np.array(['dog', 'cow', 'ant'])
    self._write('train.npz', x=_X, y=np.array(['dog', 'ant', 'dog', 'cow']), class_names=names)
    self._write('test.npz', x=_X[:1], y=np.array(['ant']))
    source = arrays.load(str(self.folder))
    self.assertEqual(source.class_names, ('dog', 'cow', 'ant'))
    self.assertEqual(source.train.y.tolist(), [0, 2, 0, 1])
    self._write('test.npz', x=_X[:1], y=np.array(['elk']))
    self._assert_refused(f"{self.folder}: y has the label 'elk', expected one of class_names.")
    self._write('test.npz', x=_X[:1], y=np.array([1]))
    self._assert_refused(f'{self.folder}: y has a label that is missing or not a text')

  @parameterized.parameters(
    ({'x': _X}, r"arrays \['x'\] found, expected x and y"),
    ({'x': np.array(['a'] * 4), 'y': _Y}, r'x is <U1 \[4\], expected numbers \[n, ...\]'),
    ({'x': _X.astype(complex), 'y': _Y}, r'x is complex128 \[4, 2\], expected numbers'),
    ({'x': _X[:, 0], 'y': _Y}, r'x is float64 \[4\], expected numbers \[n, ...\]'),
    ({'x': _X[:0], 'y': _Y[:0]}, r'x is float64 \[0, 2\], expected numbers .* at least one'),
    ({'x': _X[:, :0], 'y': _Y}, r'x is float64 \[4, 0\], .* with at least one number'),
    ({'x': _X, 'y': 0 * _Y}, 'one class found, 0, expected at least two'),
    ({'x': _X, 'y': 0 * _Y, 'class_names': ['a']}, 'one class found, a, expected at least two'),
    ({'x': _X, 'y': _Y, 'class_names': ['b', 'a', 'b']}, "2 classes are named 'b', expected a"),
    (
      {'x': _X, 'y': _Y, 'class_names': [f'c{i}' for i in range(10_001)]},
      '10001 classes found, expected at most 10000',
    ),
    ({'x': _X, 'y': _Y / 2}, r'y is float64 \[4\], expected 4 integers'),
    ({'x': _X, 'y': _Y[:3]}, r'y is int64 \[3\], expected 4 integers'),
    ({'x': _X, 'y': _Y - 1}, 'label -1 found at position 0, expected labels from 0 to 3'),
    ({'x': _X, 'y': _Y + 2**32}, f'label {2**32} found at position 0, expected .* 0 to 3'),
    ({'x': _X, 'y': _Y, 'class_names': ['a', 'b']}, 'label 2 found at position 1, .* 0 to 1'),
    ({'x': _X, 'y': _Y, 'class_names': [1, 2, 3]}, 'class_names is int64 .* expected strings'),
    ({'x': _X, 'y': _Y, 'users': _X}, r'users is float64 \[4, 2\], expected 4 names or integers'),
    ({'x': _X * np.nan, 'y': _Y}, 'x has a value in row 0 that is not a finite float32'),
    ({'x': _X * 1e300, 'y': _Y}, 'x has a value in row 0 that is not a finite float32'),
    ({'x': _X.astype(object), 'y': _Y}, 'cannot be read as an npz file of plain arrays .*pickle'),
  )
  def test_refuses(self, values, message):
    self._write('train.npz', **values)
    self._assert_refused(f'{self.folder / "train.npz"}: {message}')

  @parameterized.parameters(
    ({'x': _X, 'y': _Y + 2}, 'label 4 found at position 1, expected labels from 0 to 3'),
    ({'x': _X[:, :1], 'y': _Y}, r'x has rows of \[1\], expected \[2\] as in train.npz'),
  )
  def test_refuses_test(self, values, message):
    self._write('train.npz', x=_X, y=_Y)
    self._write('test.npz', **values)
    self._assert_refused(f'{self.folder / "test.npz"}: {message}')

  def test_any_truncation_is_noticed(self):
    file = io.BytesIO()
    np.savez(file, x=_X, y=_Y)
    for size in range(len(file.getvalue())):
      (self.folder / 'train.npz').write_bytes(file.getvalue()[:size])
      self._assert_refused('train.npz: cannot be read as an npz file of plain arrays')

  def test_more_than_there_is_memory_for(self):
    self._write('train.npz', x=_X, y=_Y)
    with mock.patch.object(bounded, 'room', return_value=300):
      self._assert_refused('train.npz: 3.52e-07 GB found once unpacked, expected at most half')

  def test_one_array_alone(self):
    with open(self.folder / 'train.npz', 'wb') as file:
      np.save(file, _X)
    self._assert_refused('train.npz: cannot be read as an npz file of plain arrays')


if __name__ == '__main__':
  absltest.main()
