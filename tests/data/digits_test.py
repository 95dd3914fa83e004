"""Tests of the embedded digits."""

import numpy as np
from absl.testing import absltest

from tff_lg.data import digits


class DigitsTest(absltest.TestCase):
  def test_shapes_and_range(self):
    source = digits.load()
    self.assertEqual(source.train.x.shape, (1438, 8, 8, 1))
    self.assertEqual(source.test.x.shape, (359, 8, 8, 1))
    self.assertEqual((source.train.x.min(), source.train.x.max()), (0, 1))
    self.assertEqual(source.class_names, tuple('0123456789'))

  def test_split_is_stratified(self):
    source = digits.load()
    train, test = np.bincount(source.train.y), np.bincount(source.test.y)
    np.testing.assert_allclose(test / (train + test), 0.2, atol=0.01)

  def test_split_is_a_split(self):
    source = digits.load()
    train, test = ({image.tobytes() for image in part.x} for part in (source.train, source.test))
    self.assertLen(train | test, 1797)  # All the images differ.
    self.assertEmpty(train & test)

  def test_seed_decides_the_split(self):
    np.testing.assert_array_equal(digits.load(seed=3).test.x, digits.load(seed=3).test.x)
    self.assertFalse(np.array_equal(digits.load(seed=3).test.x, digits.load(seed=4).test.x))

  def test_refuses_data_dir(self):
    with self.assertRaisesRegex(ValueError, 'data_dir: here found, expected none'):
      digits.load('here')


if __name__ == '__main__':
  absltest.main()
