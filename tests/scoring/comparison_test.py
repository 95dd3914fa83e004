"""Tests for tff_lg.scoring.comparison."""

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import config
from tff_lg.scoring import comparison

_SELECTION = config.SelectionOptions(seed=0)


def _clients(*marks):
  accuracy = [np.mean([mark == '1' for mark in of]) for of in marks]
  return pd.DataFrame({'local_test/accuracy': accuracy, 'local_test/correct': marks})


class AddBaselineTest(absltest.TestCase):
  def test_gains_and_verdicts(self):
    clients = _clients('1' * 10, '0' * 10, '1100')
    baseline = ({'rounds/fedavg': 5}, _clients('0' * 10, '1' * 10, '1010'))
    summary = comparison.add_baseline(
      clients, 'fedavg', baseline, np.full(3, True), _SELECTION, 0.05
    )
    self.assertEqual(summary['fedavg/rounds/fedavg'], 5)
    self.assertEqual(summary['gain_over/fedavg/local_test/accuracy/mean_over_clients'], 0)
    self.assertAlmostEqual(
      summary['gain_over/fedavg/local_test/accuracy/share_of_clients_worse'], 1 / 3
    )
    start = 'verdict_over/fedavg/'
    self.assertEqual(list(clients[f'{start}verdict']), ['better', 'worse', 'cannot tell'])
    np.testing.assert_allclose(clients[f'{start}difference'], [1, -1, 0])
    self.assertEqual(
      [summary[f'{start}num_{name}'] for name in ('better', 'worse', 'cannot_tell')], [1, 1, 1]
    )
    self.assertEqual(summary[f'{start}false_discovery_rate'], 0.05)

  def test_malicious_clients_are_not_judged(self):
    clients = _clients('1' * 10, '0' * 10)
    honest = np.array([True, False])
    summary = comparison.add_baseline(
      clients, 'fedavg', ({}, _clients('0' * 10, '1' * 10)), honest, _SELECTION, 0.05
    )
    self.assertEqual(summary['gain_over/fedavg/local_test/accuracy/mean_over_clients'], 1)
    self.assertEqual(clients['verdict_over/fedavg/verdict'][0], 'better')
    self.assertTrue(pd.isna(clients['verdict_over/fedavg/verdict'][1]))

  def test_without_marks_there_are_no_verdicts(self):
    clients = _clients('11').drop(columns='local_test/correct')
    summary = comparison.add_baseline(
      clients, 'fedavg', ({}, _clients('10')), np.array([True]), _SELECTION, 0.05
    )
    self.assertFalse([name for name in (*summary, *clients) if name.startswith('verdict_over')])


if __name__ == '__main__':
  absltest.main()
