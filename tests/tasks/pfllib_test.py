"""Tests of the task on folders of PFLlib."""

import pathlib

import numpy as np
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import data
from tff_lg.inputs import tasks
from tff_lg.tasks import TASKS


class PfllibTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _config(self, **options):
    return config_lib.resolve(config_lib.TrainConfig(task='pfllib', **options))

  def test_clients_are_the_files(self):
    for part, size in (('train', 8), ('test', 2)):
      for client in range(3):
        path = pathlib.Path(self.folder, part, f'{client}.npz')
        path.parent.mkdir(exist_ok=True)
        x, y = np.full((size, 5), client, np.float32), np.arange(size) % 2
        np.savez_compressed(path, data={'x': x, 'y': y})
    config = self._config(data_dir=self.folder)
    self.assertEqual((config.partition, config.num_clients), ('natural', None))
    TASKS['pfllib'].look_at_files(None, self.folder)
    federated_data = tasks.load_data(config.input_options)
    clients = federated_data.clients
    self.assertEqual(
      tasks.build_model(config.input_options, federated_data).metric_names, ('accuracy',)
    )
    self.assertEqual([client.client_id for client in clients], ['0', '1', '2'])
    self.assertEqual([client.test.x.max() for client in clients], [0, 1, 2])

  def test_refuses(self):
    with self.assertRaisesRegex(config_lib.ConfigError, '--task=pfllib needs --data_dir'):
      self._config()
    with self.assertRaisesRegex(data.DataError, 'no train/.*npz found'):
      TASKS['pfllib'].look_at_files(None, self.folder)


if __name__ == '__main__':
  absltest.main()
