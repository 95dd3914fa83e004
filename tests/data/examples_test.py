"""Tests of the values, and of what they refuse."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples

_X = np.arange(6, dtype=np.float32).reshape(3, 2)
_Y = np.array([0, 1, 1], np.int32)
_USERS = np.array(['al', 'bo', 'al'])


class ExamplesTest(parameterized.TestCase):
  def test_take(self):
    taken = examples.Examples(_X, _Y, _USERS).take(np.array([2, 0]))
    np.testing.assert_array_equal(taken.x, [[4, 5], [0, 1]])
    np.testing.assert_array_equal(taken.y, [1, 0])
    np.testing.assert_array_equal(taken.users, ['al', 'al'])
    self.assertLen(taken, 2)

  def test_take_nothing(self):
    taken = examples.Examples(_X, _Y).take(np.zeros(0, np.int64))
    self.assertEqual(taken.x.shape, (0, 2))
    self.assertIsNone(taken.users)

  def test_sequences_have_a_label_at_each_position(self):
    x = np.arange(6, dtype=np.int32).reshape(3, 2)
    taken = examples.Examples(x, x + 1, _USERS).take(np.array([1]))
    np.testing.assert_array_equal(taken.y, [[3, 4]])
    np.testing.assert_array_equal(taken.users, ['bo'])
    with self.assertRaisesRegex(examples.DataError, r'y is int32 \[3, 1\], expected .*per pos'):
      examples.Examples(x, x[:, :1])

  def test_concatenate(self):
    whole = examples.Examples(_X, _Y, _USERS)
    parts = [whole.take(np.array(rows, np.int64)) for rows in ([2], [], [0, 1])]
    joined = examples.concatenate(parts)
    np.testing.assert_array_equal(joined.x, _X[[2, 0, 1]])
    np.testing.assert_array_equal(joined.y, [1, 0, 1])
    np.testing.assert_array_equal(joined.users, ['al', 'al', 'bo'])
    self.assertIsNone(examples.concatenate([whole, examples.Examples(_X, _Y)]).users)

  @parameterized.parameters('attributes', 'answers')
  def test_attributes_and_answers_go_with_their_examples(self, name):
    values = np.array([[0, 1], [1, 1], [0, 0]], np.int32)
    whole = examples.Examples(_X, _Y, **{name: values})
    taken = whole.take(np.array([2, 0]))
    np.testing.assert_array_equal(getattr(taken, name), [[0, 0], [0, 1]])
    joined = examples.concatenate([taken, whole.take(np.array([1]))])
    np.testing.assert_array_equal(getattr(joined, name), values[[2, 0, 1]])
    mixed = examples.concatenate([whole, examples.Examples(_X, _Y)])
    self.assertIsNone(getattr(mixed, name))
    for wrong in (values[:2], values[:, 0], values.astype(np.int64)):
      with self.assertRaisesRegex(examples.DataError, rf'{name} is .*, expected int32 \[3, k\]'):
        examples.Examples(_X, _Y, **{name: wrong})

  @parameterized.parameters(
    (_X.astype(np.float64), _Y, None, r'x is float64 \[3, 2\], expected float32'),
    (_X, _Y.astype(np.int64), None, r'y is int64 \[3\], expected int32 \[3\]'),
    (_X, _Y[:2], None, r'y is int32 \[2\], expected int32 \[3\]'),
    (_X, _Y, _USERS[:2], r'users is <U2 \[2\], expected str \[3\]'),
    (_X, _Y, np.array([b'a'] * 3), r'users is \|S1 \[3\], expected str \[3\]'),
  )
  def test_refuses(self, x, y, users, message):
    with self.assertRaisesRegex(examples.DataError, message):
      examples.Examples(x, y, users)


class SourceTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.train = examples.Examples(_X, _Y)

  def test_refuses_label_out_of_range(self):
    with self.assertRaisesRegex(
      examples.DataError, r'toy \(test\): label -1 found at position 1, expected labels from 0 to 1'
    ):
      test = examples.Examples(_X, np.array([0, -1, 9], np.int32))
      examples.Source('toy', self.train, test, 2, ('a', 'b'))

  def test_refuses_other_shape_in_test(self):
    with self.assertRaisesRegex(examples.DataError, r'has shape \[1\], expected \[2\]'):
      test = examples.Examples(_X[:, :1], _Y)
      examples.Source('toy', self.train, test, 2, ('a', 'b'))

  def test_refuses_missing_class_name(self):
    with self.assertRaisesRegex(examples.DataError, 'toy: 3 class names, expected 2'):
      examples.Source('toy', self.train, self.train, 2, ('a', 'b', 'c'))


class ScalePixelsTest(absltest.TestCase):
  def test_scales_to_float32(self):
    scaled = examples.scale_pixels(np.array([0, 51, 255], np.uint8))
    self.assertEqual(scaled.dtype, np.float32)
    np.testing.assert_array_equal(scaled, np.array([0, 0.2, 1], np.float32))

  def test_fills_out(self):
    out = np.zeros(2, np.float32)
    self.assertIs(examples.scale_pixels(np.array([255, 0], np.uint8), out), out)
    np.testing.assert_array_equal(out, [1, 0])


if __name__ == '__main__':
  absltest.main()
