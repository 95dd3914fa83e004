"""Tests of the tasks of Motley's silos: options, data and the linear models."""

import numpy as np
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg.inputs import tasks


def _resolve(task='school', **changes):
  return config_lib.resolve(config_lib.TrainConfig(task=task, method='fedavg', **changes))


class SilosTest(absltest.TestCase):
  def test_defaults(self):
    config = _resolve()
    self.assertEqual((config.partition, config.objective), ('natural', 'regression'))
    self.assertEqual(config.test_fraction, 0.15)
    self.assertAlmostEqual(config.validation_fraction, 0.15 / 0.85)
    self.assertEqual(_resolve(validation_fraction=0.3).validation_fraction, 0.3)

  def test_small_runs_are_of_generated_schools(self):
    small = config_lib.resolve(config_lib.fast(_resolve(data_dir='x')))
    self.assertEqual((small.task, small.data_dir, small.num_clients), ('school', None, None))

  def test_clients_are_the_schools(self):
    with self.assertRaisesRegex(config_lib.ConfigError, '--partition is iid, but --task=school'):
      _resolve(partition='iid')

  def test_linear_model_from_zero(self):
    config = _resolve()
    data = tasks.load_data(config.input_options)
    self.assertLen(data.clients, 12)
    model = tasks.build_model(config.input_options, data)
    self.assertEqual(model.layer_names, ('output',))
    kernel, bias = model.initial_weights
    np.testing.assert_array_equal(kernel, np.zeros((6, 1)))
    np.testing.assert_array_equal(bias, [0])

  def test_vehicles_are_of_two_classes(self):
    config = _resolve('vehicle')
    data = tasks.load_data(config.input_options)
    self.assertEqual((data.objective, config.test_fraction), ('classification', 0.15))
    self.assertLen(data.clients, 10)
    kernel, _ = tasks.build_model(config.input_options, data).initial_weights
    np.testing.assert_array_equal(kernel, np.zeros((6, 2)))


if __name__ == '__main__':
  absltest.main()
