"""Tests of checkpoints: whole or not there, and the same arrays again."""

import errno
import os
import subprocess
import sys
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import checkpoints

# Saves where no file may have more than 4 KiB; the exit code is the error's number. The error ends
# in a circle with its traceback, as in a whole run, and is freed in whatever order.
_FULL_DISK = """
import gc, resource, sys
sys.path[:0] = {path!r}
import numpy as np
from tff_lg import checkpoints
manager = checkpoints.CheckpointManager({folder!r})
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
def save():
  try:
    manager.save(2, {{'x': np.zeros(100_000)}}, {{}})
  except OSError as error:
    kept = error
    return kept.errno
code = save()
gc.collect()
sys.exit(code)
"""


def _file(round_num) -> str:
  return f'round_{round_num:08d}.npz'


def _with_byte(content, marker, offset, value) -> bytes:
  changed = bytearray(content)
  changed[content.index(marker) + offset] = value
  return bytes(changed)


class CheckpointManagerTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = os.path.join(self.create_tempdir().full_path, 'checkpoints')
    self.manager = checkpoints.CheckpointManager(self.folder)

  def _save(self, *rounds):
    for round_num in rounds:
      self.manager.save(round_num, {'x': np.array([round_num])}, {})

  def test_a_round_that_is_kept_stays(self):
    self.manager = checkpoints.CheckpointManager(self.folder, kept_round=2)
    self._save(1, 2, 3, 4, 5)
    self.assertEqual(self.manager.rounds(), [2, 4, 5])

  def test_copies_end_with_a_round(self):
    self._save(3, 5)
    target = os.path.join(self.create_tempdir().full_path, 'c')
    checkpoints.copy(self.folder, target, last_round=4)
    self.assertEqual(os.listdir(target), [_file(3)])
    checkpoints.copy(self.folder, f'{target}2', last_round=2)
    self.assertEqual(checkpoints.CheckpointManager(f'{target}2').rounds(), [])

  def test_copies_are_whole_and_of_checkpoints_alone(self):
    source, target = (os.path.join(self.create_tempdir().full_path, 'c') for _ in range(2))
    manager = checkpoints.CheckpointManager(source)
    for round_num in (3, 5):
      manager.save(round_num, {'x': np.arange(round_num)}, {'n': round_num})
    with open(os.path.join(source, 'notes.txt'), 'w', encoding='utf-8') as file:
      file.write('no checkpoint')
    checkpoints.copy(source, target)
    self.assertEqual(sorted(os.listdir(target)), [_file(3), _file(5)])
    round_num, arrays, meta = checkpoints.CheckpointManager(target).load_latest()
    self.assertEqual((round_num, arrays['x'].tolist(), meta), (5, [0, 1, 2, 3, 4], {'n': 5}))

  def test_no_checkpoint(self):
    self.assertIsNone(self.manager.load_latest())
    self.assertFalse(os.path.exists(self.folder))

  def test_arrays_and_values_come_back(self):
    arrays = {
      'server/0': np.array([[1.5, np.nan]], np.float32),
      'server/1': np.int32(7),
      'empty': np.zeros([0, 3], bool),
      'number': 3,
    }
    meta = {'phase': 1, 'traffic': {'bytes_up': 10**12}, 'seconds': 0.1}
    self.manager.save(12, arrays, meta)
    round_num, loaded, loaded_meta = self.manager.load_latest()
    self.assertEqual((round_num, loaded_meta), (12, meta))
    self.assertEqual(list(loaded), list(arrays))
    for name, array in arrays.items():
      np.testing.assert_array_equal(loaded[name], array)
      self.assertEqual(loaded[name].dtype, np.asarray(array).dtype)

  def test_array_of_several_names_is_stored_once_and_one_again(self):
    shared = np.zeros([1000, 100])
    arrays = {f'client/{k}': shared for k in range(50)}
    self.manager.save(1, {**arrays, 'other': np.zeros([1000, 100])}, {})
    self.assertLess(os.path.getsize(os.path.join(self.folder, _file(1))), 3 * shared.nbytes)
    _, loaded, _ = self.manager.load_latest()
    self.assertLen({id(loaded[name]) for name in arrays}, 1)
    self.assertIsNot(loaded['other'], loaded['client/0'])

  def test_newest_two_are_kept(self):
    self._save(9, 10, 11)
    self.assertCountEqual(os.listdir(self.folder), [_file(10), _file(11)])
    self.assertEqual(self.manager.load_latest()[0], 11)

  def test_newest_before_a_round_is_kept_as_well(self):
    self._save(1, 2, 3)
    self.manager.keep_before = 3
    self._save(4, 5)
    self.assertEqual(self.manager.rounds(), [2, 4, 5])
    self.manager.keep_before = 1
    self._save(6)
    self.assertEqual(self.manager.rounds(), [5, 6])

  def test_removal_keeps_what_came_before(self):
    self._save(3, 5)
    self.manager.remove_from(4)
    self.assertEqual(self.manager.rounds(), [3])
    self.manager.remove_from(3)
    self.assertIsNone(self.manager.load_latest())

  def test_number_of_files_kept(self):
    self.manager = checkpoints.CheckpointManager(self.folder, keep=1)
    self._save(1, 2)
    self.assertEqual(os.listdir(self.folder), [_file(2)])

  def test_failed_save_leaves_what_was_there(self):
    self._save(1)
    with mock.patch.object(os, 'replace', side_effect=OSError('disk full')):
      with self.assertRaisesRegex(OSError, 'disk full'):
        self._save(2)
    self.assertEqual(os.listdir(self.folder), [_file(1)])

  def test_full_disk_leaves_what_was_there_and_no_second_error(self):
    self._save(1)
    script = _FULL_DISK.format(path=sys.path, folder=self.folder)
    done = subprocess.run(
      [sys.executable, '-c', script], stderr=subprocess.PIPE, text=True, check=False
    )
    self.assertEqual(done.returncode, errno.EFBIG, done.stderr)
    self.assertNotIn('closed file', done.stderr)
    self.assertEqual(os.listdir(self.folder), [_file(1)])
    self.assertEqual(self.manager.load_latest()[0], 1)

  def test_array_is_looked_up_once(self):
    arrays = {f'clients/{k}/0': np.array([k]) for k in range(50)}
    self.manager.save(1, arrays, {})
    with mock.patch.object(np, 'load', side_effect=AssertionError):
      _, loaded, _ = self.manager.load_latest()
    self.assertEqual(loaded, arrays)

  def test_changed_value_is_noticed(self):
    self.manager.save(1, {'x': np.full(1000, 7.0)}, {})
    path = os.path.join(self.folder, _file(1))
    with open(path, 'rb') as file:
      content = file.read()
    with open(path, 'wb') as file:
      file.write(content.replace(np.full(9, 7.0).tobytes(), np.full(9, 8.0).tobytes(), 1))
    with self.assertRaisesRegex(checkpoints.CheckpointError, 'is damaged .Bad CRC-32'):
      self.manager.load_latest()

  def test_partial_file_of_a_killed_run_is_ignored_then_removed(self):
    self._save(1)
    for name in ('tmp123.partial', _file(2) + '.tmp'):
      with open(os.path.join(self.folder, name), 'wb') as file:
        file.write(b'half of')
    self.assertEqual(self.manager.load_latest()[0], 1)
    self._save(2)
    self.assertCountEqual(os.listdir(self.folder), [_file(1), _file(2)])

  def test_other_files_are_left_alone(self):
    self._save(1)
    with open(os.path.join(self.folder, 'notes.npz'), 'wb') as file:
      file.write(b'mine')
    self._save(2, 3)
    self.assertCountEqual(os.listdir(self.folder), [_file(2), _file(3), 'notes.npz'])

  @parameterized.named_parameters(
    ('empty', lambda content: b''),
    ('truncated', lambda content: content[: len(content) // 2]),
    ('no_archive', lambda content: b'x' * len(content)),
    ('changed_array', lambda content: content.replace(b'\x93NUMPY', b'\x93numpy')),
    ('changed_header', lambda content: content.replace(b'PK\x01\x02', b'PK\x01\x03')),
    # The central header's eleventh byte is the method of compression, for which zipfile raises
    # NotImplementedError.
    ('unknown_compression', lambda content: _with_byte(content, b'PK\x01\x02', 10, 99)),
  )
  def test_damaged_file_is_named(self, damage):
    self._save(1, 2)
    path = os.path.join(self.folder, _file(2))
    with open(path, 'rb') as file:
      content = file.read()
    self.assertNotEqual(damage(content), content)
    with open(path, 'wb') as file:
      file.write(damage(content))
    with self.assertRaisesRegex(checkpoints.CheckpointError, f'{path} is damaged .*delete it'):
      self.manager.load_latest()
    os.unlink(path)
    self.assertEqual(self.manager.load_latest()[0], 1)

  def test_archive_of_something_else_is_named(self):
    os.makedirs(self.folder)
    np.savez(os.path.join(self.folder, _file(3)), weights=np.zeros(2))
    with self.assertRaisesRegex(checkpoints.CheckpointError, _file(3)):
      self.manager.load_latest()


class PrefixTest(absltest.TestCase):
  def test_prefixes_keep_arrays_apart(self):
    arrays = {
      **checkpoints.with_prefix('client', {'0/1': 'a'}),
      **checkpoints.with_prefix('clients', {'0/1': 'b', 'client/2': 'c'}),
    }
    self.assertEqual(arrays, {'client/0/1': 'a', 'clients/0/1': 'b', 'clients/client/2': 'c'})
    self.assertEqual(checkpoints.without_prefix('client', arrays), {'0/1': 'a'})
    self.assertEqual(checkpoints.without_prefix('clients', arrays), {'0/1': 'b', 'client/2': 'c'})


if __name__ == '__main__':
  absltest.main()
