"""Tests of the look at the first bytes of data files."""

import gzip
import pathlib

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.data import examples, first_bytes


class FirstBytesTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  @parameterized.parameters(
    ('npz', b'x,y\n1,2', "file: begins with b'x,y.n1,2', expected an npz file"),
    ('npz', b'', 'file: is empty, expected an npz file'),
    ('idx', gzip.compress(b'<html>'), "begins with b'<html>'"),
    ('idx', b'\x1f\x8b\x08', 'cannot be unpacked by gzip'),
    ('pickle', b'<html>', 'expected a python batch of CIFAR-10'),
    ('json', b'user,text', 'expected JSON'),
  )
  def test_other_kinds_are_refused(self, kind, content, sentence):
    name = 'file.gz' if kind == 'idx' else 'file'
    (self.folder / name).write_bytes(content)
    with self.assertRaisesRegex(examples.DataError, sentence):
      first_bytes.check_files(str(self.folder), {'file*': kind})

  @parameterized.parameters(
    ('idx', 'file', b'\0\0\x08\x03'),
    ('idx', 'file.gz', gzip.compress(b'\0\0\x08\x03')),
    ('idx', 'file.gz', b'\0\0\x08\x03'),
    ('json', 'file.gz', gzip.compress(b'\xef\xbb\xbf \n{"users": []}')),
    ('json', 'file', b'{"user": "ann"}'),
    ('json', 'notes.txt', b'anything'),
  )
  def test_others_are_left_to_their_loaders(self, kind, name, content):
    (self.folder / name).write_bytes(content)
    first_bytes.check_files(str(self.folder), {'file*': kind})

  def test_single_files(self):
    path = str(self.folder / 'file')
    with self.assertRaisesRegex(examples.DataError, f'data_dir: {path} found, expected a file or'):
      first_bytes.check_files(path, {}, 'sqlite')
    with self.assertRaisesRegex(examples.DataError, f'{path}: no file found, expected an npz'):
      first_bytes.check_npz(path)
    pathlib.Path(path).write_bytes(b'SQLite format 3\0...')
    first_bytes.check_files(path, {}, 'sqlite')
    with self.assertRaisesRegex(examples.DataError, 'expected an npz file'):
      first_bytes.check_npz(path)
    np.savez(self.folder / 'a.npz', x=np.zeros(2))
    first_bytes.check_npz(str(self.folder / 'a.npz'))
    with self.assertRaisesRegex(examples.DataError, 'expected an SQLite database'):
      first_bytes.check_files(str(self.folder / 'a.npz'), {}, 'sqlite')


if __name__ == '__main__':
  absltest.main()
