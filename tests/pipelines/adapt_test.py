"""Tests of the adaptation pipeline, run as a user runs it."""

import json
import os

import pandas as pd
from absl.testing import absltest, parameterized

from pipelines import adapt, sweep, training_run
from tests.pipelines import in_process, testing


class AdaptTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.source = cls.create_tempdir(cls()).full_path + '/run'
    arguments = ['--fast', '--method=fedavg']
    training_run.run(training_run.config_from_arguments(arguments), cls.source)

  def test_fast_run_ends_with_a_table_and_a_report(self):
    root = self.create_tempdir().full_path
    arguments = (
      '--fast',
      '--adaptation=fine_tune,ewc',
      '--max_clients=3',
      f'--from_run={self.source}',
      f'--run_dir={root}/adapted',
    )
    result = testing.run('adapt', *arguments)
    self.assertEqual(result.returncode, 0, result.stderr)
    for text in ('Local only', 'Federated', 'EWC', f'Report: {root}/adapted/report.html'):
      self.assertIn(text, result.stdout)
    self.assertLen(pd.read_parquet(f'{root}/adapted/clients.parquet'), 3)
    with open(f'{root}/adapted/hparams.json', encoding='utf-8') as file:
      hparams = json.load(file)
    self.assertEqual((hparams['epochs'], hparams['max_clients']), (2, 3))
    result = in_process.run(adapt, *arguments, '--seed=1')
    self.assertEqual(result.returncode, 1)
    self.assertIn('adapt: ', result.stderr)
    self.assertIn('seed was 0, now 1', result.stderr)

  def test_sweep_of_techniques(self):
    root = self.create_tempdir().full_path
    result = in_process.run(
      sweep,
      '--pipeline=adapt',
      '--grid=adaptation=fine_tune;fine_tune,freeze_base',
      '--metric=best/local_test/accuracy/mean_over_clients',
      f'--sweep_dir={root}/sweep',
      '--',
      '--fast',
      f'--from_run={self.source}',
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    table = pd.read_csv(f'{root}/sweep/results.csv')
    self.assertEqual(list(table['adaptation']), ['fine_tune', 'fine_tune,freeze_base'])
    self.assertTrue(table['best/local_test/accuracy/mean_over_clients'].notna().all())

  @parameterized.named_parameters(
    ('unknown', ('--adaptions=ewc',), 'adaptions'),
    ('adaptation', ('--adaptation=fine_tun',), '--adaptation is fine_tun, expected one of'),
    ('number', ('--learning_rate=fast',), '--learning_rate is fast, expected numbers'),
    ('no_flag', ('ewc',), "Unexpected argument 'ewc'; use --name=value."),
    ('no_source', (), '--from_run is missing'),
    ('no_run', ('--from_run=/nowhere',), '--from_run=/nowhere holds no run'),
  )
  def test_refuses(self, arguments, sentence):
    run_dir = self.create_tempdir().full_path + '/run'
    result = in_process.run(adapt, *arguments, f'--run_dir={run_dir}')
    self.assertNotEqual(result.returncode, 0)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(run_dir))

  def test_run_dir_is_needed(self):
    result = in_process.run(adapt, '--from_run=runs/try')
    self.assertEqual(result.returncode, 1)
    self.assertIn('--run_dir is missing', result.stderr)

  def test_help_speaks_of_the_field(self):
    result = testing.run('adapt', '--help')
    for text in ('--ewc_strength', 'freeze_base', '--clients_per_device'):
      self.assertIn(text, result.stdout)


if __name__ == '__main__':
  absltest.main()
