"""Tests of the Frechet distance against closed forms and other ways to compute it."""

import hypothesis
import numpy as np
import scipy.linalg
from absl.testing import absltest, parameterized
from hypothesis import strategies

from tff_lg import heterogeneity


def _with_moments(mean, covariance, n=50):
  """Draws a sample of which mean and covariance (n - 1) are exactly these."""
  x = np.random.default_rng(0).normal(size=(n, len(mean)))
  x -= x.mean(axis=0)
  x = x @ np.linalg.inv(np.linalg.cholesky(np.cov(x.T, ddof=1).reshape(len(mean), -1))).T
  return x @ scipy.linalg.sqrtm(np.asarray(covariance, float)).T + mean


def _by_matrix_square_root(x1, x2):
  """Computes the definition, as implementations of the Frechet inception distance have it."""
  s1, s2 = np.cov(x1.T), np.cov(x2.T)
  root = scipy.linalg.sqrtm(s1 @ s2).real
  return np.sum((x1.mean(0) - x2.mean(0)) ** 2) + np.trace(s1) + np.trace(s2) - 2 * np.trace(root)


class FrechetDistanceTest(parameterized.TestCase):
  def test_by_hand(self):
    # Means 1 and 5, variances 2 and 8: 16 + (sqrt 8 - sqrt 2)^2 = 16 + 2.
    self.assertAlmostEqual(heterogeneity.frechet_distance([[0], [2]], [[3], [7]]), 18)

  @parameterized.parameters((0, 1, 0, 1), (0, 1, 3, 1), (-1, 2, 4, 0.5), (1, 0, 0, 3))
  def test_one_dimension(self, mean1, std1, mean2, std2):
    x1, x2 = (_with_moments([m], [[s**2]]) for m, s in ((mean1, std1), (mean2, std2)))
    expected = (mean1 - mean2) ** 2 + (std1 - std2) ** 2
    self.assertAlmostEqual(heterogeneity.frechet_distance(x1, x2), expected, places=8)

  def test_equal_covariances(self):
    covariance = [[2, 1], [1, 3]]
    x1, x2 = _with_moments([0, 0], covariance), _with_moments([3, -4], covariance, n=20)
    self.assertAlmostEqual(heterogeneity.frechet_distance(x1, x2), 25, places=8)

  def test_diagonal_covariances(self):
    x1 = _with_moments([0, 0, 0], np.diag([1, 4, 9]))
    x2 = _with_moments([1, 0, 0], np.diag([4, 4, 1]), n=30)
    # |m|^2 + sum of squared differences of standard deviations.
    self.assertAlmostEqual(heterogeneity.frechet_distance(x1, x2), 1 + 1 + 0 + 4, places=8)

  def test_commuting_covariances(self):
    axes = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    x1, x2 = (
      _with_moments(np.zeros(3), axes @ np.diag(np.square(std)) @ axes.T)
      for std in ([1, 2, 3], [3, 2, 5])
    )
    self.assertAlmostEqual(heterogeneity.frechet_distance(x1, x2), 4 + 0 + 4, places=8)

  @parameterized.parameters((2, 40, 50), (5, 30, 200), (20, 100, 30))
  def test_matrix_square_root_of_full_rank(self, d, n1, n2):
    rng = np.random.default_rng(d)
    x1 = rng.normal(size=(n1, d)) @ rng.normal(size=(d, d))
    x2 = rng.normal(size=(n2, d)) @ rng.normal(size=(d, d)) + 1
    expected = _by_matrix_square_root(x1, x2)
    self.assertAlmostEqual(heterogeneity.frechet_distance(x1, x2) / expected, 1, places=9)

  @parameterized.parameters((6, 9), (2, 100), (100, 5))
  def test_rank_deficient(self, n1, n2):
    # In 40 dimensions, of which only 10 are used: equal to the distance in those 10.
    rng = np.random.default_rng(n1)
    axes = np.linalg.qr(rng.normal(size=(40, 10)))[0]
    x1, x2 = rng.normal(size=(n1, 10)), 3 * rng.normal(size=(n2, 10)) + 1
    narrow = heterogeneity.frechet_distance(x1, x2)
    self.assertAlmostEqual(heterogeneity.frechet_distance(x1 @ axes.T, x2 @ axes.T), narrow)

  def test_orthogonal_supports(self):
    # No direction in common: nothing is subtracted from the traces.
    x1 = [[1, 0, 0, 0], [-1, 0, 0, 0]]
    x2 = [[0, 3, 0, 0], [0, -3, 0, 0], [0, 0, 0, 0]]
    self.assertAlmostEqual(heterogeneity.frechet_distance(x1, x2), 2 + 9)

  @parameterized.parameters((5, 40), (100, 4))
  def test_itself(self, n, d):
    x = np.random.default_rng(0).normal(size=(n, d)).astype(np.float32)
    self.assertAlmostEqual(heterogeneity.frechet_distance(x, x), 0)
    self.assertAlmostEqual(heterogeneity.frechet_distance(x, x[::-1]), 0)

  @hypothesis.settings(deadline=None, max_examples=40)
  @hypothesis.given(
    seed=strategies.integers(0, 1000),
    n1=strategies.integers(2, 12),
    n2=strategies.integers(2, 12),
    d=strategies.integers(1, 8),
    scale=strategies.floats(0.1, 10),
  )
  def test_properties(self, seed, n1, n2, d, scale):
    rng = np.random.default_rng(seed)
    x1, x2 = rng.normal(size=(n1, d)), scale * rng.normal(size=(n2, d)) + rng.normal(size=d)
    distance = heterogeneity.frechet_distance(x1, x2)
    tolerance = 1e-7 * (1 + scale**2)
    self.assertGreaterEqual(distance, np.sum((x1.mean(0) - x2.mean(0)) ** 2) - tolerance)
    self.assertAlmostEqual(heterogeneity.frechet_distance(x2, x1), distance, delta=tolerance)
    moved = heterogeneity.frechet_distance(x1 + 5, x2 + 5)
    self.assertAlmostEqual(moved, distance, delta=tolerance)
    self.assertAlmostEqual(
      heterogeneity.frechet_distance(3 * x1, 3 * x2), 9 * distance, delta=9 * tolerance
    )
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    turned = heterogeneity.frechet_distance(x1 @ turn, x2 @ turn)
    self.assertAlmostEqual(turned, distance, delta=tolerance)

  @parameterized.named_parameters(
    ('one_row', [[1, 2]], [[1, 2], [3, 4]], r'x1 is \[1, 2\]'),
    ('flat', [[1], [2]], [1, 2], r'x2 is \[2\]'),
    ('widths', [[1], [2]], [[1, 2], [3, 4]], 'rows of 2 numbers, expected 1'),
    ('nan', [[1], [2]], [[1], [np.inf]], 'x2 has a value in row 1'),
  )
  def test_refuses(self, x1, x2, message):
    with self.assertRaisesRegex(ValueError, message):
      heterogeneity.frechet_distance(x1, x2)


class ClientDistancesTest(parameterized.TestCase):
  @parameterized.parameters((60, 3, 4), (40, 30, 4), (200, 5, 12), (30, 100, 2))
  def test_equals_each_against_the_rest(self, n, d, num_clients):
    rng = np.random.default_rng(n)
    client = rng.permutation(np.arange(n) % num_clients)
    x = rng.normal(size=(n, d)) + client[:, np.newaxis] + 10
    distances = heterogeneity.client_distances(x, client, num_clients)
    for k in range(num_clients):
      expected = heterogeneity.frechet_distance(x[client == k], x[client != k])
      self.assertAlmostEqual(distances[k], expected, places=8)

  def test_clients_with_too_few_examples(self):
    x = np.array([[0.0], [2], [5], [3], [7]])
    distances = heterogeneity.client_distances(x, np.array([0, 0, 1, 3, 3]), 4)
    np.testing.assert_array_equal(np.isnan(distances), [False, True, True, False])
    self.assertAlmostEqual(distances[0], heterogeneity.frechet_distance(x[:2], x[2:]))
    self.assertAlmostEqual(distances[3], heterogeneity.frechet_distance(x[3:], x[:3]))
    self.assertAlmostEqual(
      heterogeneity.mean_distance(distances), (distances[0] + distances[3]) / 2
    )

  def test_rest_with_too_few_examples(self):
    distances = heterogeneity.client_distances(np.arange(4.0)[:, None], np.array([0, 0, 0, 1]), 2)
    self.assertTrue(np.isnan(distances).all())
    self.assertTrue(np.isnan(heterogeneity.mean_distance(distances)))

  def test_no_example_and_one_client(self):
    none = heterogeneity.client_distances(np.zeros((0, 3)), np.zeros(0, int), 2)
    np.testing.assert_array_equal(none, [np.nan, np.nan])
    one = heterogeneity.client_distances(np.ones((5, 3)), np.zeros(5, int), 1)
    np.testing.assert_array_equal(one, [np.nan])

  def test_copies_of_one_data_set(self):
    x = np.random.default_rng(0).normal(size=(50, 4))
    distances = heterogeneity.client_distances(np.tile(x, (3, 1)), np.repeat([0, 1, 2], 50), 3)
    # Only the n - 1 of the covariance differs: tr S (1 - sqrt c)^2.
    c = (100 / 99) / (50 / 49)
    expected = np.trace(np.cov(x.T)) * (1 - np.sqrt(c)) ** 2
    np.testing.assert_allclose(distances, expected, rtol=1e-6)

  @parameterized.named_parameters(
    ('flat', np.zeros(3), np.zeros(3, int), r'x is \[3\]'),
    ('lengths', np.zeros((3, 1)), np.zeros(2, int), 'expected 3 integers'),
    ('float', np.zeros((3, 1)), np.zeros(3), 'client is float64'),
    ('large', np.zeros((2, 1)), np.array([0, 2]), r'client has the value 2, expected .* \[0, 2\)'),
    ('negative', np.zeros((2, 1)), np.array([0, -1]), 'client has the value -1'),
    ('nan', np.array([[0], [np.nan]]), np.array([0, 1]), 'x has a value in row 1'),
  )
  def test_refuses(self, x, client, message):
    with self.assertRaisesRegex(ValueError, message):
      heterogeneity.client_distances(x, client, 2)


if __name__ == '__main__':
  absltest.main()
