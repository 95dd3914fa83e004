"""Tests that the folder of an adaptation run is read, and that a damaged one is refused."""

import json
import math
import os

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests.analysis import adaptation_testing as testing
from tff_lg.analysis import adaptation_folder, synthetic_adaptation
from tff_lg.analysis.adaptation_folder import AdaptationFolder
from tff_lg.analysis.readers import RunFolderError


class LoadTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.path = self.create_tempdir().full_path
    synthetic_adaptation.write_synthetic_adaptation_folder(self.path, num_clients=20)

  def test_everything(self):
    run = AdaptationFolder.load(self.path)
    self.assertEqual(run.adaptations, ('fine_tune', 'freeze_base', 'ewc', 'distillation'))
    self.assertEqual(run.source['aggregator'], 'median')
    self.assertEqual(run.summary['num_clients'], 20)
    self.assertTrue(run.is_synthetic)
    self.assertFalse(run.chosen_on_test_data)
    self.assertContainsSubset(run.best_names, ('federated', *run.adaptations))
    self.assertEqual(run.values('fine_tune/is_finite').tolist(), [1.0] * 20)

  def test_needed_files(self):
    for name in ('clients.parquet', 'summary.json', 'hparams.json'):
      os.remove(os.path.join(self.path, name))
      with self.assertRaisesRegex(RunFolderError, f'^{os.path.join(self.path, name)}: .*missing'):
        AdaptationFolder.load(self.path)

  def test_run_of_an_earlier_version_has_no_validation_curves(self):
    self.assertEqual(AdaptationFolder.load(self.path).validation_curves['epoch'].max(), 20)
    os.remove(os.path.join(self.path, 'validation_curves.csv'))
    self.assertIsNone(AdaptationFolder.load(self.path).validation_curves)

  def test_folder_of_another_run(self):
    path = os.path.join(self.path, 'hparams.json')
    for hparams in ({'method': 'fedavg'}, {'adaptation': ['ewc'], 'source': 'runs/x'}):
      with open(path, 'w', encoding='utf-8') as file:
        json.dump(hparams, file)
      with self.assertRaisesRegex(RunFolderError, 'expected the folder of an adaptation run'):
        AdaptationFolder.load(self.path)

  def test_needed_columns(self):
    path = os.path.join(self.path, 'clients.parquet')
    table = pd.read_parquet(path)
    for name in ('best/name', 'federated/local_test/accuracy', 'ewc/local_test/accuracy'):
      table.drop(columns=name).to_parquet(path)
      with self.assertRaisesRegex(RunFolderError, f'{path}: there is no column {name}'):
        AdaptationFolder.load(self.path)

  def test_no_folder(self):
    with self.assertRaisesRegex(RunFolderError, '^nowhere: there is no such run folder.$'):
      AdaptationFolder.load('nowhere')


class MetricTest(absltest.TestCase):
  def test_participant_accuracy_if_every_model_has_it(self):
    clients = testing.make_clients(participant=True)
    self.assertEqual(testing.make_run(clients=clients).metric, 'participant_test/accuracy')
    for model in testing.ACCURACY:
      less = clients.assign(**{f'{model}/participant_test/accuracy': math.nan})
      self.assertEqual(testing.make_run(clients=less).metric, 'local_test/accuracy')

  def test_own_models_that_there_are_not_do_not_count(self):
    clients = testing.without_own(testing.make_clients(participant=True))
    self.assertEqual(testing.make_run(clients=clients).metric, 'participant_test/accuracy')


class GroupsTest(absltest.TestCase):
  def _groups(self, held_out):
    clients = testing.make_clients().assign(is_held_out=held_out)
    groups = testing.make_run(clients=clients).groups()
    return {name: chosen.tolist() for name, chosen in groups.items()}

  def test_groups(self):
    trained, held_out = adaptation_folder.TRAINED, adaptation_folder.HELD_OUT
    self.assertEqual(self._groups([0.0, 1.0]), {trained: [True, False], held_out: [False, True]})
    self.assertEqual(self._groups([1.0, 1.0]), {held_out: [True, True]})
    self.assertEqual(list(testing.make_run().groups()), [trained])

  def test_malicious_clients_are_in_no_group(self):
    run = testing.make_run(clients=testing.make_clients().assign(is_malicious=[1.0, 0.0]))
    (chosen,) = run.groups().values()
    self.assertEqual(chosen.tolist(), [False, True])


class CompareModelsTest(absltest.TestCase):
  def _compare(self, clients):
    run = testing.make_run(clients=clients)
    return run.compare_models('local_test/accuracy', testing.all_clients(run))

  def test_side_by_side(self):
    compared = self._compare(testing.make_clients())
    self.assertEqual(list(compared.accuracy), ['federated', 'fine_tune', 'best'])
    self.assertEqual(compared.own.tolist(), [0.8, 0.7])
    self.assertEqual(compared.num_left_out, 0)

  def test_only_clients_that_have_everything(self):
    for model in testing.ACCURACY:
      clients = testing.make_clients()
      clients.loc['a', f'{model}/local_test/accuracy'] = np.nan
      compared = self._compare(clients)
      self.assertEqual(compared.accuracy.index.tolist(), ['b'])
      self.assertEqual(compared.num_left_out, 1)

  def test_no_own_models(self):
    compared = self._compare(testing.without_own(testing.make_clients()))
    self.assertIsNone(compared.own)
    self.assertLen(compared.accuracy, 2)

  def test_some_clients(self):
    run = testing.make_run()
    chosen = pd.Series([False, True], index=run.clients.index)
    compared = run.compare_models('local_test/accuracy', chosen)
    self.assertEqual(compared.accuracy['federated'].tolist(), [0.5])
    self.assertEqual(compared.num_left_out, 0)


if __name__ == '__main__':
  absltest.main()
