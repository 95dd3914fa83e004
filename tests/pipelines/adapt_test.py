"""Tests of the adaptation pipeline, run as a user runs it."""

import json
import os
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from pipelines import adapt, sweep, training_run
from tests.pipelines import in_process, testing
from tff_lg import personalization
from tff_lg.data import arrays


def setUpModule():
  in_process.set_up_module()


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

  def test_clients_that_a_run_evaluated_and_no_others(self):
    root = self.create_tempdir().full_path
    rng = np.random.default_rng(1)
    os.mkdir(f'{root}/data')
    for number in range(6):
      x, y = rng.normal(size=(20, 4)).astype(np.float32), rng.integers(0, 3, 20)
      np.savez(f'{root}/data/c{number}.npz', x=x, y=y)

    def train(to, *arguments):
      training_run.run(training_run.config_from_arguments(arguments), f'{root}/{to}')
      return pd.read_parquet(f'{root}/{to}/clients.parquet')

    def adapted(source):
      technique = ('--adaptation=fine_tune', '--learning_rate=0.1', '--epochs=2')
      config = adapt.config_from_arguments([*technique, f'--from_run={root}/{source}'])
      adapt.run(config, f'{root}/{source}_adapted')
      return pd.read_parquet(f'{root}/{source}_adapted/clients.parquet')

    source = ('--task=client_files', f'--data_dir={root}/data', '--num_classes=3', '--rounds=2')
    source += ('--method=lg_fedavg', '--baselines=', '--clients_per_round=3')
    train('all', *source)
    of_all = adapted('all')
    trained = train('few', *source, '--max_evaluated_clients=2')
    scored, unscored = (
      list(of['client_id']) for _, of in trained.groupby(~trained['is_evaluated'])
    )
    self.assertLen(scored, 2)
    with mock.patch.object(arrays, 'read_npz', wraps=arrays.read_npz) as read:
      found = adapted('few')
    self.assertEqual({call.args[0].stem for call in read.call_args_list}, set(scored))
    self.assertEqual(list(found['client_id']), scored)
    expected = of_all[of_all['client_id'].isin(scored)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected)

    self.assertIsNotNone(personalization.load_result(f'{root}/few_adapted').model_for(scored[0]))
    with self.assertRaisesRegex(ValueError, f'--client is {unscored[0]}, which the run did not ev'):
      personalization.load_result(f'{root}/few').model_for(unscored[0])
    arguments = (f'--from_run={root}/few', '--retrain_without=best', f'--run_dir={root}/again')
    refused = in_process.run(adapt, *arguments)
    self.assertIn('does not fit --max_evaluated_clients=2 of', refused.stderr)

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
