"""Tests of the opponent: the best own model of each client, in a run folder."""

import dataclasses
import json
import os
import time
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import data, own_models, simulation, verdicts
from tff_lg.inputs import tasks
from tff_lg.own_models import networks, opponent, simple
from tff_lg.run_folder import run_files, run_settings

_CONFIG = config_lib.resolve(
  config_lib.TrainConfig(
    method='local_only',
    num_clients=8,
    local_only_epochs=4,
    local_only_learning_rate=(0.1,),
    score_on_others=True,
  )
)

_TESTS = ('local_test/accuracy', 'participant_test/accuracy', 'others_test/accuracy')


def setUpModule():
  simulation.set_execution_context()


class OpponentTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = cls.create_tempdir(cls()).full_path + '/run'
    began = time.monotonic() - 1000.0
    cls.summary = simulation.run_experiment(_CONFIG, cls.folder, began)
    _, cls.table = run_files.load_results(cls.folder)

  def test_seconds_count_from_the_start_of_the_command(self):
    with open(f'{self.folder}/timing.json', encoding='utf-8') as file:
      self.assertGreater(json.load(file)['seconds'], 1000.0)

  def test_each_client_has_the_scores_of_its_kind(self):
    for metric in ('validation/loss', *_TESTS):
      of_kind = [self.table[f'{metric}/{kind}'] for kind in ('network', 'linear')]
      expected = np.where(self.table['own_model'] == 'network', *of_kind)
      np.testing.assert_array_equal(self.table[metric], expected)
    counts = self.table['own_model'].value_counts()
    for kind in ('network', 'linear'):
      self.assertEqual(self.summary[f'own_models/{kind}/num_clients'], counts.get(kind, 0))

  def test_simple_models_on_the_data_of_others(self):
    federated_data = tasks.load_data(_CONFIG.input_options)
    value = self.summary['own_models/linear/C']
    model = own_models.refit('linear', value, _CONFIG.selection_options, federated_data, 3)
    others = data.concatenate([of.test for n, of in enumerate(federated_data.clients) if n != 3])
    x = (others.x.reshape(len(others), -1) - model.mean) / model.scale
    predicted = (x @ model.kernel + model.bias).argmax(axis=1)
    found = self.table['others_test/accuracy/linear'][3]
    self.assertEqual(found, np.mean(predicted == others.y))

  def test_marks_say_which_test_examples_are_right(self):
    shares = [verdicts.from_marks(marks).mean() for marks in self.table[verdicts.MARKS]]
    np.testing.assert_allclose(shares, self.table['local_test/accuracy'], 1e-6)

  def test_summary(self):
    summary = self.summary
    self.assertEqual(summary['own_models/budget'], 'best')
    self.assertEqual(summary['own_models/network/learning_rate'], 0.1)
    self.assertEqual(summary['own_models/epochs/most'], 4)
    self.assertEqual(summary['communication/bytes_total'], 0)
    self.assertEqual(
      summary['own_models/epochs/median_over_clients'], self.table['epochs'].median()
    )
    for metric in _TESTS:
      self.assertAlmostEqual(summary[f'{metric}/mean_over_clients'], self.table[metric].mean())
    num_test = self.table['num_test']
    pooled = (self.table['local_test/accuracy'] * num_test).sum() / num_test.sum()
    self.assertAlmostEqual(summary['pooled_test/accuracy'], pooled)

  def test_folder(self):
    self.assertFalse(os.path.exists(f'{self.folder}/parts'))
    for_people = self.table.drop(columns=verdicts.MARKS)
    pd.testing.assert_frame_equal(
      pd.read_csv(f'{self.folder}/clients.csv'), for_people, check_dtype=False
    )
    self.assertEmpty(pd.read_csv(f'{self.folder}/metrics.csv'))

  def test_cohorts_make_no_difference(self):
    config = dataclasses.replace(_CONFIG, clients_per_round=3, rounds=1)
    folder = self.create_tempdir().full_path + '/run'
    simulation.run_experiment(config, folder)
    pd.testing.assert_frame_equal(run_files.load_results(folder)[1], self.table)

  def test_a_killed_run_resumes_to_the_same_table(self):
    folder = self.create_tempdir().full_path + '/run'
    for module, name in ((networks, 'train_networks'), (simple, 'fit_simple_models')):
      with mock.patch.object(module, name, side_effect=KeyboardInterrupt):
        with self.assertRaises(KeyboardInterrupt):
          simulation.run_experiment(_CONFIG, folder)
      self.assertFalse(run_settings.is_complete(folder))
    simulation.run_experiment(_CONFIG, folder)
    pd.testing.assert_frame_equal(run_files.load_results(folder)[1], self.table)

  def test_one_kind_alone(self):
    config = dataclasses.replace(_CONFIG, own_models=('linear',))
    folder = self.create_tempdir().full_path + '/run'
    summary = simulation.run_experiment(config, folder)
    self.assertNotIn('own_models/network/num_clients', summary)
    table = run_files.load_results(folder)[1]
    np.testing.assert_array_equal(
      table['local_test/accuracy'], self.table['local_test/accuracy/linear']
    )

  def test_simple_models_of_tokens_are_refused(self):
    config = config_lib.resolve(
      config_lib.TrainConfig(task='chars', method='local_only', own_models=('linear',))
    )
    data = tasks.load_data(config.input_options)
    with self.assertRaisesRegex(ValueError, '--own_models has linear, which does not fit'):
      opponent.choose_kinds(config.local_learning_options, data)
    config = dataclasses.replace(config, own_models=None)
    self.assertEqual(opponent.choose_kinds(config.local_learning_options, data), ('network',))

  def test_few_validation_examples_go_with_the_mean_over_clients(self):
    # 30 prior examples: (n * own + 30 * pooled) / (n + 30).
    table = pd.DataFrame({'num_validation': [90, 2, 0]})
    found = {
      'network': {'validation/accuracy': [0.9, 1.0, np.nan], 'validation/loss': [1.0] * 3},
      'linear': {'validation/accuracy': [0.8, 0.5, np.nan], 'validation/loss': [1.0] * 3},
    }
    found = {name: pd.DataFrame(of) for name, of in found.items()}
    settled = {'accuracy': np.array([0.6, 1.0, np.nan])}
    opponent._choose(table, _CONFIG.selection_options, found, settled)
    # Pooled: network 56 / 92, linear 73 / 92; settled metrics of networks count.
    self.assertEqual(list(table['own_model']), ['linear', 'linear', 'linear'])
    np.testing.assert_array_equal(table['validation/accuracy'], [0.8, 0.5, np.nan])
    opponent._choose(table, _CONFIG.selection_options, found, {})
    self.assertEqual(list(table['own_model']), ['network'] * 3)
    # Nobody has validation data: the first kind counts.
    table = pd.DataFrame({'num_validation': [0, 0, 0]})
    opponent._choose(table, _CONFIG.selection_options, found, {})
    self.assertEqual(list(table['own_model']), ['network'] * 3)


class ParticipationTest(absltest.TestCase):
  def test_epochs_are_rounds_in_which_the_client_was_sampled(self):
    config = dataclasses.replace(_CONFIG, clients_per_round=8)
    clients = pd.DataFrame({'best_round': [3, 1, 3, 2, 2, 2, 2, 2]})
    with self.assertLogs(level='WARNING') as logs:
      summary = own_models.add_participation(clients, config.sampling_options, 3, 2)
    self.assertEqual(list(clients['epochs']), [6] * 8)
    self.assertEqual(
      summary,
      {
        'own_models/budget': 'cohort',
        'own_models/epochs/median_over_clients': 6,
        'own_models/still_improving/num_clients': 2,
      },
    )
    self.assertIn('2 of 8 own models had fewer than 20 epochs', logs.output[0])


if __name__ == '__main__':
  absltest.main()
