"""Tests of files that are read whole, if there is room."""

import gzip
import pathlib
from unittest import mock

import numpy as np
from absl.testing import absltest

from tff_lg.data import bounded, examples


class BoundedTest(absltest.TestCase):
  def _file(self, content):
    return pathlib.Path(self.create_tempfile(content=content, mode='wb').full_path)

  def test_plain_and_packed_files_of_several_members(self):
    content = bytes(range(256)) * 10_000
    packed = gzip.compress(content[:99]) + gzip.compress(content[99:])
    for file in (self._file(content), self._file(packed)):
      self.assertEqual(bounded.read(file), content)
      self.assertEqual(bounded.read(file, 5), content[:6])
    self.assertEqual(bounded.read(self._file(b'')), b'')

  def test_no_more_is_read_than_there_is_room_for(self):
    for content in (bytes(101), gzip.compress(bytes(1000))):
      with mock.patch.object(bounded, 'room', return_value=100):
        with self.assertRaisesRegex(examples.DataError, 'found once unpacked, expected at most'):
          bounded.read(self._file(content))

  def test_packed_files_that_are_damaged(self):
    packed = bytearray(gzip.compress(bytes(range(256)) * 9))
    cut_off = packed[:-9]
    packed[10] = 255  # No such kind of block.
    for content in (bytes(packed), bytes(cut_off)):
      with self.assertRaises(gzip.BadGzipFile):
        bounded.read(self._file(content))

  def test_npz_files_of_more_than_there_is_room_for(self):
    path = pathlib.Path(self.create_tempdir().full_path) / 'a.npz'
    np.savez_compressed(path, a=np.zeros(1000, np.uint8), b=np.ones(10, np.uint8))
    with mock.patch.object(bounded, 'room', return_value=1000):
      with self.assertRaisesRegex(examples.DataError, f'{path}: .* found once unpacked'):
        with bounded.open_npz(path):
          self.fail('is open')
      with bounded.open_npz(path, ['b', 'c']) as arrays:
        self.assertEqual(arrays['b'].tolist(), [1] * 10)

  def test_room_is_half_of_what_the_machine_or_its_group_has(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    groups = []
    for most, used in (('max', 10), (1000, 100)):
      names = [folder / f'{most}_most', folder / f'{most}_used']
      for name, value in zip(names, (most, used), strict=True):
        name.write_text(f'{value}\n')
      groups.append(tuple(map(str, names)))
    for free, expected in ((500, 250), (5000, 450)):
      with (
        mock.patch.object(bounded.psutil, 'virtual_memory') as memory,
        mock.patch.object(bounded, '_CGROUPS', [('/nowhere', '/nowhere'), *groups]),
      ):
        memory.return_value.available = free
        self.assertEqual(bounded.room(), expected)


if __name__ == '__main__':
  absltest.main()
