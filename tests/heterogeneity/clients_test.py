"""Tests of the simulation of clients, on clusters that can be checked by eye."""

import warnings

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import heterogeneity
from tff_lg.heterogeneity import clients as clients_lib

_CORNERS = np.array([[0, 0], [100, 0], [0, 10], [100, 10]], np.float64)


def _corners(copies=5, num_classes=2):
  """Makes classes with tight groups of examples at the four corners of their own rectangles."""
  rng = np.random.default_rng(0)
  corner = np.tile(np.arange(4), num_classes * copies)
  y = np.repeat(np.arange(num_classes, dtype=np.int32), 4 * copies)
  x = _CORNERS[corner] + [0, 1000] * y[:, np.newaxis] + rng.normal(0, 0.01, (len(y), 2))
  return x.astype(np.float32), y, corner, np.full(len(y), 'train')


def _embeddings(n=300, d=8):
  rng = np.random.default_rng(1)
  split = np.where(np.arange(n) % 5 == 0, 'test', 'train')
  y = rng.integers(0, 3, n)
  return rng.normal(size=(n, d)).astype(np.float32) + y[:, np.newaxis], y, split


class SimulateClientsTest(parameterized.TestCase):
  def test_each_client_has_one_cluster_of_each_class(self):
    x, y, corner, split = _corners()
    clients = heterogeneity.simulate_clients(x, y, split, 4, 0.0, 3)
    self.assertEqual(clients.client.dtype, np.int32)
    for label in range(2):
      pairs = {(k, c) for k, c in zip(clients.client[y == label], corner[y == label], strict=True)}
      self.assertLen(pairs, 4)
      self.assertCountEqual([k for k, _ in pairs], range(4))
      self.assertCountEqual([c for _, c in pairs], range(4))
    self.assertEqual(clients.num_missing_centroids, 0)

  def test_centroids_are_means_of_their_client_and_class(self):
    x, y, _, split = _corners()
    clients = heterogeneity.simulate_clients(x, y, split, 4, 0.0, 0)
    self.assertEqual(clients.centroids.shape, (2, 4, 2))
    for label in range(2):
      for k in range(4):
        own = clients.coordinates[(y == label) & (clients.client == k)]
        np.testing.assert_allclose(clients.centroids[label, k], own.mean(axis=0), rtol=1e-4)

  def test_owners_differ_between_classes_and_seeds(self):
    x, y, corner, split = _corners(num_classes=6)
    owners = set()
    for seed in range(2):
      client = heterogeneity.simulate_clients(x, y, split, 4, 0.0, seed).client
      for label in range(6):
        of_class = y == label
        owners.add(tuple(client[of_class][np.argsort(corner[of_class], kind='stable')]))
    self.assertGreater(len(owners), 4)

  def test_coordinates_are_principal_components_of_the_training_part(self):
    x, y, split = _embeddings()
    clients = heterogeneity.simulate_clients(x, y, split, 3, 0.0, 0)
    train = x[split == 'train'].astype(np.float64)
    _, _, axes = np.linalg.svd(train - train.mean(axis=0), full_matrices=False)
    expected = (x - train.mean(axis=0)) @ axes[:2].T
    np.testing.assert_allclose(np.abs(clients.coordinates), np.abs(expected), atol=1e-4)
    self.assertEqual(clients.coordinates.dtype, np.float32)

  def test_a_large_mean_does_not_matter(self):
    x, y, split = _embeddings()
    near = heterogeneity.simulate_clients(x, y, split, 3, 0.0, 0)
    far = heterogeneity.simulate_clients(x.astype(np.float64) + 1e6, y, split, 3, 0.0, 0)
    np.testing.assert_allclose(near.coordinates, far.coordinates, atol=1e-4)

  def test_other_splits_do_not_move_the_fit(self):
    x, y, split = _embeddings()
    is_train = split == 'train'
    alone = heterogeneity.simulate_clients(x[is_train], y[is_train], split[is_train], 3, 0.0, 0)
    moved = np.where(is_train[:, np.newaxis], x, 50 * x)
    both = heterogeneity.simulate_clients(moved, y, split, 3, 0.0, 0)
    np.testing.assert_array_equal(both.centroids, alone.centroids)
    np.testing.assert_array_equal(both.client[is_train], alone.client)

  def test_every_split_goes_to_the_nearest_centroid_of_its_class(self):
    x, y, split = _embeddings()
    clients = heterogeneity.simulate_clients(x, y, split, 5, 0.0, 0)
    for i in np.flatnonzero(split == 'test'):
      distances = [np.linalg.norm(clients.coordinates[i] - c) for c in clients.centroids[y[i]]]
      self.assertEqual(clients.client[i], np.argmin(distances))

  def test_same_seed_same_clients(self):
    x, y, split = _embeddings()
    first, again = (heterogeneity.simulate_clients(x, y, split, 5, 0.4, 7) for _ in range(2))
    np.testing.assert_array_equal(first.client, again.client)
    np.testing.assert_array_equal(first.centroids, again.centroids)
    other = heterogeneity.simulate_clients(x, y, split, 5, 0.4, 8)
    self.assertFalse(np.array_equal(first.client, other.client))


class FewExamplesTest(parameterized.TestCase):
  def test_fewer_distinct_examples_than_clients(self):
    # Class 0 has ten examples at two places, class 1 twenty places.
    rng = np.random.default_rng(0)
    x = np.concatenate([np.repeat([[0.0, 0], [9, 0]], 5, axis=0), rng.random((20, 2)) + 100])
    y = np.repeat([0, 1], [10, 20])
    with warnings.catch_warnings():
      warnings.simplefilter('error')  # k-means warns where it finds fewer clusters than asked.
      clients = heterogeneity.simulate_clients(x, y, np.full(30, 'train'), 5, 0.0, 0)
    self.assertEqual(clients.num_missing_centroids, 3)
    holders = np.flatnonzero(~np.isnan(clients.centroids[0, :, 0]))
    self.assertLen(holders, 2)
    np.testing.assert_array_equal(np.unique(clients.client[:10]), holders)
    self.assertLen(set(clients.client[:5]), 1)

  def test_which_clients_go_without_is_random(self):
    x = np.array([[0.0, 0], [1, 1]])
    holders = {
      tuple(
        heterogeneity.simulate_clients(x, np.zeros(2, int), np.full(2, 'train'), 9, 0, s).client
      )
      for s in range(8)
    }
    self.assertGreater(len(holders), 4)

  def test_labels_that_never_occur_are_not_missing(self):
    x, y, _, split = _corners()
    clients = heterogeneity.simulate_clients(x, 3 * y, split, 4, 0.0, 0)
    self.assertEqual(clients.centroids.shape, (4, 4, 2))
    self.assertEqual(clients.num_missing_centroids, 0)

  def test_one_client(self):
    x, y, split = _embeddings()
    for share in (0, 1):
      clients = heterogeneity.simulate_clients(x, y, split, 1, share, 0)
      np.testing.assert_array_equal(clients.client, 0)


class ShuffleClientsTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    n = 20_000
    self.clients = clients_lib.SimulatedClients(
      client=np.full(n, 3, np.int32),
      nearest_client=np.full(n, 3, np.int32),
      coordinates=np.zeros((n, 2), np.float32),
      centroids=np.zeros((1, 10, 2), np.float32),
      num_clients=10,
      shuffled_share=0.0,
      seed=0,
    )

  @parameterized.parameters(0, 0.2, 0.5, 1)
  def test_share_goes_to_all_clients_alike(self, share):
    client = heterogeneity.shuffle_clients(self.clients, share).client
    counts = np.bincount(client, minlength=10)
    expected = np.full(10, share * 2000)
    expected[3] += (1 - share) * 20_000
    np.testing.assert_allclose(counts, expected, atol=200)  # More than four deviations.

  def test_larger_shares_keep_what_smaller_ones_moved(self):
    before = self.clients.client
    for share in (0.2, 0.4, 0.6, 0.8, 1):
      client = heterogeneity.shuffle_clients(self.clients, share).client
      moved = before != self.clients.client
      np.testing.assert_array_equal(client[moved], before[moved])
      before = client

  def test_does_not_depend_on_the_share_before(self):
    half = heterogeneity.shuffle_clients(self.clients, 0.5)
    self.assertEqual(half.shuffled_share, 0.5)
    np.testing.assert_array_equal(
      heterogeneity.shuffle_clients(half, 0.2).client,
      heterogeneity.shuffle_clients(self.clients, 0.2).client,
    )
    np.testing.assert_array_equal(
      heterogeneity.shuffle_clients(half, 0).client, self.clients.nearest_client
    )

  def test_equals_a_simulation_at_that_share(self):
    x, y, split = _embeddings()
    whole = heterogeneity.simulate_clients(x, y, split, 5, 0.6, 2)
    start = heterogeneity.simulate_clients(x, y, split, 5, 0.0, 2)
    np.testing.assert_array_equal(heterogeneity.shuffle_clients(start, 0.6).client, whole.client)
    np.testing.assert_array_equal(start.client, whole.nearest_client)
    np.testing.assert_array_equal(start.centroids, whole.centroids)

  @parameterized.parameters((0.24, 1), (0.25, 1), (0.375, 2), (0.12, 0))
  def test_number_of_examples_is_rounded(self, share, expected):
    clients = clients_lib.SimulatedClients(
      client=np.full(4, -1, np.int32),
      nearest_client=np.full(4, -1, np.int32),
      coordinates=np.zeros((4, 2), np.float32),
      centroids=np.zeros((1, 3, 2), np.float32),
      num_clients=3,
      shuffled_share=0.0,
      seed=0,
    )
    client = heterogeneity.shuffle_clients(clients, share).client
    self.assertEqual(np.sum(client >= 0), expected)


class RefusalTest(parameterized.TestCase):
  @parameterized.named_parameters(
    ('num_clients', {'num_clients': 0}, 'num_clients: 0 found'),
    ('share', {'shuffled_share': 1.5}, 'shuffled_share: 1.5 found'),
    ('nan_share', {'shuffled_share': float('nan')}, 'shuffled_share: nan found'),
    ('seed', {'seed': -1}, 'seed: -1 found'),
    ('x_is_flat', {'x': np.zeros(4)}, r'x is float64 \[4\], expected numbers \[n, d\]'),
    ('one_dimension', {'x': np.zeros((4, 1))}, r'x is float64 \[4, 1\]'),
    ('y_length', {'y': np.zeros(3, int)}, r'y is int64 \[3\], expected 4 integers'),
    ('y_float', {'y': np.zeros(4)}, 'y is float64'),
    ('y_negative', {'y': np.array([0, -2, 0, 0])}, 'label -2'),
    ('split_length', {'split': np.full(3, 'train')}, r'split is <U5 \[3\], expected 4 strings'),
    ('no_train', {'split': np.full(4, 'test')}, 'split has 0 examples of train'),
    (
      'class_without_train',
      {'y': np.array([0, 0, 2, 0]), 'split': np.array(['train', 'train', 'test', 'test'])},
      'Class 2 has 1 examples but none of split train',
    ),
    ('not_finite', {'x': np.array([[0, 0], [1, 1], [0, np.nan], [0, 1]])}, 'in row 2'),
  )
  def test_refuses(self, changes, message):
    arguments = {
      'x': np.arange(8.0).reshape(4, 2),
      'y': np.zeros(4, int),
      'split': np.full(4, 'train'),
      'num_clients': 2,
      'shuffled_share': 0.0,
      'seed': 0,
    }
    heterogeneity.simulate_clients(**arguments)
    with self.assertRaisesRegex(ValueError, message):
      heterogeneity.simulate_clients(**{**arguments, **changes})


if __name__ == '__main__':
  absltest.main()
