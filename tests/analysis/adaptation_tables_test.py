"""Tests of the tables of an adaptation run, their numbers by hand."""

import math

from absl.testing import absltest

from tests.analysis import adaptation_testing as testing
from tff_lg.analysis import adaptation_tables


def _compare(clients, metric='local_test/accuracy'):
  run = testing.make_run(clients=clients)
  return run.compare_models(metric, testing.all_clients(run))


class AccuracyTableTest(absltest.TestCase):
  def test_rows(self):
    table = adaptation_tables.accuracy_table([_compare(testing.make_clients())])
    self.assertEqual(
      table.rows,
      (
        ('Local only', '75.00 ± 5.00', '75.00', '70.00'),
        ('Federated', '70.00 ± 20.00', '70.00', '50.00'),
        ('Fine-tuned', '80.00 ± 10.00', '80.00', '70.00'),
        ('Best by validation', '80.00 ± 10.00', '80.00', '70.00'),
      ),
    )
    self.assertEqual(table.columns[1].group, 'local test accuracy (%)')
    self.assertIn('Over the 2 clients', table.notes[0])

  def test_two_metrics(self):
    clients = testing.make_clients(participant=True)
    by_metric = [
      _compare(clients, f'{name}/accuracy') for name in ('participant_test', 'local_test')
    ]
    table = adaptation_tables.accuracy_table(by_metric)
    self.assertEqual(
      table.rows[1][1:], ('35.00 ± 10.00', '35.00', '25.00', '70.00 ± 20.00') + ('70.00', '50.00')
    )

  def test_clients_left_out(self):
    clients = testing.make_clients()
    clients.loc['a', 'fine_tune/local_test/accuracy'] = math.nan
    table = adaptation_tables.accuracy_table([_compare(clients)])
    self.assertIn(
      'Over the 1 clients whose local test accuracy is known with every model; 1 with',
      table.notes[0],
    )
    self.assertEqual(table.rows[1], ('Federated', '50.00 ± 0.00', '50.00', '50.00'))


class GainsTableTest(absltest.TestCase):
  def test_rows(self):
    table = adaptation_tables.gains_table(_compare(testing.make_clients()))
    # Changes +10, -20: std (n - 1) 21.213, over the root of 2 and times 12.7062: 190.59.
    # Changes +10, 0: std 7.071, 63.53. Changes 0, +20: std 14.142, 127.06.
    adapted = ('+5.00', '−58.53 to +68.53', '0.00', '+10.00', '−117.06 to +137.06', '0.00')
    self.assertEqual(
      table.rows,
      (
        ('Federated', '−5.00', '−195.59 to +185.59', '50.00', '–', '–', '–'),
        ('Fine-tuned', *adapted),
        ('Best by validation', *adapted),
      ),
    )

  def test_no_own_models(self):
    table = adaptation_tables.gains_table(_compare(testing.without_own(testing.make_clients())))
    self.assertEqual(table.rows[1], ('Fine-tuned', '+10.00', '−117.06 to +137.06', '0.00'))
    self.assertEqual(table.rows[0], ('Federated', '–', '–', '–'))
    self.assertIn('--baselines=local_only', table.notes[0])

  def test_one_client(self):
    table = adaptation_tables.gains_table(_compare(testing.make_clients().iloc[:1]))
    self.assertEqual(table.rows[1], ('Fine-tuned', '+10.00', '–', '0.00', '0.00', '–', '0.00'))


class TechniquesTableTest(absltest.TestCase):
  def test_rows(self):
    clients = testing.make_clients().assign(**{'fine_tune/is_finite': [1.0, 0.0]})
    run = testing.make_run(clients=clients)
    table = adaptation_tables.techniques_table(run, testing.all_clients(run))
    self.assertEqual(
      table.rows, (('Federated', '1', '50.0', '–', '–'), ('Fine-tuned', '1', '50.0', '2.5', '1'))
    )

  def test_nothing_recorded(self):
    clients = testing.make_clients().drop(columns=['fine_tune/is_finite', 'fine_tune/epoch'])
    run = testing.make_run(clients=clients.assign(**{'best/name': None}))
    table = adaptation_tables.techniques_table(run, testing.all_clients(run))
    self.assertEqual(table.rows[1], ('Fine-tuned', '0', '0.0', '–', '–'))


class GroupTablesTest(absltest.TestCase):
  def test_malicious_clients(self):
    run = testing.make_run(clients=testing.make_clients().assign(is_malicious=[1.0, 0.0]))
    (clients,) = run.groups().values()
    accuracy, _, techniques = adaptation_tables.group_tables(run, clients)
    self.assertEqual(accuracy.notes[0], '1 malicious clients are left out everywhere.')
    self.assertIn('Over the 1 clients', accuracy.notes[1])
    self.assertEqual(techniques.rows[0][:2], ('Federated', '0'))

  def test_local_test_accuracy_beside_that_of_participants(self):
    for participant, num_columns in ((False, 4), (True, 7)):
      run = testing.make_run(clients=testing.make_clients(participant=participant))
      accuracy, gains, _ = adaptation_tables.group_tables(run, testing.all_clients(run))
      self.assertLen(accuracy.columns, num_columns)
      self.assertEqual(gains.rows[0][1], '−2.50' if participant else '−5.00')


if __name__ == '__main__':
  absltest.main()
