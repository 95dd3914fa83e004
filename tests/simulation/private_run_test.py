"""Tests of whole runs with privacy, robust rules, attackers and dropouts."""

import functools
import json
import os
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tests import reading
from tests.simulation import running
from tff_lg import config as config_lib
from tff_lg import simulation
from tff_lg.training import releases

_CONFIG = config_lib.TrainConfig(
  task='digits',
  method='fedavg',
  baselines=(),
  partition='iid',
  num_clients=10,
  clients_per_round=5,
  rounds=4,
  evaluate_every=2,
  checkpoint_every=2,
)
_run = functools.partial(running.run, _CONFIG)


def setUpModule():
  running.set_up_module()


class PrivateRunTest(parameterized.TestCase):
  @parameterized.parameters(
    {'noise_multiplier': 0.4, 'dp_clipping': 'adaptive'},
    {'noise_multiplier': 2.0, 'dp_mechanism': 'tree'},
    {'noise_multiplier': 2.0, 'dp_mechanism': 'banded', 'clients_per_round': 3},
  )
  def test_stopped_run_resumes_with_its_noise_and_its_budget(self, **options):
    options = {'aggregator': 'dp_mean', 'client_dropout_rate': 0.2, **options}
    folder = self.create_tempdir().full_path
    whole = _run(folder + '/whole', **options)

    # Stopped in round 4, after the checkpoint of round 2.
    release = releases.MetricsReleaser.release

    def stop(releaser, round_num, *rest):
      if round_num == 4:
        raise KeyboardInterrupt
      release(releaser, round_num, *rest)

    with mock.patch.object(releases.MetricsReleaser, 'release', stop):
      with self.assertRaises(KeyboardInterrupt):
        _run(folder + '/stopped', **options)
    again = _run(folder + '/stopped', **options)
    self.assertEqual(again, whole)
    for name in ('metrics.csv', 'clients.parquet'):
      self.assertEqual(
        reading.read(folder, 'stopped', name), reading.read(folder, 'whole', name), name
      )
    spent = pd.read_csv(folder + '/stopped/metrics.csv')['privacy/epsilon'].to_numpy()
    self.assertEqual(spent[-1], whole['privacy/epsilon'])
    self.assertTrue((np.diff(spent) >= 0).all(), spent)
    self.assertGreater(spent[0], 0)

  @parameterized.parameters('dp_mean', 'median', 'norm_bounded_mean')
  def test_rounds_of_nobody(self, aggregator):
    folder = self.create_tempdir().full_path
    options = {'noise_multiplier': 1.0, 'clip_norm': 1e-3} if aggregator == 'dp_mean' else {}
    _run(
      folder,
      aggregator=aggregator,
      cohort_sampling='poisson',
      clients_per_round=1,
      client_dropout_rate=0.4,
      **options,
    )
    metrics = pd.read_csv(folder + '/metrics.csv')
    self.assertIn(0, metrics['train/num_clients'].tolist())
    self.assertTrue(np.isfinite(metrics['validation/loss/mean_over_clients'].dropna()).all())

  def test_everyone_drops_out_of_a_secure_mean(self):
    folder = self.create_tempdir().full_path
    _run(folder, aggregator='secure_mean', clients_per_round=1, client_dropout_rate=0.7)
    metrics = pd.read_csv(folder + '/metrics.csv')
    self.assertIn(0, metrics['train/num_clients'].tolist())
    self.assertTrue(np.isfinite(metrics['validation/loss/mean_over_clients'].dropna()).all())

  def test_phases_share_a_budget_and_no_noise(self):
    folder = self.create_tempdir().full_path
    options = {'method': 'fedprox', 'warm_start_rounds': 2, 'rounds': 2}
    summary = _run(folder, aggregator='dp_mean', noise_multiplier=1.0, **options)
    spent = pd.read_csv(folder + '/metrics.csv')['privacy/epsilon']
    self.assertLen(spent, 4)
    self.assertTrue((np.diff(spent) > 0).all())
    self.assertEqual(spent.iloc[-1], summary['privacy/epsilon'])

  def test_summary_says_what_was_spent(self):
    folder = self.create_tempdir().full_path
    with self.assertLogs(level='WARNING') as logs:
      summary = _run(folder, aggregator='dp_mean', dp_sigma=0.001, rounds=1)
    self.assertIn('this protects nobody', logs.output[0])
    self.assertAlmostEqual(summary['privacy/noise_multiplier'], 0.001 * 5 / 1)
    self.assertAlmostEqual(summary['privacy/delta'], 10**-1.1)
    self.assertEqual(summary['privacy/clip_norm'], 1.0)
    self.assertStartsWith(summary['privacy/accountant'], 'RDP')
    self.assertEqual(json.loads(reading.read(folder, 'summary.json')), summary)

  def test_vocabulary_of_private_text_is_said_in_log_and_summary(self):
    folder = self.create_tempdir().full_path
    small = {'sequence_length': 8, 'embedding_units': 4, 'lstm_units': (4,)}
    text = {'task': 'text', 'partition': None, 'num_clients': None, **small}
    with self.assertLogs(level='WARNING') as logs:
      summary = _run(folder, aggregator='dp_mean', noise_multiplier=1.0, rounds=1, **text)
    sentence = summary['privacy/warning/vocabulary']
    self.assertIn('The vocabulary, which sets the size of the network', sentence)
    self.assertTrue(any(sentence in line for line in logs.output))
    self.assertNotIn('privacy/not_covered/best_round', summary)


class AttackedRunTest(absltest.TestCase):
  def test_who_attacks_and_what_comes_of_it(self):
    folder = self.create_tempdir().full_path
    summary = _run(folder, attack='backdoor', malicious_share=0.3, rounds=2)
    clients = pd.read_parquet(folder + '/clients.parquet')
    self.assertEqual(clients['is_malicious'].sum(), 3)
    self.assertEqual((summary['attack/name'], summary['attack/malicious_share']), ('backdoor', 0.3))
    self.assertEqual(summary['attack/strength'], 5)
    honest = clients['local_test/accuracy'][~clients['is_malicious']].mean()
    self.assertAlmostEqual(summary['honest/local_test/accuracy/mean_over_clients'], honest)
    self.assertBetween(summary['backdoor/success'], 0, 1)

  def test_attackers_change_only_what_they_train_on(self):
    folder = self.create_tempdir().full_path
    _run(folder + '/honest', rounds=1)
    _run(folder + '/attacked', rounds=1, attack='label_flip', malicious_share=0.5)
    counts = [reading.read(folder, name, 'label_counts.csv') for name in ('honest', 'attacked')]
    self.assertEqual(*counts)
    losses = [
      pd.read_csv(os.path.join(folder, name, 'metrics.csv'))['train/loss'][0]
      for name in ('honest', 'attacked')
    ]
    self.assertNotEqual(*losses)

  def test_no_attacker_is_the_run_without_attack(self):
    folder = self.create_tempdir().full_path
    plain = _run(folder + '/plain', rounds=2)
    with self.assertRaisesRegex(ValueError, '--malicious_share is 0.99: all .* clients would be'):
      _run(folder + '/all', rounds=2, attack='sign_flip', malicious_share=0.99)
    nobody = _run(folder + '/nobody', rounds=2, attack='sign_flip', malicious_share=0.0)
    for name, value in plain.items():
      self.assertEqual(nobody[name], value, name)

  def test_median_survives_what_breaks_the_mean(self):
    folder = self.create_tempdir().full_path
    options = {'attack': 'sign_flip', 'attack_strength': 6.0, 'malicious_share': 0.2}
    options |= {'clients_per_round': 10, 'rounds': 8, 'evaluate_every': 8}
    name = 'honest/local_test/accuracy/mean_over_clients'
    broken = _run(folder + '/mean', **options)[name]
    saved = _run(folder + '/median', aggregator='median', **options)[name]
    self.assertGreater(saved, broken + 0.3)

  def test_run_in_which_nobody_takes_part_is_an_error(self):
    folder = self.create_tempdir().full_path
    with self.assertRaisesRegex(simulation.RunError, 'No client took part in any of the 2 rounds'):
      _run(folder, clients_per_round=1, rounds=2, client_dropout_rate=0.999)
    self.assertFalse(os.path.exists(folder + '/summary.json'))

  def test_void_rounds_are_in_the_summary(self):
    options = {'attack': 'sign_flip', 'attack_strength': 1e38, 'clients_per_round': 10}
    summary = _run(self.create_tempdir().full_path, rounds=2, **options)
    self.assertEqual(summary['train/num_void_rounds'], 2)
    self.assertNotIn('train/warning', summary)

  def test_ruined_model_is_in_the_summary(self):
    options = {'attack': 'sign_flip', 'attack_strength': 1e20, 'clients_per_round': 10}
    summary = _run(self.create_tempdir().full_path, rounds=1, **options)
    self.assertIn('The model may be ruined since round 1: client', summary['train/warning'])

  def test_dropouts_send_nothing(self):
    folder = self.create_tempdir().full_path
    _run(folder, client_dropout_rate=0.5)
    traffic = pd.read_csv(folder + '/communication.csv')
    down, up = traffic['parameters_down'], traffic['parameters_up']
    self.assertLess(up.sum(), down.sum())
    num_clients = pd.read_csv(folder + '/metrics.csv')['train/num_clients']
    np.testing.assert_array_equal(up, num_clients * down / 5)


if __name__ == '__main__':
  absltest.main()
