"""Tests of runs as tables."""

import numpy as np
from absl.testing import absltest

from tests.analysis.fairness import testing
from tff_lg.analysis import fairness


class CollectTest(absltest.TestCase):
  def test_rows(self):
    train, first, last = ((testing.device(seed),) for seed in range(3))
    first = (first[0]._replace(probability=1 - first[0].probability),)
    runs = [
      testing.Run(train, last, (first, last)),
      testing.Run(
        train, last, (first, last), 2.5, 'non_iid', 'lg_fedavg', 7, left_out=3, diverged='why'
      ),
      testing.Run(train, last, (), method='local_only', own_models={'own_models/x': 2.0}),
    ]
    results, rounds = fairness.collect(iter(runs), ('race', 'sex'))
    names = ['partition', 'method', 'lambda', 'seed']
    expected = [
      ['iid', 'fedavg', 0.0, 0],
      ['non_iid', 'lg_fedavg', 2.5, 7],
      ['iid', 'local_only', 0.0, 0],
    ]
    self.assertEqual(results[names].to_numpy().tolist(), expected)
    self.assertEqual(results['train/num_clients_left_out'].tolist(), [0, 3, 0])
    self.assertEqual(results['train/diverged'].tolist(), ['', 'why', ''])
    self.assertEqual(results['communication/parameters_total'].tolist(), [70, 70, 70])
    np.testing.assert_array_equal(results['own_models/x'], [np.nan, np.nan, 2])
    measured = fairness.measure(train, last, ('race', 'sex'))
    for name, value in measured.items():
      np.testing.assert_array_equal(results[name], value)
    self.assertEqual(results['local_test/accuracy/pooled'].tolist(), [1, 1, 1])
    self.assertEqual(rounds[names].to_numpy().tolist(), [expected[0]] * 2 + [expected[1]] * 2)
    self.assertEqual(rounds['round'].tolist(), [0, 1, 0, 1])
    self.assertEqual(rounds['local_test/accuracy/pooled'].tolist(), [0, 1, 0, 1])


if __name__ == '__main__':
  absltest.main()
