"""Tests of the pipeline of fair representations, run as a user runs it."""

import csv
import json
import os
import subprocess
import sys

from absl.testing import absltest, parameterized


def _fair(*flags):
  return subprocess.run(
    [sys.executable, '-m', 'pipelines.fair', *flags],
    capture_output=True,
    text=True,
    check=False,
    env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)},
  )


class FairTest(parameterized.TestCase):
  def test_fast_run_writes_everything_the_same_again(self):
    run_dir = self.create_tempdir().full_path + '/run'
    flags = ('--fast', '--partitions=non_iid', '--seeds=3', f'--run_dir={run_dir}')
    names = (
      *('figures/fair.png', 'results.csv', 'rounds.csv', 'summary.json', 'tables.md'),
      'flags.txt',
    )
    contents = []
    for _ in range(2):
      result = _fair(*flags)
      self.assertEqual(result.returncode, 0, result.stderr)
      contents.append([])
      for name in names:
        with open(f'{run_dir}/{name}', 'rb') as file:
          contents[-1].append(file.read())
    self.assertEqual(contents[0], contents[1])
    figure, results, rounds, summary, tables, flag_lines = contents[0]
    self.assertStartsWith(figure, b'\x89PNG')
    rows = list(csv.DictReader(results.decode().splitlines()))
    self.assertEqual(
      [(row['method'], row['lambda'], row['seed']) for row in rows],
      [
        ('local_only', '0.0', '3'),
        *(('fedavg', strength, '3') for strength in ('0.0', '1.0')),
        *(('lg_fedavg', strength, '3') for strength in ('0.0', '1.0')),
      ],
    )
    self.assertLen(list(csv.DictReader(rounds.decode().splitlines())), 5 * 3)
    values = json.loads(summary)['non_iid/lg_fedavg/lambda_1']
    accuracy = values['local_test/accuracy/pooled/mean']
    self.assertEqual(accuracy, float(rows[-1]['local_test/accuracy/pooled']))
    self.assertRegex(result.stdout, rf'LG-FedAvg \+ adversary, lambda 1 +{100 * accuracy:.1f} ')
    self.assertIn(f'{100 * accuracy:.1f}', tables.decode())
    self.assertIn('adv AUC  logistic  boosting  parity  odds', result.stdout)
    self.assertIn(f'Figure: {run_dir}/figures/fair.png', result.stdout)
    self.assertIn(b'--num_clients=2\n', flag_lines)
    self.assertNotIn(b'data_dir', flag_lines)

    other = _fair('--fast', f'--run_dir={run_dir}')
    self.assertEqual(other.returncode, 1)
    self.assertIn('holds a run with other flags (flags.txt): choose another', other.stderr)

  @parameterized.named_parameters(
    ('unknown', ('--lambda=1',), 'lambda'),
    ('no_flag', ('1',), 'fair: 1 is no flag'),
    ('text', ('--lambdas=1,much',), 'fair: --lambdas is 1,much, expected numbers with commas'),
    ('seed', ('--seeds=0.5',), 'fair: --seeds is 0.5, expected whole numbers with commas'),
    ('range', ('--rounds=0',), 'rounds'),
  )
  def test_refuses(self, flags, sentence):
    run_dir = self.create_tempdir().full_path + '/run'
    result = _fair(*flags, f'--run_dir={run_dir}')
    self.assertNotEqual(result.returncode, 0)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(run_dir))

  def test_refuses_data_that_are_not_there(self):
    folder = self.create_tempdir().full_path
    result = _fair('--fast', f'--data_dir={folder}', f'--run_dir={folder}/run')
    self.assertEqual(result.returncode, 1)
    self.assertIn(f'fair: {folder}: no adult.data found, expected the official', result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(f'{folder}/run'))

  def test_run_dir_is_needed(self):
    result = _fair()
    self.assertEqual(result.returncode, 1)
    self.assertIn('fair: --run_dir is missing', result.stderr)

  def test_help_explains(self):
    result = _fair('--help')
    for part in ('predict income, do not tell race and sex', '--lambdas', '--fast'):
      self.assertIn(part, (result.stdout + result.stderr).replace('--[no]fast', '--fast'))


if __name__ == '__main__':
  absltest.main()
