"""Tests of the batch reader, on batches of a few images."""

import os
import pathlib
import pickle

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import cifar10, examples

_NAMES = ('data_batch_1', 'data_batch_2', 'data_batch_3', 'data_batch_4', 'data_batch_5')


def _batch(num_images: int, label: int) -> dict:
  data = np.zeros([num_images, 3072], np.uint8)
  data[:, 0] = 255  # Red of the first pixel.
  data[:, 1024 + 1] = 51  # Green of the second.
  data[:, 2048 + 32] = 102  # Blue of the first one in the second row.
  return {b'data': data, b'labels': [label] * num_images}


class _Evil:
  """Runs a command when it is unpickled."""

  def __init__(self, command: str):
    self.command = command

  def __reduce__(self):
    return os.system, (self.command,)


class Cifar10Test(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.parent = pathlib.Path(self.create_tempdir().full_path)
    self.folder = self.parent / 'cifar-10-batches-py'
    self.folder.mkdir()
    for label, name in enumerate(_NAMES):
      self._write(name, _batch(1 + label % 2, label))
    self._write('test_batch', _batch(2, 9))

  def _write(self, name: str, value: object):
    (self.folder / name).write_bytes(pickle.dumps(value, protocol=2))

  def _assert_refused(self, message: str):
    with self.assertRaisesRegex(examples.DataError, message):
      cifar10.load(str(self.folder))

  def test_reads_planes_as_channels(self):
    source = cifar10.load(str(self.parent))
    self.assertEqual(source.train.x.shape, (7, 32, 32, 3))
    self.assertEqual(source.train.x.dtype, np.float32)
    for image in source.train.x:
      np.testing.assert_array_equal(image[0, 0], np.array([1, 0, 0], np.float32))
      np.testing.assert_array_equal(image[0, 1], np.array([0, 0.2, 0], np.float32))
      np.testing.assert_array_equal(image[1, 0], np.array([0, 0, 0.4], np.float32))
    np.testing.assert_array_equal(source.train.y, [0, 1, 1, 2, 3, 3, 4])
    np.testing.assert_array_equal(source.test.y, [9, 9])
    self.assertEqual(source.class_names[9], 'truck')

  def test_the_folder_itself(self):
    self.assertLen(cifar10.load(str(self.folder)).train, 7)

  @parameterized.parameters(*_NAMES, 'test_batch')
  def test_missing_batch(self, name):
    (self.folder / name).unlink()
    self._assert_refused(f'{self.folder}: no {name} found, expected data_batch_1 to data_batch_5')

  @parameterized.parameters(
    ([1, 2], r"keys \[\] found, expected b'data' and b'labels'"),
    (7, r'cannot be read as a CIFAR-10 batch \(TypeError'),
    ({b'data': 0}, r"keys \[b'data'\] found, expected b'data' and b'labels'"),
    (
      {b'data': np.zeros([1, 784], np.uint8), b'labels': [0]},
      r"b'data' is uint8 \[1, 784\], expected uint8 \[n, 3072\]",
    ),
    (
      {b'data': np.zeros([1, 3072]), b'labels': [0]},
      r"b'data' is float64 \[1, 3072\], expected uint8",
    ),
    (
      {b'data': np.zeros([3072], np.uint8), b'labels': [0]},
      r"b'data' is uint8 \[3072\], expected uint8 \[n, 3072\]",
    ),
    ({**_batch(2, 0), b'labels': [1]}, r"b'labels' is int64 \[1\], expected 2 integers"),
    ({**_batch(2, 0), b'labels': [1, 0.5]}, r"b'labels' is float64 \[2\], expected 2 integers"),
    ({**_batch(2, 0), b'labels': [1, [2]]}, 'cannot be read as a CIFAR-10 batch'),
    ({**_batch(2, 0), b'labels': [1, 10]}, 'label 10 found at position 1, expected .* 0 to 9'),
    ({**_batch(2, 0), b'labels': [-1, 0]}, 'label -1 found at position 0, expected .* 0 to 9'),
  )
  def test_damaged_batch(self, value, message):
    self._write('data_batch_3', value)
    self._assert_refused(f'{self.folder / "data_batch_3"}: {message}')

  def test_truncated_batch(self):
    content = (self.folder / 'test_batch').read_bytes()
    for size in range(0, len(content), 97):
      (self.folder / 'test_batch').write_bytes(content[:size])
      self._assert_refused(f'{self.folder / "test_batch"}: cannot be read as a CIFAR-10 batch')

  def test_runs_no_code(self):
    mark = self.parent / 'mark'
    self._write('test_batch', {b'data': _Evil(f'touch {mark}'), b'labels': []})
    self._assert_refused('posix.system has no place in a batch')
    self.assertFalse(mark.exists())


if __name__ == '__main__':
  absltest.main()
