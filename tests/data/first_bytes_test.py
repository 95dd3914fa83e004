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
    ('arrays', 'train.npz', b'x,y\n1,2', "train.npz: begins with b'x,y.n1,2', expected an npz"),
    ('arrays', 'test.npz', b'', 'test.npz: is empty, expected an npz file'),
    ('client_files', 'ann.npz', b'\x93NUMPY', 'ann.npz: begins with .*, expected an npz file'),
    ('mnist', 't10k-images-idx3-ubyte', b'<html>', 'expected an idx file'),
    ('mnist', 't10k-images-idx3-ubyte.gz', gzip.compress(b'<html>'), "begins with b'<html>'"),
    ('mnist', 't10k-images-idx3-ubyte.gz', b'\x1f\x8b\x08', 'cannot be unpacked by gzip'),
    ('cifar10', 'data_batch_1', b'<html>', 'expected a python batch of CIFAR-10'),
    ('text', 'a.jsonl', b'user,text', 'expected JSON'),
    ('vqa', 'v2_mscoco_train_questions.json', b'PK\x03\x04', 'expected JSON'),
  )
  def test_other_kinds_are_refused(self, task, name, content, sentence):
    (self.folder / name).write_bytes(content)
    with self.assertRaisesRegex(examples.DataError, sentence):
      first_bytes.check_task_files(task, str(self.folder))

  @parameterized.parameters(
    ('mnist', 't10k-images-idx3-ubyte', b'\0\0\x08\x03'),
    ('mnist', 't10k-images-idx3-ubyte.gz', gzip.compress(b'\0\0\x08\x03')),
    ('mnist', 't10k-images-idx3-ubyte.gz', b'\0\0\x08\x03'),
    ('text', 'a.json.gz', gzip.compress(b'\xef\xbb\xbf \n{"users": []}')),
    ('chars', 'a.jsonl', b'{"user": "ann"}'),
    ('text', 'notes.txt', b'anything'),
    ('digits', 'train.npz', b'anything'),
  )
  def test_others_are_left_to_their_loaders(self, task, name, content):
    (self.folder / name).write_bytes(content)
    first_bytes.check_task_files(task, str(self.folder))

  def test_single_files(self):
    path = str(self.folder / 'file')
    with self.assertRaisesRegex(examples.DataError, f'data_dir: {path} found, expected a file or'):
      first_bytes.check_task_files('client_files', path)
    with self.assertRaisesRegex(examples.DataError, f'{path}: no file found, expected an npz'):
      first_bytes.check_npz(path)
    pathlib.Path(path).write_bytes(b'SQLite format 3\0...')
    first_bytes.check_task_files('client_files', path)
    with self.assertRaisesRegex(examples.DataError, 'expected an npz file'):
      first_bytes.check_npz(path)
    np.savez(self.folder / 'a.npz', x=np.zeros(2))
    first_bytes.check_npz(str(self.folder / 'a.npz'))
    with self.assertRaisesRegex(examples.DataError, 'expected an SQLite database'):
      first_bytes.check_task_files('client_files', str(self.folder / 'a.npz'))


if __name__ == '__main__':
  absltest.main()
