"""Tests of the idx reader, on files of a few images."""

import gzip
import pathlib
import struct
import tracemalloc

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples, mnist

_TRAIN_IMAGES = 'train-images-idx3-ubyte'
_TRAIN_LABELS = 'train-labels-idx1-ubyte'
_TEST_IMAGES = 't10k-images-idx3-ubyte'
_TEST_LABELS = 't10k-labels-idx1-ubyte'


def _idx(array: np.ndarray) -> bytes:
  header = struct.pack(f'>{array.ndim + 1}I', 0x0800 + array.ndim, *array.shape)
  return header + array.astype(np.uint8).tobytes()


def _images(num_images: int) -> np.ndarray:
  return np.arange(num_images * 784).reshape(-1, 28, 28) % 256


class MnistTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    self._write(_TRAIN_IMAGES, _idx(_images(3)))
    self._write(_TRAIN_LABELS, _idx(np.array([5, 0, 9])))
    self._write(_TEST_IMAGES, _idx(_images(2)))
    self._write(_TEST_LABELS, _idx(np.array([7, 2])))

  def _write(self, name: str, content: bytes):
    (self.folder / name).write_bytes(content)

  def _check(self):
    source = mnist.load(str(self.folder))
    expected = (_images(3) / 255).astype(np.float32)[..., np.newaxis]
    np.testing.assert_array_equal(source.train.x, expected)
    np.testing.assert_array_equal(source.train.y, [5, 0, 9])
    np.testing.assert_array_equal(source.test.x, expected[:2])
    np.testing.assert_array_equal(source.test.y, [7, 2])
    self.assertEqual(source.num_classes, 10)

  def _assert_refused(self, message: str):
    with self.assertRaisesRegex(examples.DataError, message):
      mnist.load(str(self.folder))

  def test_plain_files(self):
    self._check()

  def test_gzip_files(self):
    for path in list(self.folder.iterdir()):
      self._write(f'{path.name}.gz', gzip.compress(path.read_bytes()))
      path.unlink()
    self._check()

  def test_unpacked_file_that_kept_its_gz_name(self):
    (self.folder / _TEST_IMAGES).rename(self.folder / f'{_TEST_IMAGES}.gz')
    self._check()

  @parameterized.parameters(_TRAIN_IMAGES, _TRAIN_LABELS, _TEST_IMAGES, _TEST_LABELS)
  def test_missing_file(self, name):
    (self.folder / name).unlink()
    self._assert_refused(f'{self.folder}: no {name} found, expected this file or {name}.gz')

  @parameterized.parameters(
    (_TRAIN_IMAGES, b'', '0 bytes found, expected a header of 16 bytes'),
    (_TRAIN_IMAGES, _idx(_images(3))[:-1], '2367 bytes found, expected 2368 for 3 x 28 x 28'),
    (_TRAIN_IMAGES, _idx(_images(3)) + b'0', 'more than 2368 bytes found, expected 2368'),
    (_TRAIN_IMAGES, _idx(np.zeros([20])), 'magic number 2049 found, expected 2051'),
    (_TRAIN_LABELS, _idx(_images(3)), 'magic number 2051 found, expected 2049'),
    (_TRAIN_IMAGES, _idx(np.zeros([3, 28, 27])), 'images of 28 x 27 found, expected 28 x 28'),
    (_TRAIN_IMAGES, _idx(np.zeros([0, 28, 28])), '0 images found, expected at least one'),
    (_TRAIN_LABELS, _idx(np.zeros([4])), '4 labels found, expected 3'),
    (_TEST_LABELS, _idx(np.array([1, 10])), 'label 10 found at position 1, expected .* 0 to 9'),
    (_TEST_IMAGES, b'\x1f\x8bnonsense', 'cannot be read as an idx file'),
    (_TEST_IMAGES, gzip.compress(_idx(_images(2)))[:-20], 'cannot be read as an idx file'),
  )
  def test_damaged_file(self, name, content, message):
    self._write(name, content)
    self._assert_refused(f'{self.folder / name}: {message}')

  def test_gzip_file_of_far_more_is_not_unpacked(self):
    (self.folder / _TRAIN_LABELS).unlink()
    bomb = _idx(np.array([5, 0, 9])) + bytes(1 << 24)
    self._write(f'{_TRAIN_LABELS}.gz', gzip.compress(bomb))
    tracemalloc.start()
    self.addCleanup(tracemalloc.stop)
    self._assert_refused('gz: more than 11 bytes found, expected 11 for 3 values')
    self.assertLess(tracemalloc.get_traced_memory()[1], 1 << 22)

  def test_folder_in_place_of_file(self):
    (self.folder / _TEST_IMAGES).unlink()
    (self.folder / _TEST_IMAGES).mkdir()
    self._assert_refused(f'{self.folder / _TEST_IMAGES}: cannot be read as an idx file')

  def test_any_truncation_is_noticed(self):
    packed = gzip.compress(_idx(np.array([7, 2])))
    for content in (packed, _idx(np.array([7, 2]))):
      for size in range(len(content)):
        self._write(_TEST_LABELS, content[:size])
        self._assert_refused(_TEST_LABELS)


if __name__ == '__main__':
  absltest.main()
