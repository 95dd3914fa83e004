"""Tests of probes, on representations of which it is known what they tell."""

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg.analysis import fairness


def _rows(n, seed):
  h = np.random.default_rng(seed).normal(size=(n, 3))
  return h, (h[:, 0] > 0).astype(int), (h[:, 1] * h[:, 2] > 0).astype(int)


class ProbesTest(parameterized.TestCase):
  def test_auc_by_hand(self):
    # Pairs in the right order: 3 of 4, and a tie counts one half.
    self.assertEqual(fairness.auc(np.array([0, 1, 0, 1]), np.array([1, 2, 3, 4])), 0.75)
    self.assertEqual(fairness.auc(np.array([0, 1]), np.array([1, 1])), 0.5)
    self.assertTrue(np.isnan(fairness.auc(np.ones(2), np.array([1, 2]))))
    self.assertTrue(np.isnan(fairness.auc(np.array([0, 1]), np.array([1, np.nan]))))

  @parameterized.parameters(*fairness.PROBES)
  def test_finds_what_is_there_and_no_more(self, probe):
    (train_h, linear, _), (test_h, test_linear, _) = _rows(300, 0), _rows(300, 1)
    self.assertGreater(fairness.probe_auc(probe, train_h, linear, test_h, test_linear), 0.98)
    noise = np.random.default_rng(2).integers(0, 2, [2, 300])
    self.assertLess(abs(fairness.probe_auc(probe, train_h, noise[0], test_h, noise[1]) - 0.5), 0.1)

  def test_boosting_finds_what_logistic_regression_does_not(self):
    (train_h, _, product), (test_h, _, test_product) = _rows(300, 0), _rows(300, 1)
    aucs = {
      probe: fairness.probe_auc(probe, train_h, product, test_h, test_product)
      for probe in fairness.PROBES
    }
    self.assertLess(aucs['logistic'], 0.65)
    self.assertGreater(aucs['boosting'], 0.9)

  @parameterized.parameters(*fairness.PROBES)
  def test_scale_of_the_representation_reveals_nothing(self, probe):
    (train_h, linear, _), (test_h, test_linear, _) = _rows(200, 0), _rows(200, 1)
    one, other = (
      fairness.probe_auc(probe, scale * train_h, linear, scale * test_h, test_linear)
      for scale in (1, 1e-4)
    )
    self.assertAlmostEqual(one, other, places=2)

  def test_one_group_alone_has_none(self):
    h, linear, _ = _rows(20, 0)
    for train, test in ((np.ones(20), linear), (linear, np.ones(20))):
      self.assertTrue(np.isnan(fairness.probe_auc('logistic', h, train, h, test)))

  @parameterized.parameters(*fairness.PROBES)
  def test_diverged_has_none(self, probe):
    h, linear, _ = _rows(200, 0)
    for value in (np.inf, np.nan):
      diverged = np.where(np.arange(200)[:, np.newaxis] == 3, value, h)
      for train_h, test_h in ((diverged, h), (h, diverged)):
        self.assertTrue(np.isnan(fairness.probe_auc(probe, train_h, linear, test_h, linear)))
    # Huge, as before it: scores are as of other units.
    huge = (1e37 * h).astype(np.float32)
    self.assertGreater(fairness.probe_auc(probe, huge, linear, huge, linear), 0.98)


if __name__ == '__main__':
  absltest.main()
