"""Tests of transformations, on images and vectors small enough to turn by hand."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import data
from tff_lg.data import transformations

# Two images of 2 x 2 pixels.
_X = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], np.float32)[..., np.newaxis] / 8


class TransformationsTest(parameterized.TestCase):
  @parameterized.parameters(
    ('rotate90', [[2, 4], [1, 3]], [[6, 8], [5, 7]]),
    ('rotate180', [[4, 3], [2, 1]], [[8, 7], [6, 5]]),
    ('invert', [[7, 6], [5, 4]], [[3, 2], [1, 0]]),
  )
  def test_images(self, name, first, second):
    found = data.TRANSFORMATIONS[name](_X)
    np.testing.assert_array_equal(found[..., 0] * 8, [first, second])
    self.assertEqual(found.dtype, np.float32)
    self.assertTrue(found.flags.c_contiguous)

  def test_four_turns_are_none(self):
    x = np.random.default_rng(0).random((3, 4, 4, 2), np.float32)
    turned = x
    for _ in range(4):
      turned = transformations.rotate90(turned)
    np.testing.assert_array_equal(turned, x)
    twice = transformations.rotate90(transformations.rotate90(x))
    np.testing.assert_array_equal(transformations.rotate180(x), twice)

  def test_colours(self):
    pixel = np.array([[[[0.25, 0.5, 0.75]]]], np.float32)
    shifted = transformations.shift_colours(pixel)
    np.testing.assert_array_equal(shifted, [[[[0.75, 0.25, 0.5]]]])

  def test_features(self):
    x = np.array([[0, 1], [2, -3]], np.float32)
    found = transformations.shift_features(x)
    np.testing.assert_array_equal(found, [[1, 2], [3, -2]])
    self.assertEqual(found.dtype, np.float32)

  def test_labels_stay_and_nothing_is_changed_in_place(self):
    examples = data.Examples(_X.copy(), np.array([4, 2], np.int32), np.array(['a', 'b']))
    for name in ('rotate90', 'rotate180', 'invert'):
      transformed = data.transform(examples, name)
      np.testing.assert_array_equal(transformed.y, [4, 2])
      self.assertIsNone(transformed.users)
      np.testing.assert_array_equal(examples.x, _X)

  def test_refuses_features_with_words_behind_them(self):
    x, y, answers = np.zeros((1, 5), np.float32), np.zeros(1, np.int32), np.zeros((1, 10), np.int32)
    with self.assertRaisesRegex(data.DataError, "have annotators' answers, expected images or"):
      data.transform(data.Examples(x, y, answers=answers), 'shift_features')

  @parameterized.parameters(
    ('rotate90', np.zeros((1, 2, 3, 1), np.float32), 'an image is 2 x 3, expected a square'),
    ('shift_colours', np.zeros((1, 2, 2, 1), np.float32), 'has 1 channel, expected 2 or more'),
    ('invert', np.zeros((1, 2), np.float32), r'x is float32 \[1, 2\], expected images'),
    ('rotate180', np.zeros((1, 2, 2, 1), np.int32), 'x is int32 .*, expected images'),
    ('shift_features', _X, r'x is float32 \[2, 2, 2, 1\], expected vectors'),
  )
  def test_refuses(self, name, x, sentence):
    with self.assertRaisesRegex(data.DataError, sentence):
      data.TRANSFORMATIONS[name](x)


if __name__ == '__main__':
  absltest.main()
