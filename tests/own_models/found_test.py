"""Tests of finding the scores of clients' own local models."""

import dataclasses

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import own_models
from tff_lg.run_folder import run_files, run_settings

_SIZES = {'num_train': [5, 6], 'num_validation': [1, 1], 'num_test': [2, 2]}


class OwnModelsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = self.create_tempdir().full_path
    self.clients = pd.DataFrame({'client_id': ['a', 'b'], **_SIZES})
    self.config = config_lib.TrainConfig(task='chars', lstm_units=(4,))
    for folder, hparams in (
      ('run', dataclasses.asdict(self.config)),
      ('adapted', {'epochs': 3, 'source': dataclasses.asdict(self.config)}),
    ):
      run_settings.claim_hparams(f'{self.root}/{folder}', hparams)
    own = self.clients.assign(**{'local_test/accuracy': [0.25, 0.5]})
    run_files.write_tables(f'{self.root}/run/baselines/local_only', {}, own)
    hparams = dataclasses.asdict(dataclasses.replace(self.config, method='local_only'))
    run_settings.claim_hparams(f'{self.root}/method', hparams)
    run_files.write_tables(f'{self.root}/method', {}, own)
    renamed = self.clients.assign(
      **{
        'local_only/local_test/accuracy': [0.25, 0.5],
        'local_only/validation/accuracy': [0.0, 1.0],
        'federated/local_test/accuracy': [0.0, 0.0],
      }
    )
    run_files.write_tables(f'{self.root}/adapted', {}, renamed)

  def _load(self, run, clients):
    return own_models.load_own_models(f'{self.root}/{run}', clients, self.config.input_options)

  def test_of_a_baseline_and_of_an_adaptation_run(self):
    for run in ('run', 'adapted', 'method'):
      found = self._load(run, self.clients[::-1])
      self.assertEqual(list(found['client_id']), ['b', 'a'])
      self.assertEqual(list(found['local_test/accuracy']), [0.5, 0.25])
      self.assertNotIn('federated/local_test/accuracy', found)

  def test_of_an_adaptation_run_that_predicts_numbers(self):
    run_settings.claim_hparams(f'{self.root}/numbers', {'epochs': 3})
    columns = {'local_only/validation/mae': [0.5, 1.0], 'local_only/local_test/mae': [0.25, 2.0]}
    run_files.write_tables(f'{self.root}/numbers', {}, self.clients.assign(**columns))
    found = own_models.find_own_models(f'{self.root}/numbers', self.clients)
    self.assertEqual(list(found['local_test/mae']), [0.25, 2.0])

  def test_clients_that_the_run_does_not_have(self):
    clients = pd.concat([self.clients, self.clients.tail(1).assign(client_id='c')])
    found = self._load('run', clients)
    np.testing.assert_array_equal(found['local_test/accuracy'], [0.25, 0.5, np.nan])

  def test_a_run_without_such_models(self):
    run_settings.claim_hparams(f'{self.root}/alone', {'method': 'fedavg'})
    run_files.write_tables(f'{self.root}/alone', {}, self.clients)
    for run in ('alone', 'nowhere'):
      self.assertIsNone(own_models.find_own_models(f'{self.root}/{run}', self.clients))
      with self.assertRaisesRegex(ValueError, f'{run} has no own local models, expected'):
        self._load(run, self.clients)

  def test_other_clients_are_refused(self):
    for others in (self.clients.assign(client_id=['x', 'y']), self.clients.assign(num_test=3)):
      with self.assertRaisesRegex(ValueError, 'models of other clients'):
        self._load('run', others)

  def test_other_data_are_refused(self):
    for changes, sentence in (
      ({'seed': 1}, 'seed is 0, expected 1'),
      ({'vocabulary_file': 'words.txt'}, 'vocabulary_file is None, expected words.txt'),
      ({'lstm_units': (8,)}, r'lstm_units is \[4\], expected \[8\]'),
    ):
      config = dataclasses.replace(self.config, **changes)
      for run in ('run', 'adapted'):
        with self.assertRaisesRegex(ValueError, f'{run} has other data or .*: {sentence}'):
          own_models.load_own_models(f'{self.root}/{run}', self.clients, config.input_options)


if __name__ == '__main__':
  absltest.main()
