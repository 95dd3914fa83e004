"""Tests of the table of aggregation rules: who is worse off than alone."""

import math

import pandas as pd
from absl.testing import absltest

from tff_lg import published


class _Run:
  """Participant accuracies of a run, with own models where it has them."""

  def __init__(self, federated, own=None):
    self._values = {None: federated, 'local_only': own}

  def value(self, key):
    del key
    return sum(self._values[None]) / 3

  def client_accuracy(self, method=None, metric=None):
    del metric
    return pd.Series(self._values[method] or [math.nan] * 3, index=['a', 'b', 'c'])


class TableOfAggregatorsTest(absltest.TestCase):
  def test_own_models_are_those_of_the_mean(self):
    runs = {'basic': _Run([0.5, 0.6, 0.7], [0.5, 0.5, 0.8]), 'dp': _Run([0.4, 0.4, 0.4])}
    read = {
      figure.row: figure.read
      for figure in published.TABLES['cifar10_aggregators'].figures
      if figure.column == 'worse off'
    }
    self.assertEqual((read['BASIC'](runs), read['DP'](runs)), (1, 3))
    self.assertTrue(math.isnan(read['BASIC']({'basic': _Run([0.5, 0.6, 0.7])})))

  def test_change_is_in_points(self):
    runs = {'basic': _Run([0.5, 0.6, 0.7]), 'robust': _Run([0.3, 0.5, 0.7])}
    for table in ('cifar10_aggregators', 'cifar10_aggregators_norm'):
      read = {
        figure.row: figure.read
        for figure in published.TABLES[table].figures
        if figure.column == 'change against BASIC'
      }
      self.assertCountEqual(read, ['DP', 'DP, sigma by median norm', 'ROBUST'])
      self.assertAlmostEqual(read['ROBUST'](runs), -10)


if __name__ == '__main__':
  absltest.main()
