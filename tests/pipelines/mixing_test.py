"""Tests of the pipeline of mixtures, run as a user runs it."""

import json

from absl.testing import absltest

from tests.pipelines import testing


class MixingTest(absltest.TestCase):
  def test_run_writes_figure_table_and_summary(self):
    run_dir = self.create_tempdir().full_path + '/run'
    result = testing.run('mixing', '--fast', '--num_points=3', f'--run_dir={run_dir}')
    self.assertEqual(result.returncode, 0, result.stderr)
    self.assertIn('independent initial weights: loss', result.stdout)
    with open(f'{run_dir}/figures/mixing.png', 'rb') as file:
      self.assertStartsWith(file.read(), b'\x89PNG')
    with open(f'{run_dir}/mixing.csv', encoding='utf-8') as file:
      lines = file.read().splitlines()
    self.assertEqual((lines[0], len(lines)), ('theta,shared,independent', 4))
    with open(f'{run_dir}/summary.json', encoding='utf-8') as file:
      self.assertIn('shared/loss/mean_of_both', json.load(file))

  def test_refuses_data_that_are_not_there(self):
    folder = self.create_tempdir().full_path
    result = testing.run('mixing', f'--data_dir={folder}', f'--run_dir={folder}/run')
    self.assertEqual(result.returncode, 1)
    self.assertStartsWith(result.stderr.splitlines()[-1], 'mixing: ')


if __name__ == '__main__':
  absltest.main()
