"""Tests of the table of private runs, its numbers by hand."""

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis import compared_runs, privacy_price

_SPENT = {'privacy/epsilon': 8.0, 'privacy/delta': 0.006, 'privacy/noise_multiplier': 0.7}


def private_run(path='runs/private', accuracy=(0.8, 0.6), mechanism='banded', **spent):
  """Makes a private run on the clients of `testing.make_run`."""
  run = testing.make_run()
  return testing.make_run(
    path=path,
    hparams={**run.hparams, 'aggregator': 'dp_mean', 'dp_mechanism': mechanism},
    summary={**run.summary, **_SPENT, **spent},
    metrics=run.metrics.assign(**{'privacy/epsilon': [2.0, 5.0, 8.0]}),
    clients=run.clients.assign(**{'local_test/accuracy': accuracy}),
  )


def _table(*runs):
  return privacy_price.privacy_price_table(compared_runs.compare_runs(runs[0], runs[1:]), runs)


class PrivacyPriceTableTest(absltest.TestCase):
  def test_rows(self):
    tree = private_run('runs/tree', (0.9, 0.4), 'tree', **{'privacy/epsilon': 4.0})
    table = _table(private_run(), testing.make_run(), tree)
    label = 'LG-FedAvg, DP mean, '
    # Of 90 % and 50 %, changes of −10 and +10 points, then of 0 and −10.
    self.assertEqual(
      [(row[0], *row[1:7], *row[8:]) for row in table.rows],
      [
        (f'{label}banded', '3', '8', '0.006', '0.7', '70.00', '0.00', '−10.00', '50.0'),
        (f'{label}tree', '3', '4', '0.006', '0.7', '65.00', '−5.00', '−10.00', '50.0'),
      ],
    )
    self.assertEqual(table.columns[6].group, 'change of each client (points)')
    self.assertEqual(table.notes[0], 'Changes are against LG-FedAvg, the run without privacy.')

  def test_without_an_open_run(self):
    table = _table(private_run(), private_run('runs/other', mechanism='own'))
    self.assertEqual({row[6:] for row in table.rows}, {('–',) * 4})
    self.assertEqual(table.rows[1][0], 'LG-FedAvg, DP mean, own')
    self.assertIn('No run without privacy is compared', table.notes[0])

  def test_no_private_run(self):
    self.assertIsNone(_table(testing.make_run()))


if __name__ == '__main__':
  absltest.main()
