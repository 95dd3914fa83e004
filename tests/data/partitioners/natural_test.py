"""Tests of the natural partition."""

import doctest
import importlib

import numpy as np
from absl.testing import absltest

from tff_lg.data import examples, partitioners


class NaturalTest(absltest.TestCase):
  def test_users_are_clients(self):
    users = np.array(['hal', 'ann', 'hal', 'bea', 'hal'])
    data = examples.Examples(np.zeros([5, 1], np.float32), np.zeros(5, np.int32), users)
    parts = partitioners.natural()(data, 1, np.random.default_rng(0))
    self.assertEqual([part.tolist() for part in parts], [[1], [3], [0, 2, 4]])

  def test_refuses_data_without_users(self):
    data = examples.Examples(np.zeros([5, 1], np.float32), np.zeros(5, np.int32))
    with self.assertRaisesRegex(examples.DataError, 'these data name no users'):
      partitioners.natural()(data, 1, np.random.default_rng(0))

  def test_docstring(self):
    module = importlib.import_module('tff_lg.data.partitioners.natural')
    self.assertEqual(doctest.testmod(module, extraglobs={'np': np, 'examples': examples}), (0, 3))


if __name__ == '__main__':
  absltest.main()
