"""Tests of the Vehicle data: labels from the MATLAB file, and generated sensors."""

import pathlib

import numpy as np
from absl.testing import absltest
from scipy import io

from tff_lg.data import examples, vehicle

_FRACTIONS = {'test_fraction': 0.25, 'validation_fraction': 1 / 3}


class LoadVehicleTest(absltest.TestCase):
  def _load(self, *labels):
    """Loads sensors whose vehicles have these labels, which are their features, too."""
    file = pathlib.Path(self.create_tempdir().full_path) / 'vehicle.mat'
    # A column of cells each, as in the official file.
    cells = {name: np.empty((len(labels), 1), object) for name in 'XY'}
    for number, of_sensor in enumerate(labels):
      cells['X'][number, 0] = cells['Y'][number, 0] = np.array(of_sensor, np.float64)[:, None]
    io.savemat(file, cells)
    return vehicle.load_vehicle(str(file), **_FRACTIONS)

  def test_labels_are_classes(self):
    data = self._load([-1, 1, -1, 1], [1, 1, -1, 1])
    self.assertEqual([client.client_id for client in data.clients], ['sensor_1', 'sensor_2'])
    self.assertEqual(data.class_names, ('-1', '1'))
    positives = []
    for client in data.clients:
      parts = (client.train, client.validation, client.test)
      self.assertEqual([len(part) for part in parts], [2, 1, 1])
      y = np.concatenate([part.y for part in parts])
      x = np.concatenate([part.x for part in parts])[:, 0]
      self.assertEqual(y.dtype, np.int32)
      np.testing.assert_array_equal(y == 1, x == x.max())
      positives.append(y.sum())
    self.assertEqual(positives, [2, 3])

  def test_refuses_other_labels(self):
    with self.assertRaisesRegex(examples.DataError, 'sensor 2 has the label 2, expected -1 and 1'):
      self._load([-1, 1], [1, 2])

  def test_generated_sensors(self):
    data = vehicle.load_vehicle(**_FRACTIONS)
    self.assertLen(data.clients, 10)
    self.assertEqual(set(data.test.y), {0, 1})


if __name__ == '__main__':
  absltest.main()
