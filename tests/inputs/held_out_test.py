"""Tests of held-out clients: who they are, what they meet, and that training never sees them."""

import dataclasses
from unittest import mock

import numpy as np
from absl.testing import absltest

from tests.simulation import running
from tff_lg import config as config_lib
from tff_lg import simulation
from tff_lg.inputs import held_out, tasks
from tff_lg.personalization import adaptation_work
from tff_lg.run_folder import run_files
from tff_lg.simulation import trained_run

_CONFIG = config_lib.TrainConfig(
  task='digits',
  method='fedavg',
  num_clients=6,
  held_out_clients=2,
  clients_per_round=2,
  rounds=2,
  evaluate_every=1,
)
_METRICS = ('validation/accuracy', 'local_test/accuracy', 'participant_test/accuracy')


def setUpModule():
  running.set_up_module()


class ChooseTest(absltest.TestCase):
  def _choose(self, ids=('a', 'b', 'c'), **changes):
    return held_out.choose_by(config_lib.InputOptions(**changes))(ids)

  def test_drawn_by_the_seed(self):
    ids = [f'client_{number}' for number in range(50)]
    draws = [self._choose(ids, held_out_clients=7, seed=seed) for seed in (1, 1, 2)]
    self.assertEqual(draws[0], draws[1])
    self.assertNotEqual(draws[0], draws[2])
    self.assertLen(set(draws[0]), 7)

  def test_named(self):
    self.assertEqual(set(self._choose(held_out_ids=('c', 'a'))), {'a', 'c'})

  def test_refuses(self):
    for changes, sentence in (
      ({'held_out_clients': 3}, '3 of 3 clients are held out .*, expected at least one to train'),
      ({'held_out_clients': 9}, '3 of 3 clients'),
      ({'held_out_ids': ('a', 'x')}, '--held_out_ids has x, expected ids of clients, such as a'),
      ({'held_out_ids': ('a', 'b', 'c')}, '3 of 3 clients'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        self._choose(**changes)


class HeldOutRunTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.root = cls.create_tempdir(cls()).full_path
    for name, changes in {
      'fedavg': {'local_only_epochs': 2, 'local_only_learning_rate': (0.1,)},
      'lg': {'method': 'lg_fedavg', 'baselines': (), 'warm_start_rounds': 1},
      'mtl': {'method': 'mtl', 'baselines': ()},
    }.items():
      config = config_lib.resolve(dataclasses.replace(_CONFIG, **changes))
      simulation.run_experiment(config, f'{cls.root}/{name}')

  def test_tables(self):
    summary, clients = run_files.load_results(f'{self.root}/fedavg')
    others = run_files.load_held_out_clients(f'{self.root}/fedavg')
    baseline_dir = f'{self.root}/fedavg/baselines/local_only'
    baseline = run_files.load_results(baseline_dir)[1]
    self.assertEqual((len(clients), len(others)), (4, 2))
    self.assertEqual(list(baseline['client_id']), list(clients['client_id']))
    self.assertNotIn('held_out/num_clients', run_files.load_results(baseline_dir)[0])
    accuracy = others['local_test/accuracy']
    self.assertEqual(summary['held_out/num_clients'], 2)
    self.assertAlmostEqual(
      summary['held_out/local_test/accuracy/mean_over_clients'], accuracy.mean()
    )
    self.assertFalse(any(name.startswith('held_out/new_test') for name in summary))

  def test_training_never_sees_their_data(self):
    config = config_lib.resolve(_CONFIG)
    loaded = tasks.load_data(config.input_options)
    broken = [
      dataclasses.replace(
        client,
        train=dataclasses.replace(client.train, x=client.train.x + 9),
        validation=dataclasses.replace(client.validation, x=client.validation.x + 9),
      )
      for client in loaded.held_out
    ]
    self.assertLen(broken, 2)
    with mock.patch.object(
      tasks, 'load_data', return_value=dataclasses.replace(loaded, held_out=tuple(broken))
    ):
      simulation.run_experiment(
        dataclasses.replace(config, baselines=()), f'{self.root}/other_data'
      )
    _, seen = run_files.load_results(f'{self.root}/fedavg')
    _, other = run_files.load_results(f'{self.root}/other_data')
    for metric in _METRICS:
      np.testing.assert_array_equal(seen[metric], other[metric])

  def test_models_are_those_of_the_tables(self):
    for name in ('fedavg', 'lg', 'mtl'):
      run = trained_run.load_trained_run(f'{self.root}/{name}')
      self.assertEqual(list(run.clients['is_held_out']), [False] * 4 + [True] * 2)
      values = adaptation_work.ModelEvaluator(run)(np.arange(6), run.weights)
      for metric in _METRICS[1:]:
        np.testing.assert_array_equal(values[metric], run.clients[metric])

  def test_a_newcomer_to_multi_task_learning_has_the_mean_model(self):
    run = trained_run.load_trained_run(f'{self.root}/mtl')
    newcomer, kernel = run.weights[-1], run.model.weight_names.index('hidden_1/kernel')
    self.assertFalse(np.array_equal(newcomer[kernel], run.model.initial_weights[kernel]))

  def test_local_layers_of_a_held_out_client_are_those_of_the_warm_start(self):
    run = trained_run.load_trained_run(f'{self.root}/lg')
    first, second = run.weights[4:]
    for weights in zip(first, second, strict=True):
      np.testing.assert_array_equal(*weights)
    local = run.model.weight_names.index('hidden_1/kernel')
    own = [weights[local] for weights in run.weights[:4]]
    self.assertFalse(all(np.array_equal(first[local], weight) for weight in own))
    self.assertFalse(np.array_equal(first[local], run.model.initial_weights[local]))


if __name__ == '__main__':
  absltest.main()
