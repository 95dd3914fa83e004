"""Tests for tff_lg.verdicts.verdict."""

import itertools

import numpy as np
from absl.testing import absltest
from scipy import stats

from tff_lg import verdicts


def _pair(wins, losses, both, neither):
  first = np.repeat([True, False, True, False], [wins, losses, both, neither])
  second = np.repeat([False, True, True, False], [wins, losses, both, neither])
  return first, second


class AccuracyTest(absltest.TestCase):
  def test_each_client_by_hand(self):
    pairs = [_pair(12, 0, 8, 0), _pair(0, 12, 8, 0), _pair(2, 1, 10, 2), _pair(0, 0, 0, 0)]
    table = verdicts.judge_accuracy(*zip(*pairs, strict=True))
    self.assertEqual(list(table['verdict']), ['better', 'worse', 'cannot tell', 'cannot tell'])
    self.assertEqual(list(table['num_examples']), [20, 20, 15, 0])
    np.testing.assert_allclose(table['difference'], [0.6, -0.6, 1 / 15, np.nan])
    np.testing.assert_allclose(table['p_value'], [0.5**12, 0.5**12, 0.625, np.nan])
    # Of three p-values, the two small ones are corrected by 3 / 2.
    np.testing.assert_allclose(
      table['adjusted_p_value'], [1.5 * 0.5**12, 1.5 * 0.5**12, 0.625, np.nan]
    )
    np.testing.assert_allclose(table['smallest_difference'], [0.25, 0.25, 1 / 3, np.nan])

  def test_correction_takes_verdicts_away(self):
    # Five wins of five: 0.031 alone, too much beside nine clients that show nothing.
    alone = verdicts.judge_accuracy(*zip(_pair(5, 0, 5, 0), strict=True))
    among = verdicts.judge_accuracy(*zip(_pair(5, 0, 5, 0), *[_pair(1, 1, 5, 0)] * 9, strict=True))
    self.assertEqual(alone['verdict'][0], 'better')
    self.assertEqual(among['verdict'][0], 'cannot tell')

  def test_false_discoveries_are_few(self):
    rng = np.random.default_rng(0)
    shares, power = [], []
    for _ in range(40):
      # Eighty clients whose models are alike, and twenty where the first is better.
      chances = np.where(np.arange(100) < 80, 0.1, 0.3)[:, None]
      draws = rng.random((100, 100))
      first, second = draws >= 0.1, draws < 1 - chances
      second[:80] = rng.random((80, 100)) >= 0.1
      table = verdicts.judge_accuracy(list(first), list(second))
      found = table['verdict'] != 'cannot tell'
      shares.append(found[:80].sum() / max(found.sum(), 1))
      power.append(found[80:].mean())
    self.assertGreater(np.mean(power), 0.5)
    self.assertLess(np.mean(shares), 0.05)

  def test_other_examples_are_refused(self):
    with self.assertRaisesRegex(
      ValueError, r'\(3,\) and \(2,\) scores: expected those of the same'
    ):
      verdicts.judge_accuracy([np.ones(3, bool)], [np.ones(2, bool)])


class MetricTest(absltest.TestCase):
  def test_sign_flips_by_hand(self):
    losses, others = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.3, 0.5, 0.2, 0.9])
    table = verdicts.judge_metric([losses], [others])
    gains = others - losses
    flips = [np.dot(signs, gains) for signs in itertools.product([1, -1], repeat=4)]
    expected = np.mean(np.abs(flips) >= abs(gains.sum()) - 1e-12)
    self.assertAlmostEqual(table['p_value'][0], expected)
    self.assertAlmostEqual(table['difference'][0], gains.mean())
    self.assertEqual(table['test'][0], 'sign flips')
    self.assertEqual(table['verdict'][0], 'cannot tell')

  def test_many_examples_by_the_t_test(self):
    rng = np.random.default_rng(0)
    scores, others = rng.normal(1, 1, 40), rng.normal(0, 1, 40)
    table = verdicts.judge_metric([scores], [others], more_is_better=True)
    self.assertAlmostEqual(table['p_value'][0], stats.ttest_rel(scores, others).pvalue)
    self.assertEqual((table['test'][0], table['verdict'][0]), ('t', 'better'))

  def test_less_is_better_by_default(self):
    values = np.arange(20) / 20
    table = verdicts.judge_metric([values, values], [values - 1, values + 1])
    self.assertEqual(list(table['verdict']), ['worse', 'better'])
    np.testing.assert_allclose(table['low'], [-1, 1])

  def test_too_few_examples_and_values_that_are_not_finite(self):
    table = verdicts.judge_metric(
      [np.array([]), np.array([1.0]), np.array([np.nan, 1.0, 2.0])],
      [np.array([]), np.array([0.0]), np.array([0.0, 0.0, 0.0])],
    )
    self.assertEqual(list(table['num_examples']), [0, 1, 2])
    self.assertEqual(list(table['verdict']), ['cannot tell'] * 3)
    self.assertEqual(list(table['test']), ['none', 'none', 'sign flips'])

  def test_equal_models(self):
    table = verdicts.judge_metric([np.ones(30)], [np.ones(30)])
    self.assertEqual((table['p_value'][0], table['verdict'][0]), (1.0, 'cannot tell'))


if __name__ == '__main__':
  absltest.main()
