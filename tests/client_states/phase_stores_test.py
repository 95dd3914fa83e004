"""Tests of runs with the clients' states on disk: the bits of one in memory, also after a stop."""

import dataclasses
import errno
import filecmp
import os
import shutil
from unittest import mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests import processes
from tests.learning import testing
from tests.simulation import running
from tff_lg import checkpoints, data, learning, simulation, training
from tff_lg import config as config_lib
from tff_lg.client_states import client_state_codec, client_state_file, disk_client_store
from tff_lg.experiments import new_device
from tff_lg.simulation import loop_values, trained_run
from tff_lg.training import communication, storage

# What a run has just done when it stops: the call before which it does, and which of these calls.
_STOPS = {
  'states_of_a_round_half_stored': (client_state_codec.StateCodec, 'encode', 8),
  'states_of_a_round_stored': (communication, 'count_round', 5),
  'states_of_a_checkpoint_stored': (checkpoints.CheckpointManager, 'save', 3),
  'checkpoint_written': (disk_client_store.DiskClientStateStore, 'settle', 4),
  'checkpoint_written_for_the_first_time': (disk_client_store.DiskClientStateStore, 'settle', 1),
}


def setUpModule():
  running.set_up_module()


def _federated_data() -> data.FederatedData:
  """Makes six clients of eight examples, 4 numbers each, of 3 classes."""
  rng = np.random.default_rng(3)

  def examples(size):
    x = rng.normal(size=(size, 4)).astype(np.float32)
    return data.Examples(x, rng.integers(0, 3, size).astype(np.int32))

  clients = tuple(
    data.ClientExamples(f'c{k}', examples(8), examples(4), examples(4)) for k in range(6)
  )
  return data.FederatedData(clients, examples(6), 3, ('a', 'b', 'c'))


def _phases() -> list[training.Phase]:
  """Makes two rounds of FedAvg and six of LG-FedAvg; clients keep their optimiser."""
  settings = testing.settings(0.1, learning.TensorBatches(3), reset_client_optimizer=False)
  return [
    training.Phase(
      method,
      learning.build_local_global_process(
        testing.classifier().with_global_layers(layers), settings
      ),
      num_rounds,
    )
    for method, layers, num_rounds in (
      ('fedavg', ('hidden_1', 'output'), 2),
      ('lg_fedavg', ('output',), 6),
    )
  ]


def _run(client_store, phases, folder, **start) -> training.RunState:
  config = config_lib.TrainConfig(
    client_store=client_store,
    num_clients=6,
    clients_per_round=2,
    evaluate_every=2,
    checkpoint_every=2,
  )
  values = loop_values.loop_values(config_lib.resolve(config), 6, folder)
  return training.run(phases, training.to_clients(_federated_data()), **values, **start)


def _before(stop, do):
  """Patches so that `do` is called at a stop."""
  owner, name, number = _STOPS[stop]
  original, calls = getattr(owner, name), []

  def call(*args):
    calls.append(args)
    if len(calls) == number:
      do()
    return original(*args)

  return mock.patch.object(owner, name, call)


def _run_to_death(folder, stop) -> None:
  simulation.set_execution_context()
  with _before(stop, lambda: os._exit(9)):
    _run('disk', _phases(), folder)


class RoundsTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.phases = _phases()
    cls.in_memory = cls._finish('memory', cls.create_tempdir(cls()).full_path)

  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  @classmethod
  def _finish(cls, client_store, folder):
    """Runs to the end; everything that comes out."""
    state = _run(client_store, cls.phases, folder)
    models = [(w, list(states)) for _, w, states in state.selection.groups()]
    tensors = (state.server_state, state.clients.get(range(6)), models, state.selection.best_round)
    files = []
    for name in ('metrics.csv', 'communication.csv'):
      with open(f'{folder}/{name}', encoding='utf-8') as file:
        files.append(file.read())
    state.clients.close()
    return [np.asarray(leaf) for leaf in tf.nest.flatten(tensors)], files

  def _assert_same(self, found):
    np.testing.assert_equal(found, self.in_memory)

  def test_same_as_in_memory(self):
    self._assert_same(self._finish('disk', self.folder))
    # That of the first phase belongs to no checkpoint that is kept.
    self.assertEqual(set(os.listdir(f'{self.folder}/client_states')), {'phase_1'})
    for name in os.listdir(f'{self.folder}/checkpoints'):
      with np.load(f'{self.folder}/checkpoints/{name}') as file:
        of_clients = [n for n in file.files if 'client' in n and 'client_curves' not in n]
        self.assertEqual(of_clients, ['clients/store_id'])

  @parameterized.parameters(*_STOPS)
  def test_resumes_to_the_same_bits(self, stop):
    def interrupt():
      raise KeyboardInterrupt

    with _before(stop, interrupt), self.assertRaises(KeyboardInterrupt):
      self._finish('disk', self.folder)
    self._assert_same(self._finish('disk', self.folder))

  def test_killed_process_resumes_to_the_same_bits(self):
    for stop in ('states_of_a_round_half_stored', 'states_of_a_checkpoint_stored'):
      run = f'phase_stores_test._run_to_death({f"{self.folder}/{stop}"!r}, {stop!r})'
      result = processes.run_code(f'from tests.client_states import phase_stores_test\n{run}')
      self.assertEqual(result.returncode, 9, result.stderr)
      self._assert_same(self._finish('disk', f'{self.folder}/{stop}'))

  def test_resumes_from_the_checkpoint_before(self):
    self._finish('disk', self.folder)
    os.unlink(f'{self.folder}/checkpoints/round_00000008.npz')
    self._assert_same(self._finish('disk', self.folder))

  def test_full_disk_stops_with_a_sentence(self):
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), 'states.sqlite')
    put = mock.patch.object(client_state_file.ClientStateFile, 'put', side_effect=full)
    with (
      _before('states_of_a_round_stored', put.start),
      self.assertRaisesRegex(
        training.RunError,
        f'The disk of {self.folder} is full .*states.sqlite.*The checkpoint of round 4 is kept',
      ),
    ):
      self._finish('disk', self.folder)
    put.stop()
    self._assert_same(self._finish('disk', self.folder))

  def test_missing_store_is_refused(self):
    self._finish('disk', self.folder)
    shutil.rmtree(f'{self.folder}/client_states')
    with self.assertRaisesRegex(simulation.CheckpointError, 'phase_1/states.sqlite: no such file'):
      self._finish('disk', self.folder)

  def test_starts_from_trained_models(self):
    metrics, states = [], []
    for client_store in ('memory', 'disk'):
      folder = f'{self.folder}/{client_store}'
      self._finish(client_store, f'{folder}/first')
      saved = storage.RunStorage(self.phases, 6, f'{folder}/first', client_store)
      last = saved.restore().state
      start = dataclasses.replace(last, round_num=0, phase=0)
      phase = dataclasses.replace(self.phases[1], num_rounds=2)
      state = _run(client_store, [phase], f'{folder}/second', start=start)
      states.append(tf.nest.flatten(state.clients.get(range(7))))
      for store in (last.clients, state.clients):
        store.close()
      with open(f'{folder}/second/metrics.csv', encoding='utf-8') as file:
        metrics.append(file.read())
    self.assertEqual(*metrics)
    np.testing.assert_equal(*states)


class ExperimentTest(absltest.TestCase):
  def test_same_as_in_memory(self):
    root = self.create_tempdir().full_path
    config = config_lib.TrainConfig(
      task='digits',
      partition='dirichlet',
      num_clients=4,
      clients_per_round=2,
      rounds=2,
      warm_start_rounds=1,
      baselines=(),
      evaluate_every=2,
      checkpoint_every=1,
    )
    runs = [f'{root}/{client_store}' for client_store in ('memory', 'disk')]
    for run in runs:
      client_store = os.path.basename(run)
      simulation.run_experiment(
        config_lib.resolve(dataclasses.replace(config, client_store=client_store)), run
      )
      later = config_lib.NewDeviceConfig(
        from_run=(run,), rounds=1, train_examples=20, test_examples=10, old_clients_share=(0.5,)
      )
      new_device.run_new_device(later, f'{run}_new_device')
    for name in ('metrics.csv', 'clients.parquet', 'summary.json'):
      self.assertTrue(filecmp.cmp(*(f'{run}/{name}' for run in runs), shallow=False), name)
    for name in ('curves.csv', 'clients.parquet', 'summary.json'):
      files = [f'{run}_new_device/{name}' for run in runs]
      self.assertTrue(filecmp.cmp(*files, shallow=False), name)
    weights = [trained_run.load_trained_run(run).weights for run in runs]
    np.testing.assert_equal(*map(tf.nest.flatten, weights))


if __name__ == '__main__':
  absltest.main()
