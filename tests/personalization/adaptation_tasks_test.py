"""Tests of adaptation runs on other tasks than images."""

import dataclasses
import json
import os

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests.simulation import testing
from tff_lg import config as config_lib
from tff_lg import personalization, simulation


def setUpModule():
  simulation.set_execution_context()


class OtherTasksTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = self.create_tempdir().full_path

  def _adapt(self, **fields):
    config = config_lib.AdaptConfig(from_run=f'{self.root}/run', epochs=1, **fields)
    summary = personalization.run_adaptation(config, f'{self.root}/adapted')
    return summary, pd.read_parquet(f'{self.root}/adapted/clients.parquet')

  def test_embeddings_that_have_moved_and_shifts_of_the_clients_own(self):
    os.mkdir(f'{self.root}/now')
    testing.random_set().save(f'{self.root}/now/set.npz')
    os.symlink(f'{self.root}/now', f'{self.root}/then')
    config = config_lib.TrainConfig(
      task='embeddings',
      embeddings=f'{self.root}/then/set.npz',
      partition='iid',
      num_clients=3,
      model='cgau_local',
      method='lg_fedavg',
      hidden_units=(4,),
      baselines=(),
      validation_fraction=0.3,
      rounds=2,
    )
    simulation.run_experiment(config_lib.resolve(config), f'{self.root}/run')
    os.unlink(f'{self.root}/then')
    summary, table = self._adapt(
      adaptation=('fine_tune',), learning_rate=(0.1,), data_dir=f'{self.root}/now'
    )
    self.assertLen(table, 3)
    self.assertEqual(summary['num_clients'], 3)
    with open(f'{self.root}/adapted/hparams.json', encoding='utf-8') as file:
      self.assertEqual(json.load(file)['selection_metric'], 'loss')

  def test_text(self):
    fields = config_lib.fast(
      config_lib.TrainConfig(task='text', method='fedavg', rounds=1, baselines=())
    )
    simulation.run_experiment(
      config_lib.resolve(dataclasses.replace(fields, tied_embeddings=True)), f'{self.root}/run'
    )
    _, table = self._adapt(adaptation=('freeze_base',), learning_rate=(1.0,), max_clients=4)
    self.assertLen(table, 4)
    self.assertNotIn('best/participant_test/accuracy', table)
    self.assertTrue(table['freeze_base/local_test/accuracy'].between(0, 1).all())
    source = pd.read_parquet(f'{self.root}/run/clients.parquet').set_index('client_id')
    np.testing.assert_array_equal(
      table['federated/local_test/accuracy'],
      source['local_test/accuracy'][table['client_id']],
    )


if __name__ == '__main__':
  absltest.main()
