"""Tests of the banded matrix: the square root, sensitivity by brute force, expected errors."""

import itertools

import numpy as np
from absl.testing import absltest, parameterized
from scipy import linalg

from tff_lg.aggregators import bands, privacy


def _matrix(num_bands, num_rounds):
  """Returns C, [num_rounds, num_rounds], built diagonal by diagonal."""
  coefficients = bands.square_root_bands(num_bands)[:num_rounds]
  return sum(np.diag(np.full(num_rounds - k, c), -k) for k, c in enumerate(coefficients))


def _largest_move(matrix, rounds):
  """Returns the norm by which a client of these rounds moves C X at most, over all signs."""
  signs = itertools.product((-1, 1), repeat=len(rounds))
  return max(np.linalg.norm(matrix[:, list(rounds)] @ np.array(sign)) for sign in signs)


def _error(noise):
  """Returns the root mean square over rounds of the noise in running totals of one coordinate."""
  totals = np.tril(np.ones(noise.shape)) @ noise
  return np.sqrt((totals**2).sum(axis=1).mean())


def _tree_error(num_rounds):
  """Returns the same of a tree: Honaker 2015's variances, at noise for one participation."""
  variances = [
    sum(2 ** (level - 1) / (2**level - 1) for level in range(1, 20) if t >> (level - 1) & 1)
    for t in range(1, num_rounds + 1)
  ]
  return np.sqrt(num_rounds.bit_length() * np.mean(variances))


class SquareRootTest(parameterized.TestCase):
  def test_all_bands_are_the_square_root_of_prefix_sums(self):
    matrix = _matrix(9, 9)
    root = matrix / matrix[0, 0]
    np.testing.assert_allclose(root @ root, np.tril(np.ones((9, 9))), atol=1e-12)
    np.testing.assert_allclose(root, linalg.sqrtm(np.tril(np.ones((9, 9)))), atol=1e-6)

  def test_three_bands_by_hand(self):
    # 1, 1/2, 3/8: squares of 64/64, 16/64 and 9/64.
    expected = np.array([8, 4, 3]) / np.sqrt(89)
    np.testing.assert_allclose(bands.square_root_bands(3), expected, rtol=1e-12)

  @parameterized.parameters(1, 2, 3, 7)
  def test_whole_columns_have_norm_one_and_others_less(self, num_bands):
    norms = np.linalg.norm(_matrix(num_bands, 10), axis=0)
    np.testing.assert_allclose(norms[: 11 - num_bands], 1, rtol=1e-12)
    self.assertTrue(np.all(norms[11 - num_bands :] < 1))

  def test_refuses(self):
    with self.assertRaisesRegex(ValueError, 'bands is 0; it must be at least 1.'):
      bands.square_root_bands(0)


class SensitivityTest(parameterized.TestCase):
  @parameterized.parameters(*itertools.product((1, 2, 3, 4), (5, 6, 8, 9)))
  def test_every_separated_pattern_by_brute_force(self, num_bands, num_rounds):
    matrix = _matrix(num_bands, num_rounds)
    norms = np.linalg.norm(matrix, axis=0)
    worst = 0.0
    for size in range(1, num_rounds + 1):
      for rounds in itertools.combinations(range(num_rounds), size):
        if np.all(np.diff(rounds) >= num_bands):
          move = _largest_move(matrix, rounds)
          self.assertAlmostEqual(move, np.sqrt((norms[list(rounds)] ** 2).sum()), places=12)
          worst = max(worst, move)
    compositions = privacy.PrivacyBudget(
      noise_multiplier=1.0,
      clients_per_round=1,
      num_clients=10,
      delta=0.1,
      sampling='cyclic_poisson',
      mechanism='banded',
      cohort_groups=num_bands,
      bands=num_bands,
    ).event(num_rounds).count  # fmt: skip
    self.assertLessEqual(worst, np.sqrt(compositions) + 1e-12)
    if num_rounds % num_bands == 0:
      self.assertAlmostEqual(worst, np.sqrt(compositions), places=12)

  def test_rounds_that_are_closer_cost_more(self):
    matrix = _matrix(3, 8)
    self.assertGreater(_largest_move(matrix, (0, 2)), 1.05 * np.sqrt(2))


class ExpectedErrorTest(parameterized.TestCase):
  """Noise of running totals where a client takes part once: all at sensitivity 1."""

  def test_orders_the_mechanisms(self):
    num_rounds = 64
    independent = _error(np.eye(num_rounds))
    self.assertAlmostEqual(independent, np.sqrt((num_rounds + 1) / 2))
    tree = _tree_error(num_rounds)
    errors = {b: _error(np.linalg.inv(_matrix(b, num_rounds))) for b in (1, 2, 4, 16, 64)}
    self.assertAlmostEqual(errors[1], independent)
    self.assertEqual(sorted(errors.values(), reverse=True), list(errors.values()))
    self.assertLess(errors[4], 0.7 * independent)
    self.assertLess(errors[64], 0.7 * tree)
    self.assertLess(tree, independent)

  def test_full_square_root_is_near_the_lower_bound(self):
    # Any factorisation has an error of at least the nuclear norm of A over the rounds.
    prefix_sums = np.tril(np.ones((64, 64)))
    bound = np.linalg.norm(prefix_sums, 'nuc') / 64
    found = _error(np.linalg.inv(_matrix(64, 64)))
    self.assertBetween(found / bound, 1.0, 1.1)


if __name__ == '__main__':
  absltest.main()
