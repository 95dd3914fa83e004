"""Tests of Motley's suites: their rows are of the methods that are registered."""

import numpy as np
from absl.testing import absltest

from tff_lg import config, suites
from tff_lg.learning.methods import METHODS

_SUITE = suites.SUITES['motley_cross_silo']
_VEHICLE = suites.SUITES['motley_vehicle']
_CROSS_DEVICE = suites.SUITES['motley_cross_device']


class MotleyTest(absltest.TestCase):
  def test_rows(self):
    rows = {row.name: row for row in _SUITE.choose_methods()}
    self.assertContainsSubset(['local', 'fedavg', 'ditto', 'mtl', 'fine_tuning'], rows)
    for row in rows.values():
      self.assertIn(row.method, [*METHODS, ''])
      for axis in row.axes:
        self.assertIn(axis.start, axis.values)
        self.assertSequenceEqual(axis.values, sorted(axis.values))
    self.assertEqual('ifca' in rows, 'ifca' in METHODS)
    self.assertEqual(rows['fine_tuning'].adapts, 'fedavg')

  def test_a_row_brings_what_it_adapts(self):
    names = [row.name for row in _SUITE.choose_methods(['fine_tuning', 'apfl'])]
    self.assertEqual(names, ['fedavg', 'fine_tuning', 'apfl'])

  def test_methods_that_are_not_there(self):
    for chosen in (['sgd'], ['fedavg', 'fedavg'], ['local_only']):
      with self.assertRaisesRegex(ValueError, f'--methods is {",".join(chosen)}, expected some of'):
        _SUITE.choose_methods(chosen)

  def test_score_is_half_the_squared_error(self):
    np.testing.assert_array_equal(_SUITE.score(np.array([0.0, 2.0])), [0, 2])

  def test_grids_are_those_of_the_loss(self):
    found = {}
    for name, suite in (('school', _SUITE), ('vehicle', _VEHICLE)):
      rows = {row.name: row for row in suite.choose_methods()}
      found[name] = {axis.name: axis.values for row in rows.values() for axis in row.axes}
    # Half the squared error on School, the same steps on Vehicle.
    for axis, half in (('client_learning_rate', 6), ('ditto_strength', 0.5), ('mtl_strength', 0.5)):
      factor = found['vehicle'][axis][0] / found['school'][axis][0]
      self.assertAlmostEqual(factor, half, msg=axis)
      self.assertLen(found['vehicle'][axis], len(found['school'][axis]))

  def test_all_silos_take_part_with_any_task(self):
    for suite in (_SUITE, _VEHICLE):
      fraction = float(suite.flags['client_fraction'])
      digits = config.TrainConfig(task='digits', num_clients=14, client_fraction=fraction)
      self.assertEqual(config.resolve(digits).clients_per_round, 14)

  def test_votes_are_for_classes(self):
    names = [row.name for row in _VEHICLE.choose_methods(['knn_per', 'local'])]
    self.assertEqual(names, ['fedavg', 'knn_per', 'local'])
    with self.assertRaisesRegex(ValueError, 'expected some of'):
      _SUITE.choose_methods(['knn_per'])
    np.testing.assert_array_equal(_VEHICLE.score(np.array([0.5])), [50])

  def test_rows_across_devices(self):
    rows = {row.name: row for row in _CROSS_DEVICE.choose_methods()}
    self.assertEqual(list(rows)[:4], ['fedavg', 'fine_tuning', 'last_layer', 'local'])
    self.assertEqual(rows['local'].flags['start'], 'initial')
    for name in ('fine_tuning', 'last_layer', 'local'):
      self.assertEqual(rows[name].flags['choose'], 'validation_clients')
    names = [axis.name for axis in rows['hypcluster'].axes]
    self.assertEqual(names, ['num_clusters', 'client_learning_rate', 'server_learning_rate'])
    np.testing.assert_array_equal(_CROSS_DEVICE.score(np.array([0.5])), [50])


if __name__ == '__main__':
  absltest.main()
