"""Tests of listing a user's folder."""

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
    self.folder = pathlib.Path(self.create_tempdir().full_path)

  def _write(self, *names):
    for name in names:
      path = self.folder / name
      path.parent.mkdir(exist_ok=True)
      path.write_bytes(b'no data' if path.name.startswith('.') else b'{}')

  def _found(self, pattern='*'):
    return [path.name for path in visible_files.find(self.folder, pattern)]

  def test_hidden_files_are_left_out(self):
    self._write('b.csv', 'a.csv', '._a.csv', '.hidden', 'c.txt')
    self.assertEqual(self._found(), ['a.csv', 'b.csv', 'c.txt'])
    self.assertEqual(self._found('*.csv'), ['a.csv', 'b.csv'])

  def test_a_missing_folder_has_none(self):
    self.folder = self.folder / 'missing'
    self.assertEqual(self._found(), [])

  def test_data_sets_have_no_hidden_files(self):
    self._write('a.csv', '._a.csv', 'a.jsonl', '._a.jsonl', '._b.npz', 'train/0.npz')
    self._write('train/._0.npz', 'test/0.npz', 'test/._0.npz')
    folder = str(self.folder)
    self.assertEqual([file.name for file in table_files.find_files(folder)], ['a.csv'])
    self.assertEqual([file.name for file in text_files.find_files(folder)], ['a.jsonl'])
    for files in pfllib.find_files(folder).values():
      self.assertEqual([file.name for file in files], ['0.npz'])
    first_bytes.check_files(folder, {'*.jsonl': 'json', 'train/*.npz': 'json'})
    with self.assertRaisesRegex(ValueError, 'no npz file found'):
      client_files.load_client_folder(folder, 2)


if __name__ == '__main__':
  absltest.main()
