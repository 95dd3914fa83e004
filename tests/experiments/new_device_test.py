"""Tests of a new device that joins finished runs, of small ones that the module trains."""

import dataclasses
import json
import os
import pathlib
import shutil
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest, parameterized

from tests.simulation import running
from tff_lg import checkpoints, data, learning, own_models, progress, seeds, simulation
from tff_lg import config as config_lib
from tff_lg.experiments import new_device
from tff_lg.run_folder import run_files, run_settings
from tff_lg.simulation import trained_run
from tff_lg.training import storage

_SOURCE = config_lib.TrainConfig(
  task='digits',
  num_clients=10,
  clients_per_round=5,
  rounds=2,
  baselines=(),
  evaluate_every=1,
  checkpoint_every=1,
)
_OLD = 'old_clients/local_test/accuracy/pooled'


def setUpModule():
  running.set_up_module()


def _arrays(run_dir):
  """Returns the newest checkpoint's arrays."""
  return checkpoints.CheckpointManager(f'{run_dir}/checkpoints').load_latest()[1]


def _client(arrays, client):
  """Returns the state of a client in a checkpoint, None if it never took part."""
  leaves = checkpoints.without_prefix(f'clients/{client}', arrays)
  return [leaves[str(i)] for i in range(len(leaves))] or None


def _examples(size, first=0):
  x = np.arange(first, first + 4 * size, dtype=np.float32).reshape(size, 2, 2, 1)
  return data.Examples(x, np.arange(first, first + size, dtype=np.int32) % 3)


class BuildTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    nothing = _examples(0)
    clients = [
      data.ClientExamples(f'c{k}', _examples(6, 100 * k), nothing, nothing) for k in range(3)
    ]
    self.data = data.FederatedData(
      tuple(clients[:2]), _examples(5, 900), 3, tuple('abc'), held_out=(clients[2],)
    )

  def test_device_has_turned_examples_of_all_clients(self):
    config = config_lib.NewDeviceConfig(train_examples=18, test_examples=5)
    device = new_device.build_new_device(config, self.data, 'r')
    self.assertEmpty(device.validation.y)
    # Turned back, they are everything there is.
    for part, whole in (
      (device.train, data.concatenate([_examples(6, 100 * k) for k in range(3)])),
      (device.test, self.data.test),
    ):
      back = np.rot90(part.x, k=3, axes=(1, 2))
      order = np.argsort(back[:, 0, 0, 0])
      np.testing.assert_array_equal(back[order], whole.x)
      np.testing.assert_array_equal(part.y[order], whole.y)

  def test_some_are_drawn_once_each_by_seed(self):
    config = config_lib.NewDeviceConfig(train_examples=9, test_examples=2, transform='invert')
    drawn = [
      new_device.build_new_device(dataclasses.replace(config, seed=seed), self.data, 'r').train.x
      for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    self.assertFalse(np.array_equal(drawn[0], drawn[2]))
    self.assertLen(np.unique(drawn[0], axis=0), 9)

  @parameterized.parameters(
    ({'train_examples': 19}, '--train_examples is 19, but --from_run=r has 18'),
    ({'test_examples': 6}, '--test_examples is 6, but --from_run=r has 5'),
    ({'transform': 'shift_colours'}, '--transform=shift_colours does not fit --from_run=r: .*chan'),
  )
  def test_refuses(self, fields, sentence):
    config = config_lib.NewDeviceConfig(**{'train_examples': 9, 'test_examples': 2, **fields})
    with self.assertRaisesRegex(ValueError, sentence):
      new_device.build_new_device(config, self.data, 'r')

  @parameterized.parameters((0.0, 0), (0.1, 2), (0.01, 1), (1.0, 20))
  def test_cohorts(self, share, num_old):
    config = config_lib.resolve(dataclasses.replace(_SOURCE, num_clients=20))
    draw = new_device.build_cohorts(config.sampling_options, 20, share)
    for round_num in range(4):
      cohort = draw(round_num)
      *old, new = cohort.clients
      self.assertEqual(new, 20)
      self.assertLen(set(old), num_old)
      self.assertContainsSubset(old, range(20))
      self.assertEqual(cohort.work_shares.dtype, np.float32)
      np.testing.assert_array_equal(cohort.work_shares, np.ones(num_old + 1))
    if 0 < share < 1:
      self.assertGreater(len({tuple(draw(n).clients) for n in range(9)}), 1)

  def test_new_device_never_drops_out(self):
    config = config_lib.resolve(dataclasses.replace(_SOURCE, client_dropout_rate=0.9))
    draw = new_device.build_cohorts(config.sampling_options, 10, 1.0)
    shares = np.array([draw(round_num).work_shares for round_num in range(9)])
    self.assertTrue((shares[:, -1] == 1).all())
    self.assertTrue((shares[:, :-1] == 0).any())


class RunTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.root = cls.create_tempdir(cls()).full_path
    for name, changes in {
      'fedavg': {'method': 'fedavg', 'partition': 'iid'},
      # All of them are evaluated, though it is said of a number.
      'lg': {'warm_start_rounds': 1, 'max_evaluated_clients': 10, 'seed': 1},
    }.items():
      config = config_lib.resolve(dataclasses.replace(_SOURCE, **changes))
      simulation.run_experiment(config, f'{cls.root}/{name}')
    cls.config = config_lib.NewDeviceConfig(
      from_run=(f'{cls.root}/fedavg', f'{cls.root}/lg'),
      old_clients_share=(0.0, 0.2),
      train_examples=60,
      test_examples=40,
      rounds=3,
      evaluate_every=2,
      checkpoint_every=1,
      local_only_epochs=4,
      local_only_learning_rate=(0.1,),
    )
    cls.run_dir = f'{cls.root}/joined'
    build, cls.draws = new_device.build_cohorts, []

    def build_and_keep(config, num_old, share):
      cls.draws.append((share, build(config, num_old, share)))
      return cls.draws[-1][1]

    with (
      mock.patch.object(new_device, 'build_cohorts', build_and_keep),
      mock.patch.object(progress, 'stage', wraps=progress.stage) as stage,
    ):
      cls.summary = new_device.run_new_device(cls.config, cls.run_dir)

    cls.stages = [call.args[0] for call in stage.call_args_list]

  def test_says_which_run_is_loaded(self):
    runs = self.config.from_run
    expected = [f'{what} {path}' for what in ('checking', 'loading') for path in runs]
    self.assertEqual(self.stages, expected)

  def _folder(self, name):
    return f'{self.run_dir}/runs/{name}'

  def test_files_and_summary(self):
    names = ('fedavg_1_C0', 'fedavg_1_C0.2', 'lg_fedavg_2_C0', 'lg_fedavg_2_C0.2')
    self.assertCountEqual(os.listdir(f'{self.run_dir}/runs'), names)
    curves = pd.read_csv(f'{self.run_dir}/curves.csv')
    self.assertEqual(list(curves['run'].unique()), list(names))
    self.assertEqual(list(curves['partition'].unique()), ['iid', 'classes_per_client=2'])
    summary, clients = run_files.load_results(self.run_dir)
    self.assertEqual(summary, self.summary)
    for name, curve in curves.groupby('run'):
      self.assertEqual(list(curve['round_num']), [0, 2, 3])
      first, last = curve[_OLD].iloc[0], curve[_OLD].iloc[-1]
      self.assertEqual(summary[f'{name}/before/{_OLD}'], first)
      self.assertEqual(summary[f'{name}/{_OLD}'], last)
      self.assertEqual(summary[f'{name}/forgotten/{_OLD}'], first - last)
      table = clients[clients['run'] == name]
      self.assertEqual(list(table['is_new']), [False] * 10 + [True])
      self.assertEqual(tuple(table[['num_train', 'num_test']].iloc[-1]), (60, 40))
      old, new = table[:-1], table.iloc[-1]
      for column, value in (('before/local_test/accuracy', first), ('local_test/accuracy', last)):
        pooled = np.average(old[column], weights=old['num_test'])
        self.assertAlmostEqual(pooled, value, places=6)
      of_new = summary[f'{name}/new_client/local_test/accuracy/pooled']
      self.assertAlmostEqual(new['local_test/accuracy'], of_new, places=6)

  def test_own_model_is_the_best_that_the_device_trains_alone(self):
    _, clients = run_files.load_results(self.run_dir)
    column = clients['own_model/local_test/accuracy']
    self.assertTrue(column[~clients['is_new']].isna().all())
    for number, names in (
      ('1', ('fedavg_1_C0', 'fedavg_1_C0.2')),
      ('2', ('lg_fedavg_2_C0', 'lg_fedavg_2_C0.2')),
    ):
      own, devices = run_files.load_results(f'{self.run_dir}/own_models/{number}')
      # A tenth of 60 examples chooses, and all 60 train what has been chosen.
      self.assertEqual(devices['client_id'].tolist(), ['new_device_choosing', 'new_device'])
      self.assertEqual(devices['num_train'].tolist(), [54, 60])
      self.assertEqual(devices['num_validation'].tolist(), [6, 0])
      self.assertEqual(devices['num_test'].tolist(), [40, 40])
      self.assertEqual(devices['epochs'].nunique(), 1)
      self.assertEqual(devices['own_model'].nunique(), 1)
      found = devices['local_test/accuracy'].iloc[1]
      for name in names:
        start = f'{name}/new_client/own_model'
        self.assertEqual(self.summary[f'{start}/local_test/accuracy'], found)
        self.assertEqual(self.summary[f'{start}/kind'], devices['own_model'].iloc[1])
        new = clients[(clients['run'] == name) & clients['is_new']]
        self.assertEqual(new['own_model/local_test/accuracy'].tolist(), [found])
      self.assertEqual(own['own_models/network/learning_rate'], 0.1)

  def test_own_network_may_be_asked_for_alone(self):
    last = trained_run.load_last_round(f'{self.root}/lg')
    config = dataclasses.replace(self.config, own_models=('network',))
    device = new_device.build_new_device(config, last.federated_data, 'r')
    folder = self.create_tempdir().full_path + '/own'
    own = new_device.train_own_model(config, last, device, folder)
    self.assertEqual((own['kind'], own['learning_rate']), ('network', 0.1))
    self.assertBetween(own['epochs'], 0, 4)
    # The same again, without training.
    with mock.patch.object(own_models, 'run_own_models', side_effect=AssertionError):
      self.assertEqual(new_device.train_own_model(config, last, device, folder), own)

  def test_normal_accuracy_starts_where_the_source_run_ended(self):
    for source, name in (('fedavg', 'fedavg_1_C0'), ('lg', 'lg_fedavg_2_C0')):
      ended = pd.read_csv(f'{self.root}/{source}/metrics.csv').iloc[-1]
      self.assertAlmostEqual(
        self.summary[f'{name}/before/{_OLD}'], ended['local_test/accuracy/pooled'], places=6
      )

  def test_cohorts_in_the_metrics(self):
    for name, size in (('fedavg_1_C0', 1), ('fedavg_1_C0.2', 3), ('lg_fedavg_2_C0', 1)):
      metrics = pd.read_csv(f'{self._folder(name)}/metrics.csv')
      self.assertEqual(list(metrics['round_num']), [0, 1, 2, 3])
      self.assertEqual(list(metrics['train/num_clients'][1:]), [size] * 3)
      if size == 1:
        self.assertEqual(list(metrics['train/num_examples'][1:]), [60] * 3)

  def test_old_devices_are_drawn_alike_for_all_methods(self):
    # Whatever the source run's own seed.
    fedavg, lg_fedavg = (draw for share, draw in self.draws if share == 0.2)
    for round_num in range(3):
      self.assertEqual(list(fedavg(round_num).clients), list(lg_fedavg(round_num).clients))

  def test_old_devices_keep_their_local_layers_until_they_are_drawn(self):
    before = _arrays(f'{self.root}/lg')
    for name, share in (('lg_fedavg_2_C0', 0.0), ('lg_fedavg_2_C0.2', 0.2)):
      after = _arrays(self._folder(name))
      source = trained_run.load_config(f'{self.root}/lg')
      seed = seeds.derive_seed(0, seeds.Purpose.NEW_DEVICE)
      draw = new_device.build_cohorts(
        dataclasses.replace(source.sampling_options, seed=seed), 10, share
      )
      drawn = {client for round_num in range(3) for client in draw(round_num).clients}
      self.assertIn(10, drawn)
      self.assertIsNotNone(_client(after, 10))
      for client in range(10):
        old, new = _client(before, client), _client(after, client)
        if client in drawn:
          self.assertFalse(old and np.array_equal(old[0], new[0]))
        else:
          self.assertEqual(old is None, new is None)
          for a, b in zip(old or [], new or [], strict=True):
            np.testing.assert_array_equal(a, b)

  def test_new_device_starts_as_one_who_took_no_part(self):
    # Without others, it ends where three rounds of it alone end that begin with the source run's
    # global weights and the local ones that its clients began the rounds of LG-FedAvg with.
    last = trained_run.load_last_round(f'{self.root}/lg')
    train = new_device.build_new_device(self.config, last.federated_data, 'r').train
    process, server_state = last.phase.process, last.state.server_state
    states = [process.initialize_client(last.state.start_weights)]
    seed = seeds.derive_seed(0, seeds.Purpose.NEW_DEVICE)
    for round_num in range(3):
      shuffling = seeds.tensor_seed(seed, seeds.Purpose.SHUFFLING, round_num, 10)
      tensors = learning.ClientTensors(train.x, train.y, shuffling)
      output = process.next(server_state, states, [tensors])
      server_state, states = output.server_state, output.client_states
    found = _client(_arrays(self._folder('lg_fedavg_2_C0')), 10)
    local_weights = states[0].local_weights
    for weight, expected in zip(found[: len(local_weights)], local_weights, strict=True):
      np.testing.assert_array_equal(weight, expected)

  def test_resumes_to_the_same_bits(self):
    run_dir = self.create_tempdir().full_path + '/stopped'
    save, saved = storage.RunStorage.save, []

    def save_then_stop(saved_in, state, *more):
      save(saved_in, state, *more)
      saved.append(state.round_num)
      if len(saved) == 5:  # In the second run, after its second round.
        raise KeyboardInterrupt

    with (
      mock.patch.object(storage.RunStorage, 'save', save_then_stop),
      self.assertRaises(KeyboardInterrupt),
    ):
      new_device.run_new_device(self.config, run_dir)
    self.assertEqual(saved, [1, 2, 3, 1, 2])
    self.assertFalse(run_settings.is_complete(run_dir))
    self.assertEqual(new_device.run_new_device(self.config, run_dir), self.summary)
    for name in ('curves.csv', 'clients.parquet', 'summary.json'):
      with open(f'{self.run_dir}/{name}', 'rb') as one, open(f'{run_dir}/{name}', 'rb') as other:
        self.assertEqual(one.read(), other.read())
    for name in os.listdir(f'{run_dir}/runs'):
      whole, parts = _arrays(self._folder(name)), _arrays(f'{run_dir}/runs/{name}')
      self.assertEqual(set(whole), set(parts))
      for key, array in whole.items():
        np.testing.assert_array_equal(array, parts[key])

  def test_complete_run_is_not_run_again(self):
    with mock.patch.object(trained_run, 'load_last_round', side_effect=AssertionError):
      self.assertEqual(new_device.run_new_device(self.config, self.run_dir), self.summary)

  def test_refuses_before_anything_is_written(self):
    run_dir = self.create_tempdir().full_path + '/run'
    other = self._copy({'client_learning_rate': 0.2})
    for fields, sentence in (
      ({'from_run': ('/nowhere',)}, '--from_run=/nowhere holds no run'),
      ({'train_examples': 3000}, '--train_examples is 3000, but'),
      ({'transform': 'shift_features'}, '--transform=shift_features does not fit'),
      ({'from_run': (f'{self.root}/lg', other)}, '--client_learning_rate is 0.05 in the one and'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        new_device.run_new_device(dataclasses.replace(self.config, **fields), run_dir)
      self.assertFalse(os.path.exists(run_dir))
    with self.assertRaisesRegex(ValueError, 'transform was rotate90, now invert'):
      new_device.run_new_device(dataclasses.replace(self.config, transform='invert'), self.run_dir)

  def _copy(self, changes):
    """Copies the source run `lg` with other settings."""
    path = self.create_tempdir().full_path + '/copy'
    shutil.copytree(f'{self.root}/lg', path)
    os.remove(f'{path}/checksums.json')  # The settings are changed on purpose.
    hparams = pathlib.Path(path, 'hparams.json')
    hparams.write_text(json.dumps(json.loads(hparams.read_text()) | changes), encoding='utf-8')
    return path

  def test_all_source_runs_are_looked_at_before_anything_is_written(self):
    run_dir, damaged = self.create_tempdir().full_path + '/run', self._copy({})
    shutil.rmtree(f'{damaged}/checkpoints')
    config = dataclasses.replace(self.config, from_run=(f'{self.root}/fedavg', damaged))
    with self.assertRaisesRegex(checkpoints.CheckpointError, f'{damaged} is finished, but the new'):
      new_device.run_new_device(config, run_dir)
    self.assertFalse(os.path.exists(run_dir))


class NumbersTest(absltest.TestCase):
  def test_forgetting_is_a_greater_error(self):
    root = self.create_tempdir().full_path
    options = {'task': 'diabetes', 'rounds': 1, 'baselines': (), 'client_learning_rate': 0.02}
    source = config_lib.TrainConfig(method='fedavg', **options)
    simulation.run_experiment(config_lib.resolve(source), f'{root}/numbers')
    config = config_lib.NewDeviceConfig(
      from_run=(f'{root}/numbers',),
      transform='shift_features',
      old_clients_share=(0.0,),
      train_examples=40,
      test_examples=20,
      rounds=2,
      local_only_epochs=2,
      local_only_learning_rate=(0.02,),
    )
    summary = new_device.run_new_device(config, f'{root}/joined')
    pooled = 'old_clients/local_test/mae/pooled'
    before, after = (summary[f'fedavg_1_C0/{part}{pooled}'] for part in ('before/', ''))
    self.assertAlmostEqual(summary[f'fedavg_1_C0/forgotten/{pooled}'], after - before, 12)
    self.assertGreater(summary['fedavg_1_C0/new_client/own_model/local_test/mae'], 0)
    _, clients = run_files.load_results(f'{root}/joined')
    old = clients[~clients['is_new']].dropna(subset='local_test/mae')
    worse = (old['local_test/mae'] > old['before/local_test/mae']).mean()
    self.assertEqual(summary['fedavg_1_C0/old_clients/share_of_clients_worse'], worse)


if __name__ == '__main__':
  absltest.main()
