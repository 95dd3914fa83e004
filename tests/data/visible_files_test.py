"""Tests of listing a user's folder."""

import os
import pathlib

from absl.testing import absltest

from tff_lg.data import (
  client_files,
  first_bytes,
  pfllib,
  table_files,
  text_files,
  visible_files,
)


class VisibleFilesTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir()

  def _write(self, *names):
    for name in names:
      is_hidden = os.path.basename(name).startswith('.')
      self.folder.create_file(name, 'no data' if is_hidden else '{}')

  def _found(self, pattern='*'):
    return [path.name for path in visible_files.find(pathlib.Path(self.folder), pattern)]

  def test_hidden_files_are_left_out(self):
    self._write('b.csv', 'a.csv', '._a.csv', '.hidden', 'c.txt')
    self.assertEqual(self._found(), ['a.csv', 'b.csv', 'c.txt'])
    self.assertEqual(self._found('*.csv'), ['a.csv', 'b.csv'])

  def test_a_missing_folder_has_none(self):
    self.assertEqual(visible_files.find(pathlib.Path(self.folder, 'missing')), [])

  def test_hidden_folders_are_not_walked(self):
    self._write('a.csv', 'b/c.csv', 'b/._c.csv', '.d/e.csv')
    found = visible_files.walk(pathlib.Path(self.folder))
    self.assertCountEqual([path.name for path in found], ['a.csv', 'c.csv'])

  def test_data_sets_have_no_hidden_files(self):
    self._write('a.csv', '._a.csv', 'a.jsonl', '._a.jsonl', '._b.npz', 'train/0.npz')
    self._write('train/._0.npz', 'test/0.npz', 'test/._0.npz')
    folder = self.folder.full_path
    self.assertEqual([file.name for file in table_files.find_files(folder)], ['a.csv'])
    self.assertEqual([file.name for file in text_files.find_files(folder)], ['a.jsonl'])
    for files in pfllib.find_files(folder).values():
      self.assertEqual([file.name for file in files], ['0.npz'])
    first_bytes.check_files(folder, {'*.jsonl': 'json', 'train/*.npz': 'json'})
    with self.assertRaisesRegex(ValueError, 'no npz file found'):
      client_files.load_client_folder(folder, 2)


if __name__ == '__main__':
  absltest.main()
