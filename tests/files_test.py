"""Tests of files that are whole or not there."""

import os
from unittest import mock

from absl.testing import absltest

from tff_lg import files


def _read(path):
  with open(path, 'rb') as file:
    return file.read()


class WriteAtomicallyTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def test_text_is_utf8_and_bytes_are_bytes(self):
    path = os.path.join(self.folder, 'a.txt')
    self.assertEqual(files.write_atomically(path, 'μ\n'), path)
    self.assertEqual(_read(path), b'\xce\xbc\n')
    files.write_atomically(path, b'\x00\xff')
    self.assertEqual(_read(path), b'\x00\xff')

  def test_makes_the_folder_and_leaves_nothing_else(self):
    path = os.path.join(self.folder, 'new', 'deep', 'a.txt')
    files.write_atomically(path, 'a')
    self.assertEqual(os.listdir(os.path.dirname(path)), ['a.txt'])

  def test_file_in_the_working_directory(self):
    before = os.getcwd()
    os.chdir(self.folder)
    self.addCleanup(os.chdir, before)
    files.write_atomically('a.txt', 'a')
    self.assertEqual(_read(os.path.join(self.folder, 'a.txt')), b'a')

  def test_writer_killed_before_the_end_leaves_the_old_file(self):
    path = os.path.join(self.folder, 'a.txt')
    files.write_atomically(path, 'old')
    with mock.patch.object(os, 'replace', side_effect=KeyboardInterrupt):
      with self.assertRaises(KeyboardInterrupt):
        files.write_atomically(path, 'longer than before')
    self.assertEqual(_read(path), b'old')
    # The next writer overwrites what the killed one left.
    files.write_atomically(path, 'new')
    self.assertEqual(_read(path), b'new')
    self.assertEqual(os.listdir(self.folder), ['a.txt'])


if __name__ == '__main__':
  absltest.main()
