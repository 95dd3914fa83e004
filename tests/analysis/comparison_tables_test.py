"""Tests of the tables of compared runs, their numbers by hand."""

import pandas as pd
from absl.testing import absltest

from tff_lg.analysis import comparison_tables
from tff_lg.analysis.compared_runs import ComparedRuns


def _compared(accuracy, own=None, **changes):
  values = {'metric': 'local_test/accuracy', 'num_left_out': 0, **changes}
  own = None if own is None else pd.Series(own)
  return ComparedRuns(accuracy=pd.DataFrame(accuracy), own=own, **values)


class ComparisonTableTest(absltest.TestCase):
  def test_rows(self):
    # Changes +10 and -20 points, see tables_test; Gini of .9, .5: (.4 / 2) / (2 * .7).
    table = comparison_tables.comparison_table(_compared({'FedAvg': [0.9, 0.5]}, own=[0.8, 0.7]))
    self.assertEqual(
      table.rows,
      (
        ('Local only', '75.00', '75.00', '70.00', '–', '–', '–', '–', '–', '0.0333', '25.0'),
        ('FedAvg', '70.00', '70.00', '50.00')
        + ('−5.00', '−195.59 to +185.59', '−5.00', '−20.00', '50.0', '0.1429', '400.0'),
      ),
    )
    self.assertEqual(table.columns[1].group, 'local test accuracy (%)')
    self.assertEqual(table.notes[0], 'Over the 2 clients whose local test accuracy every row has.')

  def test_a_run_that_is_local_only_itself(self):
    compared = _compared({'FedAvg': [0.9], 'Local only': [0.8]}, own=[0.8])
    labels = [row[0] for row in comparison_tables.comparison_table(compared).rows]
    self.assertEqual(labels, ['Local only (baseline)', 'FedAvg', 'Local only'])

  def test_no_baseline(self):
    table = comparison_tables.comparison_table(_compared({'FedAvg': [0.9, 0.5]}, num_left_out=3))
    self.assertEqual(table.rows[0][4:9], ('–',) * 5)
    self.assertIn('3 without it, or malicious, are left out', table.notes[0])
    self.assertIn('--baselines=local_only', table.notes[-1])

  def test_no_client(self):
    table = comparison_tables.comparison_table(_compared({'FedAvg': []}))
    self.assertEqual(table.rows, (('FedAvg', *['–'] * 10),))


class RunDifferencesTableTest(absltest.TestCase):
  def test_rows(self):
    compared = _compared({'A': [0.9, 0.5], 'B': [0.8, 0.5], 'C': [0.8, 0.4]})
    table = comparison_tables.run_differences_table(compared)
    self.assertEqual(
      [(row[0], row[1], *row[3:]) for row in table.rows],
      [('A − B', '+5.00', '1', '1', '0'), ('A − C', '+10.00', '2', '0', '0')],
    )

  def test_no_other(self):
    self.assertIsNone(comparison_tables.run_differences_table(_compared({'A': [0.9]})))

  def test_report(self):
    text = comparison_tables.comparison_report(_compared({'A': [0.9, 0.5], 'B': [0.8, 0.5]}))
    for row in ('\nA  ', '\nB  ', '\nA − B  '):
      self.assertIn(row, text)
    self.assertEqual(text.count('paired t distribution'), 1)


if __name__ == '__main__':
  absltest.main()
