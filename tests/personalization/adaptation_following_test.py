"""Tests of adaptation runs with own local models, aggregation, training again, held-out clients."""

import dataclasses
import os

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests.personalization import sharing
from tff_lg import config as config_lib
from tff_lg import personalization, simulation
from tff_lg.run_folder import run_files
from tff_lg.simulation import trained_run

_SOURCE = config_lib.TrainConfig(
  task='digits',
  method='fedavg',
  partition='dirichlet',
  num_clients=6,
  held_out_clients=1,
  clients_per_round=4,
  rounds=4,
  client_learning_rate=0.1,
  baselines=(),
  evaluate_every=3,
)


def setUpModule():
  sharing.set_up_module()


class FollowingTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.root = cls.create_tempdir(cls()).full_path
    cls.source = f'{cls.root}/source'
    simulation.run_experiment(config_lib.resolve(_SOURCE), cls.source)
    cls.config = config_lib.AdaptConfig(
      from_run=cls.source,
      adaptation=('fine_tune',),
      epochs=2,
      learning_rate=(0.05,),
      local_only_epochs=8,
      local_only_learning_rate=(0.01, 0.1),
      aggregate_epochs=(1, 2),
      retrain_without='federated',
    )
    cls.folder = f'{cls.root}/adapted'
    cls.summary = personalization.run_adaptation(cls.config, cls.folder)
    cls.table = pd.read_parquet(f'{cls.folder}/clients.parquet')

  def test_own_local_models(self):
    table = self.table
    self.assertTrue(table['local_only/epoch'].between(0, 8).all())
    own = run_files.load_results(f'{self.folder}/own_models')[0]
    self.assertIn(own['own_models/network/learning_rate'], (0.01, 0.1))
    self.assertNotIn('local_only', set(table['best/name']))
    # Ten classes: it has learned something.
    self.assertGreater(table['local_only/local_test/accuracy'].mean(), 0.2)
    self.assertIn(
      'fine_tune/gain_over/local_only/local_test/accuracy/mean_over_clients', self.summary
    )

  def test_aggregated_models_are_one_for_all(self):
    run = trained_run.load_trained_run(self.source)
    self.assertEqual(run.clients['is_held_out'].sum(), 1)
    for epochs in (1, 2):
      name = f'fine_tune_aggregated_{epochs}/local_test/accuracy'
      self.assertTrue(self.table[name].between(0, 1).all())
      self.assertIn(f'{name}/mean_over_clients', self.summary)
      for part in ('', '_000000'):
        path = f'{self.folder}/parts/fine_tune_aggregated_{epochs}{part}.npz'
        self.assertTrue(os.path.exists(path))

  def test_trained_again_without_those_who_lose(self):
    table = self.table
    loses = table['federated/validation/accuracy'] < table['local_only/validation/accuracy']
    self.assertTrue(loses.any())
    np.testing.assert_array_equal(table['is_removed'], loses & ~table['is_held_out'])
    again = trained_run.load_trained_run(f'{self.folder}/retrained')
    held_out = set(again.clients['client_id'][again.clients['is_held_out']])
    removed = set(table['client_id'][table['is_removed']])
    self.assertEqual(held_out, removed | set(table['client_id'][table['is_held_out']]))
    accuracy = again.clients.set_index('client_id')['local_test/accuracy'][table['client_id']]
    np.testing.assert_array_equal(table['retrained/local_test/accuracy'], accuracy)
    self.assertEqual(self.summary['removed/num_clients'], len(removed))

  def test_held_out_clients_are_summarized_apart(self):
    own = self.table[self.table['is_held_out']]
    self.assertEqual((self.summary['num_clients'], self.summary['held_out/num_clients']), (5, 1))
    self.assertEqual(
      self.summary['held_out/fine_tune/local_test/accuracy/mean_over_clients'],
      own['fine_tune/local_test/accuracy'].item(),
    )

  def test_own_models_of_another_run(self):
    config = dataclasses.replace(
      self.config,
      local_only_epochs=None,
      local_only_learning_rate=None,
      local_only_from=self.folder,
      aggregate_epochs=None,
      retrain_without=None,
      max_clients=2,
    )
    personalization.run_adaptation(config, f'{self.root}/other')
    other = pd.read_parquet(f'{self.root}/other/clients.parquet').set_index('client_id')
    own = self.table.set_index('client_id').loc[other.index]
    for column in ('local_only/local_test/accuracy', 'fine_tune/local_test/accuracy'):
      np.testing.assert_array_equal(other[column], own[column])

  def test_refuses_before_anything_is_written(self):
    simulation.run_experiment(
      config_lib.resolve(dataclasses.replace(_SOURCE, method='lg_fedavg', rounds=1)),
      f'{self.root}/lg',
    )
    alone = {'local_only_epochs': None, 'local_only_learning_rate': None}
    for changes, sentence in (
      ({'from_run': f'{self.root}/lg'}, '--aggregate_epochs is given, but --method=lg_fedavg'),
      (alone, '--retrain_without=federated compares with own local models, but'),
      ({**alone, 'local_only_from': self.source}, 'has no own local models'),
    ):
      with self.assertRaisesRegex(ValueError, sentence):
        personalization.run_adaptation(
          dataclasses.replace(self.config, **changes), f'{self.root}/refused'
        )
      self.assertFalse(os.path.exists(f'{self.root}/refused'))


if __name__ == '__main__':
  absltest.main()
