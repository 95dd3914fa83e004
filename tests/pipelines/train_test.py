"""Tests of the training pipeline, run as a user runs it."""

import glob
import json
import os
import re
import subprocess
import sys
import time
from unittest import mock

import psutil
from absl import flags
from absl.testing import absltest, flagsaver, parameterized

from pipelines import launch, train
from tests import processes
from tests.pipelines import in_process
from tff_lg import analysis, progress, runtime


def _train(*arguments):
  return processes.run_python('-m', 'pipelines.train', *arguments)


class TrainTest(parameterized.TestCase):
  def test_fast_run_ends_with_a_table_and_a_report(self):
    run_dir = self.create_tempdir().full_path + '/run'
    result = _train('--fast', '--warm_start_rounds=2', '--seed=5', f'--run_dir={run_dir}')
    self.assertEqual(result.returncode, 0, result.stderr)
    for text in ('Local only', 'LG-FedAvg', f'Report: {run_dir}/report.html'):
      self.assertIn(text, result.stdout)
    with open(f'{run_dir}/report.html', encoding='utf-8') as file:
      self.assertIn('LG-FedAvg', file.read())
    for ending, start in (('png', b'\x89PNG'), ('svg', b'<?xml'), ('pdf', b'%PDF')):
      with open(f'{run_dir}/figures/training_curves.{ending}', 'rb') as file:
        self.assertStartsWith(file.read(), start)
    with open(f'{run_dir}/hparams.json', encoding='utf-8') as file:
      hparams = json.load(file)
    self.assertEqual((hparams['seed'], hparams['warm_start_rounds']), (5, 2))
    with open(f'{run_dir}/flags.txt', encoding='utf-8') as file:
      self.assertIn('--seed=5\n', file.read())
    with open(f'{run_dir}/timing.json', encoding='utf-8') as file:
      timing = json.load(file)
    self.assertGreater(timing['report_seconds'], 0.0)
    self.assertGreater(timing['seconds'], timing['rounds_seconds'] + timing['report_seconds'])

  def test_sigterm_ends_it_with_a_sentence_and_it_resumes_from_a_checkpoint(self):
    run_dir = self.create_tempdir().full_path + '/run'
    arguments = ('--fast', '--rounds=1000', '--runtime=tff', f'--run_dir={run_dir}')
    command = [sys.executable, '-m', 'pipelines.train', *arguments, '--checkpoint_every=1']
    with subprocess.Popen(
      command,
      stdout=subprocess.PIPE,
      stderr=subprocess.STDOUT,
      text=True,
      env=processes.environment(),
    ) as process:
      while not (saved := glob.glob(f'{run_dir}/checkpoints/*.npz')) and process.poll() is None:
        time.sleep(0.1)
      workers = psutil.Process(process.pid).children(recursive=True)
      names = [worker.name() for worker in workers]
      process.terminate()
      # A worker that lives on would hold the pipe.
      output, _ = process.communicate(timeout=60)
    self.assertEqual(process.returncode, 143, output)
    self.assertEndsWith(
      output, 'train: stopped; rerun the same command to resume from the last checkpoint.\n'
    )
    self.assertNotIn('Traceback', output)
    self.assertNotEmpty(saved)
    self.assertIn('worker_binary', names)
    for worker in workers:
      self.assertTrue(processes.has_ended(worker.pid))

  def test_errors_of_clients_and_of_the_report_are_sentences(self):
    failed = runtime.ClientComputationError('federated_map', 3, ValueError('no'))
    full = OSError(28, 'No space', 'report.html')
    for target, error, sentence in (
      ('run', failed, str(failed)),
      ('write', full, 'report.html cannot be read or written: No space.'),
    ):
      with (
        flagsaver.flagsaver(run_dir=self.create_tempdir().full_path, fast=True),
        mock.patch.object(train, 'run', side_effect=error if target == 'run' else None),
        mock.patch.object(analysis, 'write_report', side_effect=error),
        self.assertRaisesRegex(SystemExit, f': {re.escape(sentence)}$'),
        launch.sentences(),
      ):
        train.main()

  @parameterized.named_parameters(
    ('unknown', ('--metod=fedavg',), 'metod'),
    ('choice', ('--method=fedavgg',), 'fedavgg'),
    ('no_flag', ('fedavg',), "Unexpected argument 'fedavg'; use --name=value."),
    ('range', ('--rounds=0',), '--rounds is 0, expected more than 0'),
    ('contradiction', ('--partition=iid', '--dirichlet_alpha=1'), '--partition is iid'),
    ('embedded', ('--data_dir=/nowhere',), '--task=digits is embedded'),
    ('missing_folder', ('--task=mnist', '--data_dir=/nowhere'), '/nowhere'),
    ('unknown_layer', ('--global_layers=top',), 'hidden_1, hidden_2, hidden_3, output'),
  )
  def test_refuses(self, arguments, sentence):
    run_dir = self.create_tempdir().full_path + '/run'
    result = in_process.run(train, *arguments, f'--run_dir={run_dir}')
    self.assertNotEqual(result.returncode, 0)
    self.assertIn(sentence, result.stderr)
    self.assertNotIn('Traceback', result.stderr)
    self.assertFalse(os.path.exists(run_dir))

  @parameterized.parameters('run_dir', 'data')
  def test_errors_that_need_no_tensorflow_come_before_it(self, what):
    path = self.create_tempfile('train.npz', 'no data').full_path
    folder = os.path.dirname(path)
    values = {'run_dir': f'{path}/run', 'fast': True}
    if what == 'data':
      values = {'run_dir': f'{folder}/run', 'task': 'arrays', 'data_dir': folder}
    with (
      flagsaver.flagsaver(**values),
      mock.patch.object(progress, 'stage', side_effect=AssertionError),
      self.assertRaisesRegex(SystemExit, f': .*{path}'),
      launch.sentences(),
    ):
      train.main()

  def test_run_dir_is_needed(self):
    result = _train('--rounds=2')
    self.assertEqual(result.returncode, 1)
    self.assertIn('--run_dir is missing', result.stderr)

  def test_help_speaks_of_the_field(self):
    result = _train('--help')
    for text in ('--classes_per_client', '--warm_start_rounds', 'Cohort, m'):
      self.assertIn(text, result.stdout)

  def test_config_from_arguments_leaves_the_flags_of_this_program_alone(self):
    flagfile = self.create_tempfile('run.flags', '--rounds=7\n--baselines=fedavg,fedsgd\n')
    config = train.config_from_arguments([f'--flagfile={flagfile.full_path}', '--seed=3'])
    self.assertEqual(
      (config.rounds, config.baselines, config.seed, config.num_clients),
      (7, ('fedavg', 'fedsgd'), 3, 100),
    )
    self.assertEqual(flags.FLAGS['rounds'].value, flags.FLAGS['rounds'].default)
    self.assertEqual(train.config_from_arguments(['--fast']).num_clients, 10)

  @parameterized.parameters(
    '--run_dir=x', '--round=2', '--rounds=two', '--method=a', 'x', '--rounds=0'
  )
  def test_config_from_arguments_refuses(self, argument):
    with self.assertRaises((flags.Error, ValueError)):
      train.config_from_arguments([argument])


if __name__ == '__main__':
  absltest.main()
