"""Tests of the command line, as a user calls it."""

import os
import subprocess
import sys

from absl.testing import absltest


def _report(*arguments):
  environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
  command = [sys.executable, '-m', 'pipelines.report', *arguments]
  return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


class ReportTest(absltest.TestCase):
  def _assert_refused(self, result, sentence):
    self.assertEqual(result.returncode, 1)
    self.assertEqual(result.stdout, '')
    # Matplotlib may have said something before, of its cache.
    self.assertEqual(result.stderr.splitlines()[-1], f'report: {sentence}')
    self.assertNotIn('Traceback', result.stderr)

  def test_fast_then_again(self):
    run_dir = os.path.join(self.create_tempdir().full_path, 'run')
    page = os.path.join(run_dir, 'report.html')
    result = _report(f'--run_dir={run_dir}', '--fast')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('\nLG-FedAvg ', result.stdout)
    self.assertEndsWith(result.stdout, f'Report: {page}\n')
    self.assertLen(os.listdir(os.path.join(run_dir, 'figures')), 4)

    os.remove(page)
    output = os.path.join(run_dir, 'page.html')
    self.assertEqual(_report(f'--run_dir={run_dir}', f'--output={output}').returncode, 0)
    self.assertTrue(os.path.exists(output))
    self.assertFalse(os.path.exists(page))

  def test_bad_folder(self):
    self._assert_refused(_report('--run_dir=nowhere'), 'nowhere: there is no such run folder.')

  def test_missing_flag(self):
    self._assert_refused(_report(), '--run_dir is missing: name the folder of a run.')

  def test_fast_does_not_overwrite_a_run(self):
    folder = self.create_tempdir()
    folder.create_file('hparams.json', content='{"method": "fedavg"}')
    result = _report(f'--run_dir={folder.full_path}', '--fast')
    self.assertEqual(result.returncode, 1)
    self.assertIn('must not be overwritten', result.stderr)

  def test_imports_no_tensorflow(self):
    code = 'import sys, pipelines.report, tff_lg.analysis; print("tensorflow" in sys.modules)'
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    output = subprocess.run(
      [sys.executable, '-c', code], env=environment, capture_output=True, text=True, check=True
    ).stdout
    self.assertEqual(output.strip(), 'False')


if __name__ == '__main__':
  absltest.main()
