"""Tests of the task on folders of images."""

import pathlib

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg import tasks as task_entries
from tff_lg.inputs import tasks


class ImagesTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path

  def _config(self, **options):
    return config_lib.resolve(config_lib.TrainConfig(task='images', **options))

  def _write(self, *folders):
    for folder in folders:
      path = pathlib.Path(self.folder, folder)
      path.mkdir(parents=True)
      for number in range(5):
        image = tf.io.encode_png(np.full((40, 36, 3), 9 * number, np.uint8))
        (path / f'{number}.png').write_bytes(image.numpy())

  def test_clients_are_the_first_folders(self):
    self._write('al/cat', 'al/dog', 'bo/cat')
    config = self._config(data_dir=self.folder, image_size=(32, 28), image_channels=1)
    self.assertEqual((config.partition, config.num_clients), ('natural', None))
    task_entries.TASKS['images'].look_at_files(None, self.folder)
    loaded = tasks.load_data(config.input_options)
    self.assertEqual([client.client_id for client in loaded.clients], ['al', 'bo'])
    self.assertEqual([len(client.test) for client in loaded.clients], [2, 1])
    self.assertEqual(loaded.test.x.shape[1:], (32, 28, 1))

  @parameterized.parameters(*task_entries.networks_of('images'))
  def test_networks(self, network):
    self._write('cat', 'dog')
    config = self._config(
      data_dir=self.folder, image_size=(32, 32), model=network, partition='iid', num_clients=2
    )
    loaded = tasks.load_data(config.input_options)
    model = tasks.build_model(config.input_options, loaded)
    self.assertEqual(model.metric_names, ('accuracy',))

  def test_without_folders_of_clients_a_partition_makes_them(self):
    self._write('cat', 'dog')
    self.assertEqual(self._config(data_dir=self.folder).partition, 'classes_per_client')

  @parameterized.parameters(
    ({}, '--task=images needs --data_dir, the folder with CLIENT/CLASS/image.png'),
    ({'image_size': (64,), 'data_dir': 'd'}, '--image_size is 64, expected height and width such'),
    ({'image_size': (0, 64), 'data_dir': 'd'}, '--image_size has 0, expected more than 0'),
    ({'image_channels': 4, 'data_dir': 'd'}, '--image_channels is 4, expected 1 or 3'),
  )
  def test_refuses(self, options, sentence):
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      self._config(**options)


if __name__ == '__main__':
  absltest.main()
