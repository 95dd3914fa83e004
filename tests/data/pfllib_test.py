"""Tests of folders as PFLlib writes them."""

import os
import pathlib

import numpy as np
from absl.testing import absltest

from tff_lg import data


def _write(folder, part, name, content):
  path = pathlib.Path(folder, part)
  path.mkdir(parents=True, exist_ok=True)
  # As PFLlib's utils/dataset_utils.py does.
  with open(path / f'{name}.npz', 'wb') as file:
    np.savez_compressed(file, data=content)


class _Evil:
  def __init__(self, path):
    self._path = path

  def __reduce__(self):
    return os.mkdir, (self._path,)


class PfllibTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _write_two(self):
    for client, label in (('0', 0), ('10', 1)):
      x = np.full((4, 1, 2, 3), label, np.float32)
      _write(self.folder, 'train', client, {'x': x, 'y': np.array([label, 1, 0, 1])})
      _write(self.folder, 'test', client, {'x': x[:1], 'y': np.array([label])})

  def test_clients_are_the_files(self):
    self._write_two()
    source = data.load_pfllib(self.folder)
    self.assertEqual(source.train.x.shape, (8, 2, 3, 1))  # Channels stand last.
    clients = data.partition_clients(
      source, data.partitioners.natural(), validation_fraction=0.25, seed=0
    ).clients
    self.assertEqual([client.client_id for client in clients], ['0', '10'])
    self.assertEqual([client.test.y.tolist() for client in clients], [[0], [1]])

  def test_no_code_of_a_file_is_run(self):
    self._write_two()
    made = pathlib.Path(self.folder, 'made')
    _write(self.folder, 'train', '0', {'x': _Evil(str(made)), 'y': [0]})
    with self.assertRaisesRegex(data.DataError, 'train/0.npz: .*it names posix.mkdir, which could'):
      data.load_pfllib(self.folder)
    self.assertFalse(made.exists())

  def test_refuses(self):
    with self.assertRaisesRegex(data.DataError, 'no train/.*npz found, expected a file per client'):
      data.load_pfllib(self.folder)
    for content, sentence in (
      ({'x': np.zeros((1, 2))}, "train/0.npz: .'x'. found, expected a dict of x and y"),
      ([1], 'train/0.npz: cannot be read as PFLlib writes it'),
      ({'x': ['a text'], 'y': [0]}, 'texts are not supported'),
      (
        {'x': {'a': [1], 'b': [2]}, 'y': [0]},
        'x has the inputs a, b, but files of PFLlib have one',
      ),
      ({'x': np.zeros((1, 7)), 'y': [0]}, 'x has rows of .2, 3, 1. and .7., expected one shape'),
    ):
      self._write_two()
      _write(self.folder, 'train', '0', content)
      with self.assertRaisesRegex(data.DataError, sentence):
        data.load_pfllib(self.folder)
    self._write_two()
    _write(self.folder, 'test', '5', {'x': np.zeros((1, 1, 2, 3)), 'y': [0]})
    with self.assertRaisesRegex(data.DataError, 'test/5.npz found, but not train/5.npz'):
      data.load_pfllib(self.folder)
    pathlib.Path(self.folder, 'test/5.npz').write_bytes(b'PK nothing')
    pathlib.Path(self.folder, 'train/5.npz').write_bytes(b'PK nothing')
    with self.assertRaisesRegex(data.DataError, 'train/5.npz: cannot be read as PFLlib writes it'):
      data.load_pfllib(self.folder)


if __name__ == '__main__':
  absltest.main()
