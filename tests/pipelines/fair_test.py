"""Tests of the pipeline of fair representations, run as a user runs it."""

import csv
import json
import os

from absl.testing import absltest

from pipelines import fair
from tests.pipelines import in_process, testing


class FairTest(absltest.TestCase):
  def test_fast_run_writes_everything_the_same_again(self):
    run_dir = self.create_tempdir().full_path + '/run'
    methods = '--methods=local_only,lg_fedavg'  # Which are all the kinds of rows.
    flags = ('--fast', '--partitions=non_iid', '--seeds=3', methods, f'--run_dir={run_dir}')
    names = (
      *('figures/fair.png', 'results.csv', 'rounds.csv', 'summary.json', 'tables.md'),
      'flags.txt',
      'report.html',
    )
    contents = []
    for _ in range(2):
      result = testing.run('fair', *flags)
      self.assertEqual(result.returncode, 0, result.stderr)
      contents.append([])
      for name in names:
        with open(f'{run_dir}/{name}', 'rb') as file:
          contents[-1].append(file.read())
    self.assertEqual(contents[0], contents[1])
    figure, results, rounds, summary, tables, flag_lines, report = contents[0]
    self.assertStartsWith(figure, b'\x89PNG')
    rows = list(csv.DictReader(results.decode().splitlines()))
    self.assertEqual(
      [(row['method'], row['lambda'], row['seed']) for row in rows],
      [
        ('local_only', '0.0', '3'),
        ('own_linear', '0.0', '3'),
        *(('lg_fedavg', strength, '3') for strength in ('0.0', '1.0')),
      ],
    )
    self.assertLen(list(csv.DictReader(rounds.decode().splitlines())), 2 * 3)
    values = json.loads(summary)['non_iid/lg_fedavg/lambda_1']
    accuracy = values['local_test/accuracy/pooled/mean']
    self.assertEqual(accuracy, float(rows[-1]['local_test/accuracy/pooled']))
    self.assertRegex(result.stdout, rf'LG-FedAvg \+ adversary, lambda 1 +{100 * accuracy:.1f} ')
    self.assertIn(f'{100 * accuracy:.1f}', tables.decode())
    own = json.loads(summary)['non_iid/local_only/lambda_0']
    self.assertEqual(own['own_models/network/learning_rate/mean'], 0.1)
    epochs = own['own_models/epochs/median_over_clients/mean']
    self.assertIn(
      f'alone to its best, {epochs:g} epochs (median), learning rate 0.1.', report.decode()
    )
    self.assertIn('adv AUC  logistic  boosting  parity  odds', result.stdout)
    self.assertIn(f'Report: {run_dir}/report.html', result.stdout)
    self.assertIn(b'--num_clients=2\n', flag_lines)
    self.assertNotIn(b'data_dir', flag_lines)
    for part in (b'on a synthetic table', b'Race and sex', b'<svg role="img"', b'--num_clients=2 '):
      self.assertIn(part, report)

  def test_refuses_data_that_are_not_there(self):
    folder = self.create_tempdir().full_path
    result = in_process.run(fair, '--fast', f'--data_dir={folder}', f'--run_dir={folder}/run')
    self.assertEqual(result.returncode, 1)
    self.assertIn(f'fair: {folder}: no adult.data found, expected the official', result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(f'{folder}/run'))

  def test_refuses_a_folder_that_cannot_be_written_before_training(self):
    path = self.create_tempfile().full_path
    # Without --fast: training would take minutes.
    result = in_process.run(fair, f'--run_dir={path}/run')
    self.assertEqual(result.returncode, 1)
    self.assertIn(
      f'fair: --run_dir={path}/run cannot be made: {path} is not a folder.', result.stderr
    )

  def test_help_explains(self):
    result = testing.run('fair', '--help')
    for part in ('predict income, hide race and sex', '--lambdas', '--fast'):
      self.assertIn(part, (result.stdout + result.stderr).replace('--[no]fast', '--fast'))


if __name__ == '__main__':
  absltest.main()
