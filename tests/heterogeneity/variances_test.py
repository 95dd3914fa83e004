"""Tests of the estimates of both variances: by hand, and without bias where the truth is known."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.heterogeneity import variances


def _assert_mean_is_zero(test, differences):
  """Checks it within four standard errors; seeds are fixed, so this holds or fails for good."""
  standard_error = differences.std(ddof=1) / np.sqrt(len(differences))
  test.assertLess(abs(differences.mean()), 4 * standard_error)


class BestAlphaTest(absltest.TestCase):
  def test_best_alpha_at_the_limits(self):
    self.assertEqual(variances.best_alpha(variances.Variances(-1.0, 2.0)), 0)
    self.assertEqual(variances.best_alpha(variances.Variances(2.0, 0.0)), 1)
    self.assertEqual(variances.best_alpha(variances.Variances(0.0, 0.0)), 0)


class EstimateFromHalvesTest(parameterized.TestCase):
  def test_by_hand(self):
    # Centred a = (-2, 2), b = (-4, 4): R = 8 + 8, T = 1 + 1.
    found = variances.estimate_from_halves(np.array([[[0.0], [0.0]], [[4.0], [8.0]]]))
    self.assertEqual(found, (16, 2))
    # What all clients have in common counts as neither, nor does a shift of all second halves.
    shifted = variances.estimate_from_halves(np.array([[[7.0], [1.0]], [[11.0], [9.0]]]))
    self.assertEqual(shifted, (16, 2))

  def test_sum_is_the_variance_of_the_means(self):
    halves = np.random.default_rng(3).normal(size=(5, 2, 4))
    found = variances.estimate_from_halves(halves)
    expected = halves.mean(axis=1).var(axis=0, ddof=1).sum()
    self.assertAlmostEqual(found.device + found.data, expected)

  def test_unbiased(self):
    num_clients, dim, spread, noise = 6, 5, 2.0, 3.0
    rng = np.random.default_rng(4)
    found = []
    for _ in range(500):
      truth = spread * rng.standard_normal((num_clients, 1, dim))
      halves = 1 + truth + noise * rng.standard_normal((num_clients, 2, dim))
      found.append(variances.estimate_from_halves(halves))
    device, data = np.array(found).T
    _assert_mean_is_zero(self, device - dim * spread**2)
    # The mean of both halves has half of the variance of one.
    _assert_mean_is_zero(self, data - dim * noise**2 / 2)

  def test_float32_of_many_weights(self):
    halves = np.full((2, 2, 100_000), 1000, np.float32)
    halves[1] += 0.25
    found = variances.estimate_from_halves(halves)
    self.assertEqual(found, (2 * 100_000 * 0.125**2, 0))

  @parameterized.named_parameters(
    ('one_client', np.zeros((1, 2, 3)), 'halves has 1 clients'),
    ('thirds', np.zeros((4, 3, 3)), r'halves is \[4, 3, 3\]'),
    ('no_dim', np.zeros((4, 2)), r'halves is \[4, 2\]'),
    ('nan', np.full((4, 2, 3), np.nan), 'not finite'),
  )
  def test_refuses(self, halves, sentence):
    with self.assertRaisesRegex(ValueError, sentence):
      variances.estimate_from_halves(halves)


class HalvesSumsTest(absltest.TestCase):
  def test_clients_in_portions_are_as_all_at_once(self):
    halves = np.random.default_rng(6).normal(size=(7, 2, 3))
    sums = variances.HalvesSums()
    for start in range(0, 7, 3):
      sums.add(halves[start : start + 3])
    centred = halves - halves.mean(axis=0)
    # NumPy's covariances, of the halves and of half their difference.
    products = (centred[:, 0] * centred[:, 1]).sum() / 6
    squares = ((halves[:, 0] - halves[:, 1]) / 2).var(axis=0, ddof=1).sum()
    np.testing.assert_allclose(sums.variances(), (products, squares))

  def test_one_client_is_not_enough(self):
    sums = variances.HalvesSums()
    sums.add(np.zeros((1, 2, 3)))
    with self.assertRaisesRegex(ValueError, 'halves has 1 clients, expected two or more'):
      sums.variances()


if __name__ == '__main__':
  absltest.main()
