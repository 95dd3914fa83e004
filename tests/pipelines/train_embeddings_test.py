"""Tests of whole runs on embeddings: the four networks, what they send, and their scores."""

import json
import os

import pandas as pd
from absl.testing import absltest, parameterized

from pipelines import train
from tests.simulation import running, testing
from tff_lg import simulation

_NUM_CLIENTS = 3
# Six features, layers of 4 and 3 units, two classes; a shift is of filters and of gates.
_DENSE = (6 * 4 + 4) + (4 * 3 + 3) + (3 * 2 + 2)
_GATED = 2 * (6 * 4 + 4) + 2 * (4 * 3 + 3) + (3 * 2 + 2)
_SHIFT = 2 * (4 + 3)


def setUpModule():
  running.set_up_module()


class TrainEmbeddingsTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    self.path = testing.random_set().save(os.path.join(self.folder, 'set.npz'))
    self.run_dir = os.path.join(self.folder, 'run')

  def _config(self, *arguments):
    return train.config_from_arguments(
      (
        '--task=embeddings',
        f'--embeddings={self.path}',
        f'--num_clients={_NUM_CLIENTS}',
        '--shuffled_share=1',  # So that each client gets its part of both classes.
        '--validation_fraction=0.2',
        '--hidden_units=4,3',
        '--rounds=2',
        '--evaluate_every=1',
        '--baselines=',
        *arguments,
      )
    )

  @parameterized.parameters(
    ('dense', _DENSE, 0),
    ('gated', _GATED, 0),
    ('cgau_shared', _GATED + _NUM_CLIENTS * _SHIFT, 0),
    ('cgau_local', _GATED, _SHIFT),
  )
  def test_run(self, model, num_sent, num_kept):
    summary = simulation.run_experiment(self._config(f'--model={model}'), self.run_dir)
    with open(f'{self.run_dir}/summary.json', encoding='utf-8') as file:
      self.assertEqual(json.load(file), summary)
    names = [
      'pooled_test/accuracy',
      'pooled_test/auc',
      'local_test/auc/mean_over_clients',
      'local_test/auc/std_over_clients',
      'local_test/loss/mean_over_clients',
      'validation/loss/mean_over_clients',
      'new_test/accuracy/weight_average',
    ]
    unknown = [
      f'unknown_client_test/{start}/{score}'
      for start in ('mean', 'zero')
      for score in ('accuracy', 'auc')
    ]
    self.assertEqual(set(unknown) <= summary.keys(), model.startswith('cgau'))
    self.assertEqual(bool(set(unknown) & summary.keys()), model.startswith('cgau'))
    for name in names + (unknown if model.startswith('cgau') else []):
      self.assertIsInstance(summary[name], float, name)
      if not name.endswith(('loss/mean_over_clients', 'std_over_clients')):
        self.assertBetween(summary[name], 0, 1, name)

    # All clients in both rounds; what a client keeps, its shifts, is never sent.
    sent = pd.read_csv(f'{self.run_dir}/communication.csv')
    for way in ('down', 'up'):
      self.assertEqual(list(sent[f'parameters_{way}']), [_NUM_CLIENTS * num_sent] * 2)
    self.assertEqual(summary['communication/parameters_total'], 2 * 2 * _NUM_CLIENTS * num_sent)
    with open(f'{self.run_dir}/model_split.txt', encoding='utf-8') as file:
      split = file.read()
    local = [line.split() for line in split.splitlines() if ' local ' in line and '/' in line]
    self.assertTrue(all(name.startswith('shift_') for name, *_ in local), split)
    self.assertEqual(len(local), 4 if num_kept else 0)

    clients = pd.read_parquet(f'{self.run_dir}/clients.parquet')
    self.assertLen(clients, _NUM_CLIENTS)
    self.assertLen(set(clients['best_round']), 1)
    self.assertIn('local_test/auc', clients)

  def test_clients_file_and_local_learning(self):
    embedded = testing.random_set()
    # Client 1 has no examples at all.
    clients = [0 if row % 4 < 2 else 2 for row in range(len(embedded))]
    path = testing.save_clients(self.folder, embedded, clients, num_clients=3)
    config = train.config_from_arguments(
      (
        '--task=embeddings',
        f'--embeddings={self.path}',
        f'--clients={path}',
        '--model=cgau_local',
        '--hidden_units=3',
        '--rounds=1',
        '--client_steps=1',
      )
    )
    summary = simulation.run_experiment(config, self.run_dir)
    self.assertIn('local_only/pooled_test/auc', summary)
    self.assertIn('unknown_client_test/mean/auc', summary)
    # A new client without shifts is no notion of local learning.
    self.assertNotIn('local_only/unknown_client_test/mean/auc', summary)
    table = pd.read_parquet(f'{self.run_dir}/clients.parquet')
    self.assertEqual(list(table['client_id']), ['client_000', 'client_002'])
    # One step of ten examples at each of two clients.
    rounds = pd.read_csv(f'{self.run_dir}/metrics.csv')
    self.assertEqual(list(rounds['train/num_examples']), [20])

  @parameterized.parameters(
    ('--embeddings=nowhere.npz', 'nowhere.npz: no such file'),
    ('--global_layers=top', 'gated_1, gated_2, output'),
  )
  def test_refused_before_anything_is_written(self, argument, sentence):
    config = self._config('--model=gated', argument)
    with self.assertRaisesRegex(ValueError, sentence):
      simulation.run_experiment(config, self.run_dir)
    self.assertFalse(os.path.exists(self.run_dir))


if __name__ == '__main__':
  absltest.main()
