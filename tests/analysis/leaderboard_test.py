"""Tests of the leaderboard's numbers and files, computed by hand."""

import math
import os

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import leaderboard, tables
from tff_lg.analysis.leaderboard_runs import RunScores


def _scores(test, validation=0.0, **changes):
  values = {
    'test': pd.Series(test, [f'c{number}' for number in range(len(test))], dtype='float64'),
    'validation': pd.Series([validation]),
    'main_validation': pd.Series([validation]),
    'held_out': pd.Series(dtype='float64'),
    'others': pd.Series(dtype='float64'),
    'rounds': 10.0,
    'num_bytes': 2000.0,
    'to_goals': {},
  }
  return RunScores(**{**values, **changes})


def _row(name, *runs, **changes):
  return leaderboard.LeaderboardRow(name, name.title(), runs, **changes)


class ScoreRowsTest(absltest.TestCase):
  def test_numbers_of_two_runs(self):
    runs = (
      _scores([0.0, 2.0], 1.0, held_out=pd.Series([5.0]), to_goals={0.9: (4.0, 800.0)}),
      _scores([2.0, 6.0], 2.0, held_out=pd.Series([7.0]), to_goals={0.9: (6.0, 1200.0)}),
    )
    row = leaderboard.score_rows([_row('ours', *runs)], more_is_better=False).loc[0]
    for name, value in (
      ('mean', 2.5),
      ('std_over_clients', 1.5),
      # The worst tenth of two is one: the greatest error of each run.
      ('worst_decile', 4.0),
      ('held_out_mean', 6.0),
      ('rounds', 10.0),
      ('bytes', 2000.0),
      ('rounds_to/0.9', 5.0),
      ('bytes_to/0.9', 1000.0),
      ('num_runs', 2),
      ('num_clients', 2),
    ):
      self.assertEqual(row[name], value, name)
    self.assertLess(row['low'], 2.5)

  def test_data_of_others(self):
    runs = [_scores([0.5], others=pd.Series(values)) for values in ([3.0, 5.0], [4.0, 8.0])]
    rows = [_row('ours', *runs), _row('theirs', _scores([0.5]))]
    scores = leaderboard.score_rows(rows, more_is_better=False)
    np.testing.assert_array_equal(scores['others_mean'], [5.0, np.nan])
    np.testing.assert_array_equal(scores['others_std_over_clients'], [1.5, np.nan])
    shown = leaderboard.Shown('error', False, '{:.2f}'.format, '{:+.2f}'.format)
    text = tables.to_text(leaderboard.to_table(scores, shown))
    for expected in ("others' data, mean ± std", '5.00 ± 1.50', "Others' data: the model of each"):
      self.assertIn(expected, text)
    without = tables.to_text(leaderboard.to_table(scores[1:], shown))
    self.assertNotIn('others', without.lower())

  def test_more_may_be_better(self):
    rows = [_row('ours', _scores([0.5, 0.9]))]
    scores = leaderboard.score_rows(rows, more_is_better=True)
    self.assertEqual(scores.loc[0, 'worst_decile'], 0.5)

  def test_a_goal_that_a_run_has_not_reached(self):
    runs = _scores([1.0], to_goals={0.9: (4.0, 800.0)}), _scores([1.0])
    scores = leaderboard.score_rows([_row('ours', *runs)], more_is_better=False)
    self.assertTrue(math.isnan(scores.loc[0, 'rounds_to/0.9']))

  def test_validation_data_choose_the_default(self):
    rows = [_row('a', _scores([1.0], -3.0)), _row('b', _scores([9.0], -2.0))]
    scores = leaderboard.score_rows(rows, more_is_better=False)
    self.assertEqual(scores['is_default'].tolist(), [False, True])
    unknown = leaderboard.score_rows([_row('a', _scores([1.0], math.nan))], more_is_better=False)
    self.assertEqual(unknown['is_default'].tolist(), [False])

  def test_differences_from_the_first_row(self):
    rows = [
      _row('a', _scores([1.0, 5.0])),
      _row('b', _scores([2.0, 6.0])),
      _row('c', _scores([2.0, 6.0]), _scores([2.0, 6.0])),
    ]
    scores = leaderboard.score_rows(rows, more_is_better=False)
    np.testing.assert_array_equal(scores['share_worse'], [np.nan, 1, np.nan])
    better = leaderboard.score_rows(
      [_row('a', _scores([1.0, 5.0])), _row('b', _scores([0.5, 5.0]))], more_is_better=True
    )
    self.assertEqual(better.loc[1, 'share_worse'], 0.5)
    differences = scores[[f'difference_{name}' for name in ('mean', 'low', 'high')]]
    np.testing.assert_array_equal(differences, [[np.nan] * 3, [1] * 3, [np.nan] * 3])
    shown = leaderboard.Shown('error', False, '{:.2f}'.format, '{:+.2f}'.format)
    text = tables.to_text(leaderboard.to_table(scores, shown))
    self.assertIn('minus A, 95 % interval', text)
    self.assertIn('worse than A (% of clients)', text)
    self.assertIn('+1.00 (+1.00 to +1.00)', text)


class WriteTest(absltest.TestCase):
  def test_page_and_csv(self):
    folder = self.create_tempdir().full_path
    rows = [
      _row('local', _scores([0.5, 0.9]), about='rate=0.1', published=(0.6, 0.2)),
      _row('=sum', _scores([0.7, 0.8], 1.0, num_bytes=math.nan)),
    ]
    shown = leaderboard.of_metric('accuracy')
    table, (csv, page) = leaderboard.write_leaderboard(folder, 'Mine', rows, shown, 'make it')
    text = tables.to_text(table)
    for expected in ('local test accuracy (%), mean ± std', '70.00 ± 20.00', '2.0 kB', '✓'):
      self.assertIn(expected, text)
    # Nobody was held out, and there is no source of published numbers to name.
    self.assertNotIn('held-out', text)
    self.assertEqual(text.count('mean ± std'), 1)
    written = pd.read_csv(csv)
    self.assertEqual(written['row'].tolist(), ['local', "'=sum"])
    self.assertEqual(written['published_mean'].tolist()[0], 0.6)
    self.assertEqual(os.path.basename(page), 'leaderboard.html')
    with open(page, encoding='utf-8') as file:
      html = file.read()
    for expected in ('class="sortable"', '<td data-value="0.7', 'make it', '95 % interval of the'):
      self.assertIn(expected, html)

  def test_published_numbers_have_their_source(self):
    shown = leaderboard.Shown('error', False, '{:.2f}'.format, '{:+.2f}'.format, 'A paper')
    rows = [_row('a', _scores([1.0, 2.0]), published=(1.25, 0.5)), _row('b', _scores([1.0, 2.0]))]
    scores = leaderboard.score_rows(rows, more_is_better=False)
    text = tables.to_text(leaderboard.to_table(scores, shown))
    self.assertIn('A paper, mean ± std', text)
    self.assertIn('1.25 ± 0.50', text)


if __name__ == '__main__':
  absltest.main()
