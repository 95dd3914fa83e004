"""Tests of worst cases over attacks, by hand."""

import pathlib

import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import robustness


def _run(before, after, own):
  ids = ['a', 'b']
  return robustness.ClientAccuracies(*(pd.Series(each, ids) for each in (before, after, own)))


_OWN = [0.6, 0.5]
_CELLS = [
  robustness.RobustnessCell(
    0.5,
    2,
    'Mean',
    'rate=1',
    0.4,
    {
      # Means 0.6 and 0.4; worst tenths 0.5 and 0.2; better alone: one of two, and both.
      'mild': [_run([0.7, 0.5], [0.7, 0.6], _OWN), _run([0.5, 0.3], [0.6, 0.5], _OWN)],
      # Means 0.45 and 0.45; worst tenths 0.4 and 0.45; better alone: all.
      'even': [_run([0.4, 0.5], [0.9, 0.9], _OWN), _run([0.45, 0.45], [0.9, 0.9], _OWN)],
    },
  ),
  robustness.RobustnessCell(
    0.5, 2, 'Median', 'rate=2', 0.5, {'mild': [_run([0.6, 0.5], [0.6, 0.5], _OWN)]}
  ),
]


class RobustnessTest(absltest.TestCase):
  def test_worst_cases(self):
    found = robustness.worst_cases(_CELLS)
    self.assertLen(found, 2 * 3 * 2)
    mean = found[found['rule'] == 'Mean'].set_index(['measure', 'stage'])
    expected = {
      ('accuracy', robustness.BEFORE): ('even', 0.45, 0.0),
      ('accuracy', robustness.AFTER): ('mild', 0.6, 0.05 * 2**0.5),
      ('worst_tenth', robustness.BEFORE): ('mild', 0.4, 0.1 * 2**0.5),
      ('better_alone', robustness.BEFORE): ('even', 0.75, 0.25 * 2**0.5),
      ('better_alone', robustness.AFTER): ('mild', 0.0, 0.0),
    }
    for key, (attack, value, std) in expected.items():
      self.assertEqual(mean.loc[key, 'attack'], attack, key)
      self.assertAlmostEqual(mean.loc[key, 'mean'], value)
      self.assertAlmostEqual(mean.loc[key, 'std'], std)
    self.assertEqual(
      dict(found.groupby('rule')['is_chosen'].all()), {'Mean': False, 'Median': True}
    )

  def test_page(self):
    folder = self.create_tempdir().full_path
    table, written = robustness.write_robustness(folder, 'Robust', _CELLS, 'a command')
    self.assertEqual([row[2] for row in table.rows], ['Mean', 'Median (chosen)'])
    self.assertEqual(table.rows[0][3:7], ('rate=1', 'even', '45.00 ± 0.00', '60.00 ± 7.07'))
    self.assertEqual(
      [pathlib.Path(path).name for path in written], ['robustness.csv', 'report.html']
    )
    self.assertLen(pd.read_csv(written[0]), 12)
    self.assertLen(list(pathlib.Path(folder, 'figures').glob('*.png')), 6)
    self.assertIn('a command', pathlib.Path(written[1]).read_text(encoding='utf-8'))

  def test_single_rule_is_not_marked(self):
    found = robustness.worst_cases(_CELLS[1:])
    self.assertEqual([row[2] for row in robustness.robustness_table(found).rows], ['Median'])
    drawn = robustness._illustrate(found, robustness.MEASURES[0], robustness.BEFORE)
    titles = [axes.get_title() for axes in drawn.figure.axes]
    self.assertEqual([title for title in titles if title], ['rule = Median'])


if __name__ == '__main__':
  absltest.main()
