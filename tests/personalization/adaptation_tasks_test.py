"""Tests of adaptation runs on other tasks than images."""

import dataclasses
import json
import os
from unittest import mock

import numpy as np
import pandas as pd
from absl.testing import absltest

from tests.personalization import sharing
from tests.simulation import testing
from tff_lg import config as config_lib
from tff_lg import data, personalization, simulation
from tff_lg.data import arrays
from tff_lg.inputs import tasks


def setUpModule():
  sharing.set_up_module()


class OtherTasksTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.root = self.create_tempdir().full_path

  def _adapt(self, to='adapted', **fields):
    config = config_lib.AdaptConfig(from_run=f'{self.root}/run', epochs=1, **fields)
    summary = personalization.run_adaptation(config, f'{self.root}/{to}')
    return summary, pd.read_parquet(f'{self.root}/{to}/clients.parquet')

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

  def test_clients_that_are_read_when_needed_are_as_in_memory(self):
    rng = np.random.default_rng(1)
    os.mkdir(f'{self.root}/data')
    for number in range(6):
      x, y = rng.normal(size=(20, 4)).astype(np.float32), rng.integers(0, 3, 20)
      np.savez(f'{self.root}/data/c{number}.npz', x=x, y=y)
    config = config_lib.TrainConfig(
      task='client_files',
      data_dir=f'{self.root}/data',
      num_classes=3,
      client_cache=1,
      held_out_clients=2,
      method='fedavg',
      rounds=1,
      baselines=(),
    )
    simulation.run_experiment(config_lib.resolve(config), f'{self.root}/run')
    fields = {'adaptation': ('fine_tune', 'ewc'), 'learning_rate': (0.1,), 'clients_per_chunk': 2}
    summary, table = self._adapt(**fields)
    self.assertEqual(
      (summary['num_clients'], summary['held_out/num_clients'], len(table)), (4, 2, 6)
    )
    self.assertNotIn('best/participant_test/accuracy', table)
    # It is trained again, and scores as in the table.
    model = personalization.load_result(f'{self.root}/adapted').model_for('c0')
    self.assertEqual(model.output_shape, (None, 3))

    opened = []

    def read(path):
      opened.append(path.stem)
      return original(path)

    original = arrays.read_npz
    with mock.patch.object(arrays, 'read_npz', read):
      _, few = self._adapt(**fields | {'adaptation': ('fine_tune',)}, max_clients=2, to='few')
    self.assertSameElements(opened, few['client_id'])

    def in_memory(inputs):
      found = load_data(inputs)
      clients, held_out = (
        tuple(data.ClientExamples(c.client_id, c.train, c.validation, c.test) for c in group)
        for group in (found.clients, found.held_out)
      )
      return dataclasses.replace(found, clients=clients, held_out=held_out)

    load_data = tasks.load_data
    with mock.patch.object(tasks, 'load_data', in_memory):
      other_summary, other = self._adapt(**fields, to='in_memory')
    pd.testing.assert_frame_equal(other, table)
    self.assertEqual(other_summary, summary)


if __name__ == '__main__':
  absltest.main()
