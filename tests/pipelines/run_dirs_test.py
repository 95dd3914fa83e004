"""Tests of run folders known by their flags."""

import os

from absl.testing import absltest

from pipelines import run_dirs


class CheckFolderTest(absltest.TestCase):
  def test_accepts_none_empty_and_its_own(self):
    folder = self.create_tempdir()
    run_dirs.check_folder(os.path.join(folder.full_path, 'none'), '--a=1\n')
    run_dirs.check_folder(folder.full_path, '--a=1\n')
    # What a run leaves that was killed as it began.
    folder.create_file('flags.txt.tmp')
    run_dirs.check_folder(folder.full_path, '--a=1\n')
    folder.create_file(run_dirs.FLAGS_FILE, content='--a=1\n')
    run_dirs.check_folder(folder.full_path, '--a=1\n')

  def test_refuses(self):
    folder = self.create_tempdir()
    path = folder.create_file('notes.txt').full_path
    with self.assertRaisesRegex(ValueError, 'notes.txt is no folder'):
      run_dirs.check_folder(path, '')
    with self.assertRaisesRegex(ValueError, 'is not empty and holds no run: choose another'):
      run_dirs.check_folder(folder.full_path, '')
    folder.create_file(run_dirs.FLAGS_FILE, content='--a=1\n')
    with self.assertRaisesRegex(ValueError, r'other flags \(flags.txt\): choose another folder'):
      run_dirs.check_folder(folder.full_path, '--a=2\n')


if __name__ == '__main__':
  absltest.main()
