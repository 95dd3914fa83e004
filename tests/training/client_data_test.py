"""Tests of runs whose clients are read when needed: the same bits, and no client for nothing."""

import os
from unittest import mock

import numpy as np
import pandas as pd
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import analysis, data, learning, simulation, training
from tff_lg import config as config_lib
from tff_lg.client_states import client_store
from tff_lg.data import arrays
from tff_lg.run_folder import data_fingerprint
from tff_lg.simulation import loop_values
from tff_lg.training import client_data, cohorts, evaluation, storage

_NUM_CLIENTS = 8


def setUpModule():
  simulation.set_execution_context()
  # A network 4-5-3 with a global output layer: one process for all tests.
  global _PROCESS
  model = testing.classifier().with_global_layers(('output',))
  _PROCESS = learning.build_local_global_process(
    model, testing.settings(0.1, learning.TensorBatches(3))
  )


def _config(folder='d', **changes):
  options = {
    'task': 'client_files',
    'data_dir': folder,
    'num_classes': 3,
    'clients_per_round': 2,
    'rounds': 3,
    'evaluate_every': 3,
    'checkpoint_every': 1,
    'baselines': (),
  }
  return config_lib.resolve(config_lib.TrainConfig(**{**options, **changes}))


def _sampler():
  return training.CohortSampler(_NUM_CLIENTS, **config_lib.cohort_options(_config()))


def _write_clients(folder):
  rng = np.random.default_rng(1)
  for number in range(_NUM_CLIENTS):
    size = 10 + number
    x, y = rng.normal(size=(size, 4)).astype(np.float32), rng.integers(0, 3, size)
    np.savez(os.path.join(folder, f'c{number}.npz'), x=x, y=y)


def _in_memory(federated_data):
  """Returns the same clients, all of them read now."""
  clients = tuple(
    data.ClientExamples(client.client_id, client.train, client.validation, client.test)
    for client in federated_data.clients
  )
  return data.FederatedData(clients, federated_data.test, 3, ('0', '1', '2'))


def _leaves(state):
  everything = (
    state.server_state,
    state.clients.get(range(_NUM_CLIENTS)),
    [(weights, states) for _, weights, states in state.selection.groups()],
  )
  return [np.asarray(leaf) for leaf in tf.nest.flatten(everything)]


class RunOfUnreadClientsTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.data_dir = self.create_tempdir().full_path
    _write_clients(self.data_dir)

  def _load(self, cache_size=1000):
    return data.load_client_folder(self.data_dir, 3, cache_size=cache_size)

  def _run(self, federated_data, name='run', **changes):
    folder = os.path.join(self.create_tempdir().full_path, name)
    config = _config(**changes)
    phase = training.Phase('lg_fedavg', _PROCESS, config.rounds)
    clients = training.to_clients(federated_data)
    values = loop_values.loop_values(config, _NUM_CLIENTS, folder)
    state = training.run([phase], clients, **values)
    metrics = pd.read_csv(os.path.join(folder, 'metrics.csv'))
    return clients, values['evaluation'].clients, state, metrics

  def test_same_bits_as_in_memory_with_and_without_reading_ahead(self):
    clients, _, state, metrics = self._run(_in_memory(self._load()))
    self.assertIsInstance(clients.parts['train'], list)
    for cache_size in (0, 1, 1000):
      # Two clients at a time are evaluated.
      with mock.patch.object(client_store, 'CLIENTS_AT_A_TIME', 2):
        _, _, other, other_metrics = self._run(self._load(cache_size))
      for a, b in zip(_leaves(state), _leaves(other), strict=True):
        np.testing.assert_array_equal(a, b)
      np.testing.assert_array_equal(state.selection.best_round, other.selection.best_round)
      pd.testing.assert_frame_equal(metrics, other_metrics)

  def test_only_sampled_and_evaluated_clients_are_read(self):
    opened = []

    def read(path):
      opened.append(path.stem)
      return original(path)

    original = arrays.read_npz
    with mock.patch.object(arrays, 'read_npz', read):
      _, evaluated, _, _ = self._run(self._load(), max_evaluated_clients=1, rounds=2)
    draw = _sampler()
    wanted = {*draw(0).clients, *draw(1).clients, *evaluated.tolist()}
    self.assertLess(len(wanted), _NUM_CLIENTS)
    self.assertCountEqual(opened, [f'c{number}' for number in wanted])

  def test_a_sample_is_evaluated_and_chosen_by(self):
    federated_data = _in_memory(self._load())
    _, everybody, _, _ = self._run(federated_data, evaluate_every=1)
    clients, evaluated, state, metrics = self._run(
      federated_data, evaluate_every=1, max_evaluated_clients=3
    )
    self.assertIsNone(everybody)
    self.assertLen(set(evaluated), 3)
    np.testing.assert_array_equal(evaluated, cohorts.draw_evaluated(_NUM_CLIENTS, 3, 0))
    self.assertEqual(metrics['evaluated/num_clients'].tolist(), [3, 3, 3])
    others = np.setdiff1d(np.arange(_NUM_CLIENTS), evaluated)
    # Nobody can judge the others' models: they keep the newest.
    np.testing.assert_array_equal(state.selection.best_round[others], 3)
    values = evaluation.evaluate_clients(
      _PROCESS,
      state.server_state,
      state.clients.get(evaluated.tolist()),
      client_data.take(clients.parts['test'], evaluated),
    )
    mean = metrics['local_test/accuracy/mean_over_clients'].iloc[-1]
    self.assertAlmostEqual(mean, values['accuracy'].mean())
    sizes = np.array([federated_data.clients[client].size('test') for client in evaluated])
    pooled = metrics['local_test/accuracy/pooled'].iloc[-1]
    self.assertAlmostEqual(pooled, (values['accuracy'] * sizes).sum() / sizes.sum())

  def test_an_error_while_reading_ahead_stops_the_round_that_needs_the_client(self):
    draw = _sampler()
    (broken, *_) = set(draw(1).clients) - set(draw(0).clients)
    federated_data = self._load()
    path = os.path.join(self.data_dir, f'c{broken}.npz')
    os.truncate(path, 100)
    folder = os.path.join(self.create_tempdir().full_path, 'run')
    phases = [training.Phase('lg_fedavg', _PROCESS, 3)]
    values = loop_values.loop_values(_config(), _NUM_CLIENTS, folder)
    with self.assertRaisesRegex(data.DataError, f'c{broken}.npz: cannot be read as an npz file'):
      training.run(phases, training.to_clients(federated_data), **values)
    restored = storage.RunStorage(phases, _NUM_CLIENTS, folder).restore()
    self.assertEqual(restored.state.round_num, 1)

  def test_a_run_resumes_with_the_clients_that_it_began_with(self):
    folder = self.create_tempdir().full_path
    data_fingerprint.write_fingerprint(folder, self._load())
    data_fingerprint.check_data(folder, self._load())
    path = os.path.join(self.data_dir, 'c3.npz')
    os.rename(path, os.path.join(self.data_dir, 'c3b.npz'))
    with self.assertRaisesRegex(ValueError, "began with: the clients' ids or sizes differ"):
      data_fingerprint.check_data(folder, self._load())

  def test_a_run_from_the_folder_to_the_report(self):
    run_dir = os.path.join(self.create_tempdir().full_path, 'run')
    config = _config(
      self.data_dir,
      rounds=1,
      evaluate_every=1,
      max_evaluated_clients=3,
      baselines=('local_only',),
      held_out_clients=2,
    )
    summary = simulation.run_experiment(config, run_dir)
    self.assertEqual(summary['evaluated/num_clients'], 3)
    self.assertNotIn('new_test/accuracy/weight_average', summary)
    table = pd.read_parquet(os.path.join(run_dir, 'clients.parquet'))
    self.assertLen(table, _NUM_CLIENTS - 2)
    self.assertNotIn('num_classes', table)
    self.assertEqual(table['is_evaluated'].sum(), 3)
    accuracy = table['local_test/accuracy']
    np.testing.assert_array_equal(accuracy.notna(), table['is_evaluated'])
    self.assertAlmostEqual(summary['local_test/accuracy/mean_over_clients'], accuracy.mean())
    sizes = table['num_test'][table['is_evaluated']]
    self.assertAlmostEqual(
      summary['pooled_test/accuracy'], (accuracy * sizes).sum() / sizes.sum(), places=6
    )
    held_out = pd.read_parquet(os.path.join(run_dir, 'held_out_clients.parquet'))
    self.assertEqual(held_out['local_test/accuracy'].notna().sum(), 2)
    with open(analysis.write_report(run_dir), encoding='utf-8') as file:
      self.assertIn('3 of 6', file.read())


if __name__ == '__main__':
  absltest.main()
