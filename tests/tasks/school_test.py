"""Tests of the task on School: options, data and the linear model."""

import numpy as np
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg.inputs import tasks


def _resolve(**changes):
  return config_lib.resolve(config_lib.TrainConfig(task='school', method='fedavg', **changes))


class SchoolTest(absltest.TestCase):
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


if __name__ == '__main__':
  absltest.main()
