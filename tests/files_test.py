"""Tests of files that are whole or not there."""

import contextlib
import errno
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

  def test_name_is_on_disk_too(self):
    synced = []

    def fsync(handle):
      synced.append(os.readlink(f'/proc/self/fd/{handle}'))

    with mock.patch.object(os, 'fsync', fsync):
      files.write_atomically(os.path.join(self.folder, 'a.txt'), 'a')
    self.assertEqual(synced, [os.path.join(self.folder, 'a.txt.tmp'), self.folder])

  def test_folder_that_cannot_be_synced_is_named(self):
    broken = OSError(errno.EIO, os.strerror(errno.EIO))
    with mock.patch.object(os, 'fsync', side_effect=broken):
      with self.assertRaises(OSError) as raised:
        files.sync_folder(self.folder)
    self.assertEqual(raised.exception.filename, self.folder)

  def test_file_system_that_syncs_no_folders(self):
    path = os.path.join(self.folder, 'a.txt')
    for number, is_told in ((errno.EINVAL, False), (errno.EIO, True)):
      with (
        mock.patch.object(os, 'fsync', side_effect=[None, OSError(number, os.strerror(number))]),
        self.assertRaises(OSError) if is_told else contextlib.nullcontext(),
      ):
        files.write_atomically(path, 'a')

  def test_full_disk_leaves_the_old_file_and_no_half(self):
    path = os.path.join(self.folder, 'a.txt')
    files.write_atomically(path, 'old')
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    told = f"No space left on device: '{path}'"
    with mock.patch.object(os, 'fsync', side_effect=full), self.assertRaisesRegex(OSError, told):
      files.write_atomically(path, 'longer than before')
    self.assertEqual(os.listdir(self.folder), ['a.txt'])
    self.assertEqual(_read(path), b'old')

  def test_lone_surrogate_is_told_with_the_file(self):
    path = os.path.join(self.folder, 'a.txt')
    with self.assertRaisesRegex(ValueError, f"{path} cannot be written: in 'client_.ud800' a char"):
      files.write_atomically(path, 'client_\ud800')
    self.assertEqual(os.listdir(self.folder), [])

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


class MoveFolderTest(absltest.TestCase):
  def test_files_and_names_are_on_disk_before_and_after(self):
    folder = self.create_tempdir()
    folder.create_file('new/inner/a', 'a')
    source, target = f'{folder.full_path}/new', f'{folder.full_path}/moved'
    synced = []

    def fsync(handle):
      synced.append(os.readlink(f'/proc/self/fd/{handle}'))

    with mock.patch.object(os, 'fsync', fsync):
      files.move_folder(source, target)
    self.assertEqual(synced, [source, f'{source}/inner/a', f'{source}/inner', folder.full_path])
    self.assertEqual(os.listdir(folder.full_path), ['moved'])
    self.assertEqual(_read(f'{target}/inner/a'), b'a')


if __name__ == '__main__':
  absltest.main()
