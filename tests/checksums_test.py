"""Tests of the CRCs of finished folders."""

import json
import os

from absl.testing import absltest, parameterized

from tff_lg import checksums


class ChecksumsTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    for name in ('metrics.csv', 'hparams.json', 'timing.json', 'flags.txt', 'report.html'):
      self._write(name, 'first')
    checksums.write(self.folder, '{}\n')
    self._write('summary.json', '{}\n')

  def _path(self, name):
    return os.path.join(self.folder, name)

  def _write(self, name, text):
    with open(self._path(name), 'w') as file:
      file.write(text)

  def test_files_as_they_were_pass(self):
    for name in os.listdir(self.folder):
      checksums.check(self._path(name))
    with open(self._path('checksums.json')) as file:
      # CRC-32 of 'first' and '{}\n'.
      self.assertEqual(
        json.load(file),
        {'hparams.json': 2456940119, 'metrics.csv': 2456940119, 'summary.json': 3718361094},
      )

  @parameterized.parameters('metrics.csv', 'summary.json')
  def test_changed_file_is_named(self, name):
    self._write(name, 'other')
    with self.assertRaisesRegex(
      checksums.DamagedFileError, f'{self._path(name)} is damaged: its CRC-32 is .* put back a copy'
    ):
      checksums.check(self._path(name))

  def test_way_to_make_a_file_again(self):
    for name, has_checkpoints, expected in (
      ('hparams.json', True, 'in checksums.json; put back a copy, or'),
      (
        'metrics.csv',
        False,
        'delete summary.json and rerun the same command to make it again, put',
      ),
      ('metrics.csv', True, f'rerun `train --flagfile={self.folder}/flags.txt --run_dir='),
    ):
      if has_checkpoints:
        os.makedirs(self._path('checkpoints'), exist_ok=True)
      self._write(name, 'other')
      with self.assertRaisesRegex(checksums.DamagedFileError, expected):
        checksums.check(self._path(name))
      if has_checkpoints:
        os.rmdir(self._path('checkpoints'))

  def test_whole_folder(self):
    self.assertTrue(checksums.is_whole_folder(self.folder))
    self._write('report.html', 'other')
    self.assertTrue(checksums.is_whole_folder(self.folder))
    self._write('metrics.csv', 'other')
    self.assertFalse(checksums.is_whole(self._path('metrics.csv')))
    self.assertTrue(checksums.is_whole(self._path('hparams.json')))
    self.assertFalse(checksums.is_whole_folder(self.folder))
    os.unlink(self._path('metrics.csv'))
    self.assertFalse(checksums.is_whole(self._path('metrics.csv')))
    self.assertFalse(checksums.is_whole_folder(self.folder))

  def test_changes_that_do_no_damage(self):
    for name in ('timing.json', 'flags.txt', 'report.html', 'new.csv'):
      self._write(name, 'other')
      checksums.check(self._path(name))
    os.unlink(self._path('metrics.csv'))
    checksums.check(self._path('metrics.csv'))

  def test_folder_that_is_not_finished_is_not_checked(self):
    self._write('metrics.csv', 'other')
    os.unlink(self._path('summary.json'))
    checksums.check(self._path('metrics.csv'))

  def test_folder_without_crcs_is_not_checked(self):
    self._write('metrics.csv', 'other')
    os.unlink(self._path('checksums.json'))
    checksums.check(self._path('metrics.csv'))
    checksums.update(self._path('metrics.csv'))
    self.assertFalse(os.path.exists(self._path('checksums.json')))

  def test_file_that_was_written_again(self):
    self._write('metrics.csv', 'other')
    checksums.update(self._path('metrics.csv'))
    checksums.check(self._path('metrics.csv'))
    self._write('metrics.csv', 'first')
    with self.assertRaises(checksums.DamagedFileError):
      checksums.check(self._path('metrics.csv'))

  @parameterized.parameters('', '[1]', '{"a"')
  def test_damaged_list_is_named(self, content):
    self._write('checksums.json', content)
    with self.assertRaisesRegex(checksums.DamagedFileError, 'checksums.json is damaged .*delete'):
      checksums.check(self._path('metrics.csv'))


if __name__ == '__main__':
  absltest.main()
