"""Tests of the lock of a folder, in one process and in two."""

import errno
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
from unittest import mock

from absl.testing import absltest, parameterized

from tff_lg import files, folder_lock

# Holds the lock, says so, and ends when it is told to.
_HOLDER = """
import sys
sys.path[:0] = {path!r}
from tff_lg import folder_lock
with folder_lock.hold({folder!r}):
  print('holds', flush=True)
  sys.stdin.read()
"""


class FolderLockTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = os.path.join(self.create_tempdir().full_path, 'runs', 'one')
    self.path = os.path.join(self.folder, 'lock')

  def _holder(self) -> subprocess.Popen:
    process = subprocess.Popen(
      [sys.executable, '-c', _HOLDER.format(path=sys.path, folder=self.folder)],
      stdin=subprocess.PIPE,
      stdout=subprocess.PIPE,
    )
    self.addCleanup(process.communicate)
    self.assertEqual(process.stdout.readline(), b'holds\n')
    return process

  def test_folder_is_made_and_nothing_is_left(self):
    with folder_lock.hold(self.folder):
      self.assertEqual(os.listdir(self.folder), ['lock'])
    self.assertFalse(os.path.exists(self.folder))

  def test_what_was_there_or_was_written_stays(self):
    os.makedirs(self.folder)
    with folder_lock.hold(self.folder):
      pass
    self.assertEqual(os.listdir(self.folder), [])
    os.rmdir(self.folder)
    with folder_lock.hold(self.folder), open(os.path.join(self.folder, 'results'), 'w'):
      pass
    self.assertEqual(os.listdir(self.folder), ['results'])

  def test_second_one_in_this_process_is_refused(self):
    with folder_lock.hold(self.folder):
      with self.assertRaisesRegex(folder_lock.FolderInUseError, f'by process {os.getpid()} on '):
        folder_lock.FolderLock(self.folder)
    folder_lock.FolderLock(self.folder).release()

  def test_other_process_is_named_with_a_way_out(self):
    process = self._holder()
    with self.assertRaisesRegex(
      folder_lock.FolderInUseError,
      f'--sweep_dir={self.folder} is in use by process {process.pid} on {socket.gethostname()} '
      f'since 20.*: wait for its end, or stop it. If it is gone .* delete {self.path}',
    ):
      folder_lock.FolderLock(self.folder, '--sweep_dir')
    process.communicate(b'')
    with folder_lock.hold(self.folder):
      pass

  def test_killed_process_holds_nothing(self):
    process = self._holder()
    process.send_signal(signal.SIGKILL)
    process.wait()
    self.assertEqual(os.listdir(self.folder), ['lock'])
    with folder_lock.hold(self.folder), open(self.path) as file:
      self.assertStartsWith(file.read(), f'process {os.getpid()} on ')

  def test_file_that_is_removed_meanwhile_is_made_again(self):
    flock, calls = fcntl.flock, []

    def removed_at_first(file, operation):
      calls.append(file)
      if len(calls) == 1:
        os.unlink(self.path)
      flock(file, operation)

    with mock.patch.object(fcntl, 'flock', removed_at_first):
      lock = folder_lock.FolderLock(self.folder)
    self.assertLen(calls, 2)
    with self.assertRaises(folder_lock.FolderInUseError):
      folder_lock.FolderLock(self.folder)
    lock.release()

  def test_lock_of_another_process_stays(self):
    lock = folder_lock.FolderLock(self.folder)
    os.unlink(self.path)
    with folder_lock.hold(self.folder):
      lock.release()
      with self.assertRaises(folder_lock.FolderInUseError):
        folder_lock.FolderLock(self.folder)

  def test_folder_that_was_deleted(self):
    for content in (None, OSError('No such file')):
      with self.assertRaisesRegex(files.FolderGoneError, f'{self.folder} was deleted or moved'):
        with folder_lock.hold(self.folder):
          shutil.rmtree(self.folder)
          if content:
            os.makedirs(self.folder)
            raise content
      shutil.rmtree(self.folder, ignore_errors=True)

  @parameterized.parameters(errno.ENOLCK, errno.EOPNOTSUPP)
  def test_file_system_without_locks_is_told(self, number):
    with (
      mock.patch.object(fcntl, 'flock', side_effect=OSError(number, os.strerror(number))),
      self.assertLogs(level='WARNING') as logs,
      folder_lock.hold(self.folder),
    ):
      pass
    self.assertIn(
      f'--run_dir={self.folder} is on a file system without locks ({os.strerror(number)}): make '
      'sure that no other process writes there',
      logs.output[0],
    )

  def test_full_disk_names_the_file_and_leaves_none(self):
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with mock.patch.object(os, 'write', side_effect=full), self.assertRaises(OSError) as raised:
      folder_lock.FolderLock(self.folder)
    self.assertEqual(raised.exception.filename, self.path)
    self.assertFalse(os.path.exists(self.folder))

  def test_other_errors_are_told(self):
    with mock.patch.object(fcntl, 'flock', side_effect=OSError(errno.EIO, 'Input/output error')):
      with self.assertRaisesRegex(OSError, 'Input/output error'):
        folder_lock.FolderLock(self.folder)


if __name__ == '__main__':
  absltest.main()
