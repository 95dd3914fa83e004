"""Tests of the table of distances."""

import numpy as np
from absl.testing import absltest

from tff_lg import heterogeneity


class DistanceTableTest(absltest.TestCase):
  def test_measures_the_training_part(self):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    split = np.repeat(['train', 'test'], [40, 20])
    clients = heterogeneity.simulate_clients(x, y, split, 3, 0.5, 0)
    table = heterogeneity.distance_table(x, split, clients)
    self.assertSequenceEqual(list(table.columns), ['p', 'client', 'distance', 'num_examples'])
    self.assertSequenceEqual(table['p'].tolist(), [0.5] * 3)
    self.assertSequenceEqual(table['client'].tolist(), [0, 1, 2])
    train_client = clients.client[:40]
    expected = heterogeneity.client_distances(x[:40], train_client, 3)
    np.testing.assert_array_equal(table['distance'], expected)
    np.testing.assert_array_equal(table['num_examples'], np.bincount(train_client, minlength=3))

  def test_distances_fall_as_clients_are_shuffled(self):
    rng = np.random.default_rng(0)
    x, y, split = rng.normal(size=(600, 4)), rng.integers(0, 2, 600), np.full(600, 'train')
    clients = heterogeneity.simulate_clients(x, y, split, 3, 0.0, 0)
    means = []
    for share in (0, 0.25, 0.5, 0.75, 1):
      table = heterogeneity.distance_table(x, split, heterogeneity.shuffle_clients(clients, share))
      means.append(heterogeneity.mean_distance(table['distance'].to_numpy()))
    self.assertSequenceEqual(means, sorted(means, reverse=True))
    self.assertLess(means[-1], means[0] / 5)


if __name__ == '__main__':
  absltest.main()
