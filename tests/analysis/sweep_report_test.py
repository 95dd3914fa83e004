"""Tests of the table and the files of a sweep."""

import os

import pandas as pd
from absl.testing import absltest

from tests.analysis import sweep_testing
from tff_lg import analysis


class WriteSweepTest(absltest.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = self.create_tempdir().full_path
    sweep_testing.write_sweep(self.folder)

  def _write(self, **changes):
    arguments = {
      'metric': sweep_testing.METRIC,
      'x_axis': 'shuffled_share',
      'series': ('model',),
      'command': 'python -m pipelines.sweep --seeds=0-2',
    }
    return analysis.write_sweep(self.folder, **{**arguments, **changes})

  def test_table(self):
    table, _ = self._write()
    self.assertEqual(
      [column.name for column in table.columns],
      ['shuffled_share', 'model', 'pooled test AUC', 'n'],
    )
    self.assertEqual(
      table.rows,
      (
        ('0', 'dense', '0.9000 ± 0.1000', '3'),
        ('0', 'cgau', '0.7000', '1'),
        ('0.5', 'dense', '0.8000 ± 0.0000', '3'),
      ),
    )
    self.assertEqual(table.notes[1], '5 trials are not complete and left out.')
    with open(os.path.join(self.folder, 'table.md'), encoding='utf-8') as file:
      self.assertIn('| 0 | dense | 0.9000 ± 0.1000 | 3 |\n', file.read())

  def test_a_goal_that_no_trial_reached_is_a_dash(self):
    sweep_testing.write_sweep(self.folder, {'goal_accuracy': [0.97]})
    table, written = self._write(
      metric='bytes_to/0.97/local_test/accuracy/pooled', with_heat_map=True
    )
    self.assertEqual(
      table.rows, (('0', 'dense', '–', '0'), ('0', 'cgau', '–', '0'), ('0.5', 'dense', '–', '0'))
    )
    self.assertEqual(
      table.notes[1], '7 complete trials have no such number; mean and n are without them.'
    )
    self.assertLen(written, 3)

  def test_results(self):
    self._write()
    table = pd.read_csv(os.path.join(self.folder, 'results.csv'), index_col='trial')
    self.assertEqual(table.loc['shuffled_share=0.5__model=dense__seed=2', 'pooled_test/auc'], 0.8)
    self.assertEqual(list(table['seed']), [0, 1, 2, 0, 0, 1, 2])

  def test_files(self):
    _, written = self._write(with_heat_map=True)
    self.assertEqual(
      [os.path.relpath(path, self.folder) for path in written],
      ['results.csv', 'table.md', 'report.html'],
    )
    for name in ('pooled_test-auc.png', 'pooled_test-auc_heat_map.png'):
      self.assertGreater(os.path.getsize(os.path.join(self.folder, 'figures', name)), 0)
    with open(written[-1], encoding='utf-8') as file:
      page = file.read()
    for text in ('Sweep over shuffled_share, model', '<td>0.9000 ± 0.1000</td>', '--seeds=0-2'):
      self.assertIn(text, page)
    self.assertEqual(page.count('<svg role="img"'), 2)

  def test_unknown_metric_leaves_the_results(self):
    with self.assertRaisesRegex(analysis.RunFolderError, '--metric is auc'):
      self._write(metric='auc')
    self.assertEqual(sorted(os.listdir(self.folder)), ['results.csv', 'sweep.json', 'trials'])


if __name__ == '__main__':
  absltest.main()
