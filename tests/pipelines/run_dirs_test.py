"""Tests of run folders known by their flags, and of what their pipelines refuse."""

import errno
import os
from unittest import mock

from absl.testing import absltest, parameterized

from pipelines import run_dirs
from tests.pipelines import testing
from tff_lg import file_names

_PIPELINES = ('fair', 'theory', 'xor')


class FlagLinesTest(absltest.TestCase):
  def test_by_hand(self):
    lines = run_dirs.flag_lines({'a': 1, 'b': (0.5, 2.0), 'c': None, 'd': 'x'})
    self.assertEqual(lines, '--a=1\n--b=0.5,2.0\n--d=x\n')


class CheckCanBeMadeTest(absltest.TestCase):
  def test_makes_nothing(self):
    folder = self.create_tempdir().full_path
    run_dirs.check_can_be_made(f'{folder}/runs/one')
    run_dirs.check_can_be_made(folder)
    self.assertEmpty(os.listdir(folder))

  def test_refuses(self):
    folder = self.create_tempdir()
    path = folder.create_file('notes.txt').full_path
    for run_dir in (path, f'{path}/runs/one'):
      with self.assertRaisesRegex(ValueError, f'^--run_dir={run_dir} cannot be made: {path} is no'):
        run_dirs.check_can_be_made(run_dir)
    with mock.patch.object(os, 'mkdir', side_effect=PermissionError(errno.EACCES, 'No right')):
      with self.assertRaisesRegex(ValueError, f'cannot be written: No right in {folder.full_path}'):
        run_dirs.check_can_be_made(f'{folder.full_path}/runs')

  def test_refuses_a_folder_that_not_even_root_can_write(self):
    with self.assertRaisesRegex(ValueError, '--run_dir=/proc/x cannot be written: .* in /proc'):
      run_dirs.check_can_be_made('/proc/x')


class CheckFolderTest(absltest.TestCase):
  def test_accepts_none_empty_and_its_own(self):
    folder = self.create_tempdir()
    run_dirs.check_folder(os.path.join(folder.full_path, 'none'), '--a=1\n')
    run_dirs.check_folder(folder.full_path, '--a=1\n')
    # What a run leaves that was killed as it began.
    folder.create_file('flags.txt.tmp')
    run_dirs.check_folder(folder.full_path, '--a=1\n')
    folder.create_file(file_names.FLAGS, content='--a=1\n')
    run_dirs.check_folder(folder.full_path, '--a=1\n')
    # A run that was stopped has left its flags alone.
    run_dirs.check_folder(folder.full_path, '--a=2\n')

  def test_refuses(self):
    folder = self.create_tempdir()
    path = folder.create_file('notes.txt').full_path
    with self.assertRaisesRegex(ValueError, 'notes.txt is not a folder'):
      run_dirs.check_folder(path, '')
    with self.assertRaisesRegex(ValueError, 'is not empty and holds no run: choose another'):
      run_dirs.check_folder(folder.full_path, '')
    folder.create_file(file_names.FLAGS, content='--a=1\n')
    with self.assertRaisesRegex(ValueError, r'other flags \(flags.txt\): choose another folder'):
      run_dirs.check_folder(folder.full_path, '--a=2\n')


class ClaimFolderTest(absltest.TestCase):
  def test_claimed_is_its_own(self):
    folder = os.path.join(self.create_tempdir().full_path, 'runs', 'one')
    run_dirs.claim_folder(folder, '--a=1\n')
    self.assertCountEqual(os.listdir(folder), [file_names.FLAGS, 'lock'])
    run_dirs.check_folder(folder, '--a=1\n')
    with self.assertRaisesRegex(ValueError, f'--run_dir={folder} is in use by process '):
      run_dirs.claim_folder(folder, '--a=1\n')

  def test_refuses_what_cannot_be_written(self):
    path = self.create_tempfile().full_path
    with self.assertRaisesRegex(ValueError, f'--run_dir={path}/run cannot be written: Not a dir'):
      run_dirs.claim_folder(f'{path}/run', '')


class RefusalsTest(parameterized.TestCase):
  @parameterized.parameters(
    ('fair', ('--lambda=1',), 'lambda'),
    ('fair', ('1',), "fair: Unexpected argument '1'; use"),
    ('fair', ('--lambdas=1,much',), 'fair: --lambdas is 1,much, expected numbers with commas'),
    ('fair', ('--seeds=0.5',), 'fair: --seeds is 0.5, expected whole numbers with commas'),
    ('fair', ('--rounds=0',), 'rounds'),
    ('theory', ('--rho=1',), 'rho'),
    ('theory', ('0.5',), "theory: Unexpected argument '0.5'; use"),
    ('theory', ('--rhos=0.5,much',), 'theory: --rhos is 0.5,much, expected numbers with commas'),
    ('theory', ('--rhos=-1',), 'theory: --rhos is -1, expected different standard deviations'),
    ('theory', ('--repeats=1',), 'repeats'),
    (
      'theory',
      ('--examples=20',),
      'theory: --examples is 20, expected at least 21, more than --dims',
    ),
    ('theory', ('--sigma=0',), 'theory: --sigma is 0.0, expected a standard deviation above 0'),
    ('xor', ('--sed=1',), 'sed'),
    ('xor', ('--conditioning=none',), 'conditioning'),
    ('xor', ('local',), "xor: Unexpected argument 'local'; use"),
    ('xor', ('--rounds=0',), 'rounds'),
  )
  def test_flags(self, pipeline, flags, sentence):
    run_dir = self.create_tempdir().full_path + '/run'
    self._assert_refused(sentence, pipeline, *flags, f'--run_dir={run_dir}')
    self.assertFalse(os.path.exists(run_dir))

  @parameterized.parameters(*_PIPELINES)
  def test_run_dir_is_needed_and_others_files_are_kept(self, pipeline):
    self._assert_refused(f'{pipeline}: --run_dir is missing', pipeline)
    for names, sentence in (
      (('notes.txt',), 'is not empty and holds no run'),
      (
        (file_names.FLAGS, 'results.csv'),
        'holds a run with other flags (flags.txt): choose another',
      ),
    ):
      folder = self.create_tempdir()
      for name in names:
        folder.create_file(name)
      self._assert_refused(sentence, pipeline, f'--run_dir={folder.full_path}')
      self.assertCountEqual(os.listdir(folder.full_path), names)

  def _assert_refused(self, sentence, pipeline, *flags):
    result = testing.run(pipeline, *flags)
    self.assertEqual(result.returncode, 1)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)


if __name__ == '__main__':
  absltest.main()
