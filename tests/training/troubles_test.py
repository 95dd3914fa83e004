"""Tests of clients that drop out and of stragglers."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.training import troubles


class TroublesTest(parameterized.TestCase):
  def test_no_trouble(self):
    shares = troubles.draw_work_shares(4, 0.0, 0.0, seed=1)
    self.assertEqual(shares.dtype, np.float32)
    np.testing.assert_array_equal(shares, [1, 1, 1, 1])

  def test_all_drop_out(self):
    np.testing.assert_array_equal(troubles.draw_work_shares(3, 1.0, 0.5, seed=1), [0, 0, 0])

  def test_all_straggle(self):
    shares = troubles.draw_work_shares(10_000, 0.0, 1.0, seed=1)
    self.assertBetween(shares.min(), 1e-38, 1e-3)
    self.assertBetween(shares.max(), 0.999, 1 - 1e-8)
    # Mean and variance of the uniform distribution.
    self.assertAlmostEqual(shares.mean(), 1 / 2, delta=0.01)
    self.assertAlmostEqual(shares.var(), 1 / 12, delta=0.003)

  def test_rates(self):
    n, dropout_rate, straggler_rate = 20_000, 0.2, 0.5
    shares = troubles.draw_work_shares(n, dropout_rate, straggler_rate, seed=2)
    for share, expected in (
      (np.mean(shares == 0), dropout_rate),
      (np.mean(shares == 1), (1 - dropout_rate) * (1 - straggler_rate)),
    ):
      self.assertAlmostEqual(share, expected, delta=4 * np.sqrt(expected * (1 - expected) / n))

  def test_seed_decides(self):
    one, same, other = (troubles.draw_work_shares(50, 0.3, 0.5, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    self.assertTrue(np.any(one != other))

  def test_draws_do_not_depend_on_the_rates(self):
    few = troubles.draw_work_shares(1000, 0.1, 0.5, seed=1)
    many = troubles.draw_work_shares(1000, 0.4, 0.5, seed=1)
    self.assertTrue(np.all(many[few == 0] == 0))
    np.testing.assert_array_equal(many[many > 0], few[many > 0])

  @parameterized.parameters(
    (-0.1, 0.0, 'dropout_rate is -0.1'),
    (0.0, 1.5, 'straggler_rate is 1.5'),
    (float('nan'), 0.0, 'dropout_rate is nan'),
  )
  def test_refuses(self, dropout_rate, straggler_rate, message):
    with self.assertRaisesRegex(ValueError, rf'{message}, expected a number in \[0, 1\]'):
      troubles.draw_work_shares(3, dropout_rate, straggler_rate, seed=0)


if __name__ == '__main__':
  absltest.main()
