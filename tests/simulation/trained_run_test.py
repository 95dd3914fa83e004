"""Tests of loading finished runs, of small ones that the module trains."""

import dataclasses
import json
import os
import shutil
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests.simulation import running
from tff_lg import config as config_lib
from tff_lg import simulation
from tff_lg.inputs import tasks
from tff_lg.personalization import adaptation_work
from tff_lg.run_folder import run_settings
from tff_lg.simulation import trained_run
from tff_lg.training import client_data, evaluation

_CONFIG = config_lib.TrainConfig(
  task='digits',
  partition='dirichlet',
  num_clients=4,
  clients_per_round=2,
  rounds=3,
  baselines=(),
  evaluate_every=1,
  checkpoint_every=1,
  score_on_others=True,
)


def setUpModule():
  running.set_up_module()


class TrainedRunTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.root = cls.create_tempdir(cls()).full_path
    cls.configs = {
      name: config_lib.resolve(dataclasses.replace(_CONFIG, **changes))
      for name, changes in {
        'fedavg': {'method': 'fedavg', 'aggregator': 'dp_mean', 'dp_sigma': 0.01},
        'lg': {'method': 'lg_fedavg', 'warm_start_rounds': 2, 'keep_client_optimizer': True},
        'jigsaw': {'auxiliary': 'jigsaw', 'warm_start_rounds': 1},
        'mtl': {'method': 'mtl', 'warm_start_rounds': 1},
      }.items()
    }
    for name, config in cls.configs.items():
      simulation.run_experiment(config, f'{cls.root}/{name}')

  def _copy(self, name='fedavg'):
    copy = shutil.copytree(f'{self.root}/{name}', self.create_tempdir().full_path + '/copy')
    os.unlink(f'{copy}/checksums.json')  # Its files are changed.
    return copy

  def test_config_is_what_was_run(self):
    for name, config in self.configs.items():
      self.assertEqual(trained_run.load_config(f'{self.root}/{name}'), config)

  def test_options_that_the_run_did_not_know_have_their_defaults(self):
    folder = self._copy()
    hparams = run_settings.load_hparams(folder)
    del hparams['lstm_units'], hparams['straggler_rate']
    with open(f'{folder}/hparams.json', 'w', encoding='utf-8') as file:
      json.dump(hparams, file)
    self.assertEqual(trained_run.load_config(folder), self.configs['fedavg'])

  def test_chosen_models_are_those_of_the_table(self):
    for name in self.configs:
      run = trained_run.load_trained_run(f'{self.root}/{name}')
      values = adaptation_work.ModelEvaluator(run)(np.arange(4), run.weights)
      for column in ('local_test/accuracy', 'participant_test/accuracy', 'others_test/accuracy'):
        np.testing.assert_array_equal(values[column], run.clients[column])
      num_models = len({tuple(map(id, weights)) for weights in run.weights})
      self.assertEqual(num_models, 1 if name == 'fedavg' else 4)
      self.assertEqual([len(weights) for weights in run.weights], [8] * 4)
      self.assertIsNone(run.local_only)

  def test_last_round_is_the_one_after_which_training_continues(self):
    for name, num_rounds in (('lg', 5), ('jigsaw', 4), ('mtl', 4)):
      last = trained_run.load_last_round(f'{self.root}/{name}')
      state = last.state
      self.assertEqual((state.round_num, last.phase.method), (num_rounds, last.config.method))
      self.assertLen(last.federated_data.clients, 4)
      values = evaluation.evaluate_clients(
        last.phase.process,
        state.server_state,
        state.clients.get(range(4)),
        client_data.part_tensors(last.federated_data, 'test'),
      )
      metrics = pd.read_csv(f'{self.root}/{name}/metrics.csv')
      for metric in ('accuracy', 'loss'):
        found = metrics[f'local_test/{metric}/mean_over_clients'].iloc[-1]
        self.assertEqual(np.nanmean(values[metric]), found)
    folder = self._copy('lg')
    os.unlink(f'{folder}/checkpoints/round_00000005.npz')
    with self.assertRaisesRegex(simulation.CheckpointError, 'is of round 4, expected one of roun'):
      trained_run.load_last_round(folder)

  def test_refuses(self):
    empty = self.create_tempdir().full_path
    with self.assertRaisesRegex(ValueError, f'--from_run={empty} holds no run'):
      trained_run.load_config(empty)
    for change, sentence in (
      (lambda folder: os.unlink(f'{folder}/summary.json'), 'is not finished'),
      (lambda folder: _write(f'{folder}/hparams.json', '{"x'), 'hparams.json is damaged'),
      (lambda folder: _write(f'{folder}/hparams.json', '{"speed": 1}'), 'json has speed, expected'),
      (
        lambda folder: _write(
          f'{folder}/hparams.json', '{"task": "digits", "method": "local_only"}'
        ),
        '--method=local_only, expected one with a federated model',
      ),
    ):
      folder = self._copy()
      change(folder)
      with self.assertRaisesRegex(ValueError, sentence):
        trained_run.load_config(folder)

  def test_checkpoint_is_missing_or_damaged(self):
    folder = self._copy()
    newest = f'{folder}/checkpoints/round_00000003.npz'
    _write(newest, 'PK')
    with self.assertRaisesRegex(simulation.CheckpointError, f'{newest} is damaged'):
      trained_run.load_trained_run(folder)
    os.unlink(newest)
    with self.assertRaisesRegex(
      simulation.CheckpointError, 'is of round 2, expected one of round 3'
    ):
      trained_run.load_trained_run(folder)
    shutil.rmtree(f'{folder}/checkpoints')
    with self.assertRaisesRegex(simulation.CheckpointError, 'is missing, expected one of round 3'):
      trained_run.load_trained_run(folder)

  def test_data_are_missing_or_others(self):
    folder = self._copy()
    hparams = run_settings.load_hparams(folder)
    for changes, data_dir, sentence in (
      ({'task': 'mnist', 'data_dir': '/nowhere'}, None, '--data_dir says where they are.*/nowhere'),
      ({'task': 'mnist', 'data_dir': '/nowhere'}, '/moved', '--data_dir says where .*/moved'),
      (
        {'task': 'embeddings', 'embeddings': '/nowhere/set.npz', 'partition': 'iid'},
        '/moved',
        '/moved/set.npz',
      ),
      ({}, '/moved', '--data_dir is /moved, but --task=digits is embedded'),
      ({'seed': 1}, None, 'The data are not those of --from_run'),
    ):
      _write(f'{folder}/hparams.json', json.dumps({**hparams, **changes}))
      with self.assertRaisesRegex(ValueError, sentence):
        trained_run.load_trained_run(folder, data_dir)

  def test_examples_are_others(self):
    folder = self._copy()
    load_data = tasks.load_data

    def doubled(config):
      loaded = load_data(config)
      return dataclasses.replace(loaded, test=dataclasses.replace(loaded.test, x=2 * loaded.test.x))

    with mock.patch.object(tasks, 'load_data', doubled):
      with self.assertRaisesRegex(ValueError, f'in --from_run={folder} began with: the examples'):
        trained_run.load_trained_run(folder)


def _write(path, text):
  with open(path, 'w', encoding='utf-8') as file:
    file.write(text)


if __name__ == '__main__':
  absltest.main()
