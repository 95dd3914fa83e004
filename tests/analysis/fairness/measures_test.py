"""Tests of the figures of a run."""

import numpy as np
from absl.testing import absltest

from tests.analysis.fairness import testing
from tff_lg.analysis import fairness

_NAMES = ('race', 'sex')


class MeasuresTest(absltest.TestCase):
  def test_by_hand(self):
    test = [testing.device(2), testing.device(3)]
    values = fairness.measure([testing.device(0), testing.device(1)], test, _NAMES)
    self.assertEqual(values['local_test/accuracy/pooled'], 1)
    self.assertEqual(values['local_test/auc/mean_over_clients'], 1)
    self.assertEqual(values['local_test/adversary_auc/race/mean_over_clients'], 0)
    self.assertEqual(values['local_test/adversary_auc/sex/mean_over_clients'], 1)
    self.assertEqual(values['local_test/adversary_auc/mean_over_clients'], 0.5)
    for probe in fairness.PROBES:
      race, sex, both = (
        values[f'local_test/probe_auc/{probe}{name}/mean_over_clients']
        for name in ('/race', '/sex', '')
      )
      self.assertGreater(race, 0.9)
      self.assertBetween(sex, 0.3, 0.7)
      self.assertAlmostEqual(both, (race + sex) / 2)
    # What is predicted is the first attribute.
    self.assertEqual(values['local_test/demographic_parity_difference/race/pooled'], 1)
    self.assertTrue(np.isnan(values['local_test/equalized_odds_difference/race/pooled']))
    self.assertEqual(values['local_test/equalized_odds_difference/sex/pooled'], 0)
    share = np.mean([rows.y for rows in test])
    self.assertAlmostEqual(values['local_test/accuracy/majority'], max(share, 1 - share))

  def test_pooled_is_over_rows_and_means_over_devices(self):
    right, wrong = testing.device(0, n=30), testing.device(1, n=10)
    wrong = wrong._replace(probability=1 - wrong.probability)
    values = fairness.measure_round([right, wrong], _NAMES)
    self.assertEqual(values['local_test/accuracy/pooled'], 0.75)
    self.assertEqual(values['local_test/auc/mean_over_clients'], 0.5)

  def test_a_device_with_one_group_is_left_out_of_the_mean(self):
    one = testing.device(0)
    alone = one._replace(attributes=np.ones_like(one.attributes))
    values = fairness.measure_round([one, alone], _NAMES)
    self.assertEqual(values['local_test/adversary_auc/sex/mean_over_clients'], 1)
    values = fairness.measure_round([alone], _NAMES)
    self.assertTrue(np.isnan(values['local_test/adversary_auc/sex/mean_over_clients']))

  def test_a_device_that_has_diverged_is_left_out_of_means_and_nothing_is_pooled(self):
    one = testing.device(0)
    diverged = testing.device(1)._replace(
      h=np.full((40, 2), np.inf, np.float32), probability=np.full(40, np.nan, np.float32)
    )
    values = fairness.measure([one, diverged], [one, diverged], _NAMES)
    alone = fairness.measure([one], [one], _NAMES)
    self.assertEqual(values['local_test/auc/mean_over_clients'], 1)
    self.assertTrue(np.isnan(values['local_test/accuracy/pooled']))
    for probe in fairness.PROBES:
      name = f'local_test/probe_auc/{probe}/race/mean_over_clients'
      self.assertEqual(values[name], alone[name])
    for rule in ('demographic_parity', 'equalized_odds'):
      name = f'local_test/{rule}_difference/sex/pooled'
      self.assertTrue(np.isnan(values[name]))
      self.assertFalse(np.isnan(alone[name]))

  def test_parity_by_hand(self):
    group = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    y = np.array([0, 0, 1, 1, 0, 1, 1, 1, 1])
    predicted = np.array([1, 0, 1, 0, 0, 1, 1, 1, 0])
    rows = testing.device(n=9)._replace(probability=predicted, y=y)

    def parity(rows, group):
      rows = rows._replace(attributes=np.column_stack([group, 1 - group]))
      values = fairness.measure([rows], [rows], _NAMES)
      return [
        values[f'local_test/{rule}_difference/race/pooled']
        for rule in ('demographic_parity', 'equalized_odds')
      ]

    # 2 of 4 and 3 of 5; true-positive rates 1 of 2 and 3 of 4, false-positive rates 1 of 2 and 0.
    np.testing.assert_allclose(parity(rows, group), [0.1, 0.5])
    # Nobody is of the second group; nobody of the first one has the class 1.
    np.testing.assert_array_equal(parity(rows, 0 * group), [np.nan] * 2)
    np.testing.assert_allclose(parity(rows._replace(y=group), group), [0.1, np.nan])


if __name__ == '__main__':
  absltest.main()
