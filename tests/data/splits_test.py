"""Tests of sharing in whole numbers."""

import hypothesis
import numpy as np
from absl.testing import absltest, parameterized
from hypothesis import strategies as st

from tff_lg.data import splits

_SETTINGS = {'deadline': None, 'derandomize': True, 'database': None}


def setUpModule():
  hypothesis.configuration.set_hypothesis_home_dir(absltest.get_default_test_tmpdir())


def _rng():
  return np.random.default_rng(0)


class ApportionTest(parameterized.TestCase):
  @parameterized.parameters(
    (6, [1, 2, 3], [1, 2, 3]),
    (7, [1, 2, 4], [1, 2, 4]),
    (10, [6, 3, 1], [6, 3, 1]),
    # No weight, no share.
    (10, [0, 90, 0, 10], [0, 9, 0, 1]),
    # Due 9.9 and 0.1: at least one each.
    (10, [99, 1], [9, 1]),
    # Too few for all: the largest remainders win.
    (2, [5, 1, 4], [1, 0, 1]),
    (0, [3, 4], [0, 0]),
    (5, [0, 0], [0, 0]),
    (5, [], []),
  )
  def test_by_hand(self, total, weights, expected):
    np.testing.assert_array_equal(splits.apportion(total, np.array(weights), _rng()), expected)

  def test_ties_are_served_at_random(self):
    rng = _rng()
    total = sum(splits.apportion(2, np.array([1, 1, 1]), rng) for _ in range(300))
    self.assertEqual(total.sum(), 600)
    self.assertBetween(total.min(), 170, 200)

  @hypothesis.settings(**_SETTINGS)
  @hypothesis.given(st.integers(0, 200), st.lists(st.integers(0, 50), min_size=1, max_size=9))
  def test_sums_up_and_serves_everyone(self, total, weights):
    weights = np.array(weights)
    shares = splits.apportion(total, weights, _rng())
    self.assertEqual(shares.sum(), total if weights.any() else 0)
    self.assertTrue((shares[weights == 0] == 0).all())
    if total >= (weights > 0).sum():
      self.assertTrue((shares[weights > 0] >= 1).all())
    # Without the rule of at least one, no share is a whole example off.
    if weights.any() and (total * weights >= weights.sum())[weights > 0].all():
      self.assertLess(np.abs(shares - total * weights / weights.sum()).max(), 1)


class GroupByOwnerTest(absltest.TestCase):
  def test_by_hand(self):
    groups = splits.group_by_owner(np.array([2, 0, -1, 2, 0]), 4)
    self.assertEqual([group.tolist() for group in groups], [[1, 4], [], [0, 3], []])


class HoldOutTest(parameterized.TestCase):
  def test_is_stratified(self):
    labels = np.repeat([0, 1], [40, 20])
    kept, held = splits.hold_out(labels, 0.1, _rng())
    np.testing.assert_array_equal(np.bincount(labels[held]), [4, 2])
    np.testing.assert_array_equal(np.sort(np.concatenate([kept, held])), np.arange(60))

  @parameterized.parameters(
    ([], 0.5, 0),
    ([3, 3, 3], 0.0, 0),
    ([3], 0.5, 0),  # The last example of a class is never held out.
    ([0, 1, 2], 0.5, 0),
    ([3, 3, 3], 0.01, 1),  # At least one.
    ([3, 3, 3, 3], 0.99, 3),
    ([1, 1, 1, 1, 1], 0.5, 3),  # 2.5 is rounded up.
  )
  def test_how_many(self, labels, fraction, expected):
    _, held = splits.hold_out(np.array(labels, np.int32), fraction, _rng())
    self.assertLen(held, expected)

  def test_every_class_if_enough_are_held_out(self):
    labels = np.repeat([0, 1, 2], [100, 2, 2])
    kept, held = splits.hold_out(labels, 0.1, _rng())
    np.testing.assert_array_equal(np.bincount(labels[held]), [8, 1, 1])
    np.testing.assert_array_equal(np.bincount(labels[kept]), [92, 1, 1])

  def test_is_decided_by_the_generator(self):
    labels = np.zeros(100, np.int32)
    first, again = (splits.hold_out(labels, 0.5, _rng())[1] for _ in range(2))
    other = splits.hold_out(labels, 0.5, np.random.default_rng(1))[1]
    np.testing.assert_array_equal(first, again)
    self.assertFalse(np.array_equal(first, other))

  @parameterized.parameters(-0.1, 1.0, float('nan'))
  def test_refuses_fraction(self, fraction):
    with self.assertRaisesRegex(ValueError, f'hold out is {fraction}, expected a number in'):
      splits.hold_out(np.zeros(3, np.int32), fraction, _rng())


if __name__ == '__main__':
  absltest.main()
