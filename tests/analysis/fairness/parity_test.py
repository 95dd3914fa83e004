"""Tests of parity, by hand."""

import numpy as np
from absl.testing import absltest

from tff_lg.analysis import fairness

_GROUP = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
_Y = np.array([0, 0, 1, 1, 0, 1, 1, 1, 1])
_PREDICTED = np.array([1, 0, 1, 0, 0, 1, 1, 1, 0])


class ParityTest(absltest.TestCase):
  def test_demographic_parity_by_hand(self):
    # 2 of 4 and 3 of 5.
    self.assertAlmostEqual(fairness.demographic_parity_difference(_PREDICTED, _GROUP), 0.1)
    self.assertAlmostEqual(fairness.demographic_parity_difference(_PREDICTED, 1 - _GROUP), 0.1)
    self.assertEqual(fairness.demographic_parity_difference(_GROUP, _GROUP), 1)

  def test_equalized_odds_by_hand(self):
    # True-positive rates 1 of 2 and 3 of 4, false-positive rates 1 of 2 and 0 of 1.
    self.assertAlmostEqual(fairness.equalized_odds_difference(_Y, _PREDICTED, _GROUP), 0.5)
    self.assertAlmostEqual(
      fairness.equalized_odds_difference(_Y[1:], _PREDICTED[1:], _GROUP[1:]), 0.25
    )

  def test_true_labels_have_equal_odds_whatever_their_parity(self):
    self.assertEqual(fairness.equalized_odds_difference(_Y, _Y, _GROUP), 0)
    self.assertAlmostEqual(fairness.demographic_parity_difference(_Y, _GROUP), 0.8 - 0.5)

  def test_an_empty_group_has_none(self):
    everyone = np.zeros(9, int)
    self.assertTrue(np.isnan(fairness.demographic_parity_difference(_PREDICTED, everyone)))
    self.assertTrue(np.isnan(fairness.equalized_odds_difference(_Y, _PREDICTED, everyone)))
    # A group of whom nobody is positive.
    self.assertTrue(np.isnan(fairness.equalized_odds_difference(_GROUP, _PREDICTED, _GROUP)))


if __name__ == '__main__':
  absltest.main()
