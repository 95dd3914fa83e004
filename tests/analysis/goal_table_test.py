"""Tests of the table of rounds and parameters to a goal."""

import json
import os

from absl.testing import absltest

from tff_lg import analysis, files

_COUNTS = '{}/0.4/local_test/{}/pooled'


class GoalTableTest(absltest.TestCase):
  def _write(self, summaries, metric='accuracy', objective=None):
    """Writes a sweep over methods, with (rounds to the goal, accuracy) of each seed."""
    folder = self.create_tempdir().full_path
    trials = {}
    for method, of_method in summaries.items():
      for seed, (rounds, accuracy) in enumerate(of_method):
        name = f'method={method}__seed={seed}'
        config = {'goal_accuracy': [0.4], 'objective': objective}
        trials[name] = {'values': {'method': method}, 'seed': seed, 'config': config}
        summary = {f'pooled_test/{metric}': accuracy}
        if rounds is not None:
          summary[_COUNTS.format('rounds_to', metric)] = rounds
          summary[_COUNTS.format('parameters_to', metric)] = 1000 * rounds
        path = os.path.join(folder, 'trials', name, 'summary.json')
        files.write_atomically(path, json.dumps(summary))
    definition = {'pipeline': 'train', 'axes': {'method': list(summaries)}, 'trials': trials}
    files.write_atomically(os.path.join(folder, 'sweep.json'), json.dumps(definition))
    return folder

  def test_rows(self):
    folder = self._write(
      {'lg_fedavg': [(10.0, 0.5), (None, 0.3)], 'fedavg': [(12.5, 0.42), (13.5, 0.44)]}
    )
    table = analysis.goal_table(folder, 0.4)
    self.assertEqual(
      [column.name for column in table.columns],
      ['method', 'rounds', 'parameters', 'reached', 'pooled test accuracy (%)'],
    )
    self.assertEqual({column.group for column in table.columns[1:4]}, {'to 40 %'})
    self.assertEqual(
      table.rows,
      (
        ('LG-FedAvg', '10.0', '10,000', '1 of 2', '40.00 ± 14.14'),
        ('FedAvg', '13.0', '13,000', '2 of 2', '43.00 ± 1.41'),
      ),
    )

  def test_nobody_reached_it(self):
    table = analysis.goal_table(self._write({'fedavg': [(None, 0.25)]}), 0.4)
    self.assertEqual(table.rows, (('FedAvg', '–', '–', '0 of 1', '25.00'),))

  def test_errors_of_numbers(self):
    runs = {'fedavg': [(12.5, 0.375)], 'lg_fedavg': [(None, 0.5)]}
    table = analysis.goal_table(self._write(runs, 'mae', 'regression'), 0.4)
    self.assertEqual(table.columns[1].group, 'to 0.4')
    self.assertEqual(table.columns[-1].name, 'pooled test MAE')
    rows = (
      ('FedAvg', '12.5', '12,500', '1 of 1', '0.3750'),
      ('LG-FedAvg', '–', '–', '0 of 1', '0.5000'),
    )
    self.assertEqual(table.rows, rows)

  def test_refuses_another_goal(self):
    with self.assertRaisesRegex(analysis.RunFolderError, 'no trial in .* has it'):
      analysis.goal_table(self._write({'fedavg': [(1.0, 0.25)]}), 0.5)


if __name__ == '__main__':
  absltest.main()
