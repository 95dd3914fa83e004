"""Tests of loading image files, of pixels known by hand."""

import pathlib
from unittest import mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import data
from tff_lg.data import bounded


class LoadImagesTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _write(self, name, pixels, encode=tf.io.encode_png):
    path = self.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(np.array(pixels, np.uint8)).numpy())

  def _load(self, **options):
    return data.load_images(str(self.folder), **options)

  def test_pixels_classes_and_clients(self):
    red, blue = [[[255, 0, 0]] * 2], [[[0, 0, 51]] * 2]
    for client in ('al', 'bo'):
      self._write(f'train/{client}/cat/1.png', red)
      self._write(f'train/{client}/dog/1.png', blue)
    self._write('test/bo/dog/7.png', blue)
    source = self._load()
    self.assertEqual((source.num_classes, source.class_names), (2, ('cat', 'dog')))
    self.assertEqual(source.train.users.tolist(), ['al', 'al', 'bo', 'bo'])
    self.assertEqual(source.train.y.tolist(), [0, 1, 0, 1])
    self.assertEqual(source.train.x.dtype, np.float32)
    np.testing.assert_allclose(source.train.x[:, 0, 1], [[1, 0, 0], [0, 0, 0.2]] * 2)
    self.assertEqual((source.test.users.tolist(), source.test.y.tolist()), (['bo'], [1]))

  def test_a_fifth_is_for_testing(self):
    for name in 'ab':
      for number in range(5):
        self._write(f'{name}/{number}.png', [[[number]]])
    source = self._load(channels=1)
    self.assertEqual((len(source.train), len(source.test)), (8, 2))
    self.assertIsNone(source.train.users)
    self.assertEqual(source.train.x.shape[1:], (1, 1, 1))
    again = self._load(channels=1)
    np.testing.assert_array_equal(again.test.x, source.test.x)

  def test_resized(self):
    self._write('a/1.png', np.full((4, 2, 3), 100))
    self._write('a/2.jpg', np.full((8, 8, 3), 100), tf.io.encode_jpeg)
    self._write('b/1.png', np.full((2, 1, 1), 100))
    source = self._load(size=(2, 1))
    x = np.concatenate([source.train.x, source.test.x])
    self.assertEqual(x.shape, (3, 2, 1, 3))
    np.testing.assert_allclose(x, 100 / 255, atol=1.01 / 255)

  def test_resized_without_aliasing(self):
    # At half of the height, a triangle of twice the width weighs rows by 3, 3 and 1, or 1, 3 and 3.
    self._write('a/1.png', np.array([0, 70, 140, 210]).reshape(4, 1, 1))
    self._write('b/1.png', np.zeros((4, 1, 1)))
    source = self._load(size=(2, 1), channels=1)
    of_a = np.concatenate([source.train.x[source.train.y == 0], source.test.x[source.test.y == 0]])
    np.testing.assert_allclose(of_a.ravel(), np.array([50, 160]) / 255, rtol=1e-6)

  def test_refuses_other_sizes(self):
    self._write('a/1.png', np.zeros((2, 3, 3)))
    self._write('b/2.png', np.zeros((4, 3, 3)))
    with self.assertRaisesRegex(
      data.DataError,
      'b/2.png: 4 x 3 pixels found, expected 2 x 3 as in 1.png; --image_size=2,3 resizes',
    ):
      self._load()

  def test_names_the_damaged_file(self):
    for number in range(3):
      self._write(f'a/{number}.png', np.zeros((2, 2, 3)))
    (self.folder / 'a/1.png').write_bytes(b'<html>')
    with self.assertRaisesRegex(data.DataError, 'a/1.png: cannot be read as an image of 3 chan'):
      self._load()

  def test_refuses_what_there_is_no_memory_for(self):
    for name in 'ab':
      self._write(f'{name}/1.png', np.zeros((9, 9, 3)))
    with mock.patch.object(bounded, 'room', return_value=1900):  # 2 * 9 * 9 * 3 * 4 = 1944.
      with self.assertRaisesRegex(data.DataError, 'a: 1.94e-06 GB found once unpacked'):
        self._load()


if __name__ == '__main__':
  absltest.main()
