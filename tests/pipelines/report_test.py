"""Tests of the command line, as a user calls it."""

import json
import os
from unittest import mock

from absl.testing import absltest

from pipelines import report
from tests import processes
from tests.pipelines import in_process, testing
from tff_lg import analysis, progress


def _report(*arguments):
  return in_process.run(report, *arguments)


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
    result = testing.run('report', f'--run_dir={run_dir}', '--fast')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('\nLG-FedAvg ', result.stdout)
    self.assertEndsWith(result.stdout, f'Report: {page}\n')
    self.assertLen(os.listdir(os.path.join(run_dir, 'figures')), 3 * 5)

    os.remove(page)
    output = os.path.join(run_dir, 'page.html')
    with mock.patch.object(progress, 'stage', wraps=progress.stage) as stage:
      self.assertEqual(_report(f'--run_dir={run_dir}', f'--output={output}').returncode, 0)
    stages = [call.args[0] for call in stage.call_args_list]
    self.assertEqual(stages, ['importing pandas', 'writing the report'])
    self.assertTrue(os.path.exists(output))
    self.assertFalse(os.path.exists(page))

  def test_compare_with(self):
    folder = self.create_tempdir().full_path
    mean, median, small = (os.path.join(folder, name) for name in ('mean', 'median', 'small'))
    for path in (mean, median):
      analysis.write_synthetic_run_folder(path, num_clients=3, num_rounds=4)
    with open(os.path.join(median, 'hparams.json'), 'w', encoding='utf-8') as file:
      json.dump({'method': 'lg_fedavg', 'aggregator': 'median'}, file)
    result = _report(
      f'--run_dir={mean}', f'--compare_with={median}', '--metric=participant_test/accuracy'
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('participant test accuracy (%)', result.stdout)
    self.assertIn('\nLG-FedAvg, median ', result.stdout)
    self.assertIn('\nLG-FedAvg − LG-FedAvg, median ', result.stdout)
    with open(os.path.join(mean, 'report.html'), encoding='utf-8') as file:
      self.assertIn('<h2>Comparison</h2>', file.read())

    analysis.write_synthetic_run_folder(small, num_clients=2, num_rounds=4)
    self._assert_refused(
      _report(f'--run_dir={mean}', f'--compare_with={median},{small}'),
      f'{small}: there is no client client_002, which {mean} has; only runs on the same split '
      'can be compared.',
    )

  def test_folder_of_an_adaptation(self):
    folder = self.create_tempdir().full_path
    analysis.write_synthetic_adaptation_folder(folder, num_clients=3)
    output = os.path.join(folder, 'page.html')
    result = _report(f'--run_dir={folder}', f'--output={output}')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertStartsWith(result.stdout, analysis.adaptation_text(folder))
    self.assertEndsWith(result.stdout, f'Report: {output}\n')
    self.assertTrue(os.path.exists(output))
    self._assert_refused(
      _report(f'--run_dir={folder}', f'--compare_with={folder}'),
      f'--compare_with does not fit --run_dir={folder}, a folder of pipelines.adapt; expected one '
      'of pipelines.train.',
    )

  def test_bad_folder(self):
    self._assert_refused(
      _report('--run_dir=nowhere'), '--run_dir=nowhere: there is no such run folder.'
    )

  def test_missing_flag(self):
    self._assert_refused(_report(), '--run_dir is missing, expected the folder of a run.')

  def test_fast_does_not_overwrite_a_run(self):
    folder = self.create_tempdir()
    folder.create_file('hparams.json', content='{"method": "fedavg"}')
    result = _report(f'--run_dir={folder.full_path}', '--fast')
    self.assertEqual(result.returncode, 1)
    self.assertIn('must not be overwritten', result.stderr)

  def test_imports_no_tensorflow(self):
    code = 'import sys, pipelines.report, tff_lg.analysis; print("tensorflow" in sys.modules)'
    output = processes.run_python('-c', code).stdout
    self.assertEqual(output.strip(), 'False')


if __name__ == '__main__':
  absltest.main()
