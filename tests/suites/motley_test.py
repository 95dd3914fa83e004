"""Tests of Motley's cross-silo suite: its rows are of the methods that are registered."""

import numpy as np
from absl.testing import absltest

from tff_lg import suites
from tff_lg.learning.methods import METHODS

_SUITE = suites.SUITES['motley_cross_silo']


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


if __name__ == '__main__':
  absltest.main()
