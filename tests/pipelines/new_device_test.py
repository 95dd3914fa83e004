"""Tests of the new-device pipeline, run as a user runs it."""

import os

import pandas as pd
from absl.testing import absltest, parameterized

from pipelines import new_device, training_run
from tests.pipelines import in_process, testing


def setUpModule():
  in_process.set_up_module()


class NewDeviceTest(parameterized.TestCase):
  def test_fast_run_ends_with_a_table_and_a_figure(self):
    root = self.create_tempdir().full_path
    for method in ('fedprox', 'lg_fedavg'):
      arguments = ['--fast', f'--method={method}', '--baselines=']
      training_run.run(training_run.config_from_arguments(arguments), f'{root}/{method}')
    arguments = (
      '--fast',
      f'--from_run={root}/fedprox,{root}/lg_fedavg',
      '--transform=invert',
      f'--run_dir={root}/joined',
    )
    result = in_process.run(new_device, *arguments)
    self.assertEqual(result.returncode, 0, result.stderr)
    for text in ('2 classes per client', 'invert', 'alone', f'Report: {root}/joined/report.html'):
      self.assertIn(text, result.stdout)
    rows = [line.split()[:2] for line in result.stdout.splitlines() if 'Fed' in line[:8]]
    shares = [[method, share] for share in ('0', '0.1') for method in ('FedProx', 'LG-FedAvg')]
    self.assertEqual(rows, shares)
    self.assertTrue(os.path.exists(f'{root}/joined/figures/forgetting.png'))
    curves = pd.read_csv(f'{root}/joined/curves.csv')
    self.assertLen(curves, 4 * 4)
    os.remove(f'{root}/joined/curves.csv')
    result = in_process.run(new_device, *arguments)
    self.assertEqual(result.returncode, 1)
    self.assertIn(f'new_device: {root}/joined/curves.csv', result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    result = in_process.run(new_device, *arguments, '--seed=1')
    self.assertEqual(result.returncode, 1)
    self.assertIn('new_device: ', result.stderr)
    self.assertIn('seed was 0, now 1', result.stderr)

  @parameterized.named_parameters(
    ('unknown', ('--transforms=invert',), 'transforms'),
    ('transform', ('--transform=mirror',), 'mirror'),
    ('number', ('--old_clients_share=some',), '--old_clients_share is some, expected numbers'),
    ('no_flag', ('invert',), "Unexpected argument 'invert'; use --name=value."),
    ('no_source', (), '--from_run is missing'),
    ('no_run', ('--from_run=/nowhere',), '--from_run=/nowhere holds no run'),
  )
  def test_refuses(self, arguments, sentence):
    run_dir = self.create_tempdir().full_path + '/run'
    result = in_process.run(new_device, *arguments, f'--run_dir={run_dir}')
    self.assertNotEqual(result.returncode, 0)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(run_dir))

  def test_run_dir_is_needed(self):
    result = in_process.run(new_device, '--from_run=runs/try')
    self.assertEqual(result.returncode, 1)
    self.assertIn('--run_dir is missing', result.stderr)

  def test_help_speaks_of_the_field(self):
    result = testing.run('new_device', '--help')
    for text in ('--old_clients_share', 'rotate90', '--clients_per_device'):
      self.assertIn(text, result.stdout)


if __name__ == '__main__':
  absltest.main()
