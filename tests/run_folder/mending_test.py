"""Tests of tables that are written again."""

import os
import shutil

import numpy as np
from absl.testing import absltest

from tff_lg import checkpoints, checksums, files
from tff_lg.run_folder import mending

_TABLES = {'metrics': 'round_num,loss\n1,0.5\n', 'communication': 'round_num,bytes_up\n1,7\n'}


class MendTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    for name, text in _TABLES.items():
      files.write_atomically(f'{self.folder}/{name}.csv', text)
    checksums.write(self.folder, '{}\n')
    files.write_atomically(f'{self.folder}/summary.json', '{}\n')

  def _save(self, tables):
    arrays = {f'tables/{n}': np.frombuffer(t.encode(), np.uint8) for n, t in tables.items()}
    checkpoints.CheckpointManager(f'{self.folder}/checkpoints').save(1, arrays, {})

  def _read(self):
    return {
      name: open(f'{self.folder}/{name}.csv').read()  # noqa: SIM115
      for name in _TABLES
      if os.path.exists(f'{self.folder}/{name}.csv')
    }

  def test_damaged_and_missing_tables_come_from_the_checkpoint(self):
    self._save(_TABLES)
    os.truncate(f'{self.folder}/metrics.csv', 15)
    os.unlink(f'{self.folder}/communication.csv')
    with self.assertLogs(level='WARNING') as logs:
      self.assertTrue(mending.mend(self.folder))
    self.assertIn('metrics.csv and ', logs.output[0])
    self.assertEqual(self._read(), _TABLES)
    checksums.check(f'{self.folder}/metrics.csv')

  def test_damaged_or_missing_curves_come_from_the_checkpoint(self):
    path = f'{self.folder}/client_curves.parquet'
    curves = {'client_curves/table': np.frombuffer(b'curves', np.uint8)}
    checkpoints.CheckpointManager(f'{self.folder}/checkpoints').save(1, curves, {})
    self.assertTrue(mending.mend(self.folder))
    self.assertFalse(os.path.exists(path))  # This run had none.
    files.write_atomically(path, 'curves')
    checksums.write(self.folder, '{}\n')
    for damage in (lambda: os.truncate(path, 3), lambda: os.unlink(path)):
      damage()
      with self.assertLogs(level='WARNING') as logs:
        self.assertTrue(mending.mend(self.folder))
      self.assertIn('client_curves.parquet: written again', logs.output[0])
      with open(path, 'rb') as file:
        self.assertEqual(file.read(), b'curves')
    self.assertEqual(self._read(), _TABLES)

  def test_other_results_are_of_a_run_that_resumes(self):
    summary = f'{self.folder}/summary.json'
    for name in ('clients.parquet', 'label_counts.csv', 'summary.json'):
      files.write_atomically(summary, '{}\n')
      files.write_atomically(f'{self.folder}/{name}', '{}\n')
      checksums.write(self.folder, '{}\n')
      files.write_atomically(f'{self.folder}/{name}', '{"a": 1}\n')
      self.assertTrue(mending.mend(self.folder))  # There is no checkpoint.
      self._save({})
      os.truncate(f'{self.folder}/metrics.csv', 15)
      self.assertTrue(mending.mend(self.folder))  # It could not resume.
      self._save(_TABLES)
      with self.assertLogs(level='WARNING') as logs:
        self.assertFalse(mending.mend(self.folder))
      self.assertIn(f'{self.folder}/{name}: written again from', logs.output[0])
      self.assertFalse(os.path.exists(summary))
      self.assertEqual(self._read(), _TABLES)
      shutil.rmtree(f'{self.folder}/checkpoints')

  def test_damaged_checkpoint_leaves_the_run_as_it_is(self):
    files.write_atomically(f'{self.folder}/summary.json', 'damaged')
    files.write_atomically(f'{self.folder}/checkpoints/round_00000001.npz', 'damaged')
    with self.assertRaises(checkpoints.CheckpointError):
      mending.mend(self.folder)
    self.assertTrue(os.path.exists(f'{self.folder}/summary.json'))

  def test_whole_tables_need_no_checkpoint(self):
    files.write_atomically(f'{self.folder}/checkpoints/round_00000001.npz', 'damaged')
    self.assertTrue(mending.mend(self.folder))
    self.assertEqual(self._read(), _TABLES)

  def test_without_a_checkpoint_that_has_them(self):
    os.truncate(f'{self.folder}/metrics.csv', 15)
    expected = self._read()
    self.assertTrue(mending.mend(self.folder))
    self._save({})
    self.assertTrue(mending.mend(self.folder))
    self.assertEqual(self._read(), expected)


if __name__ == '__main__':
  absltest.main()
