"""Tests of the tables of what came after adapting, their numbers by hand."""

from absl.testing import absltest

from tests.analysis import adaptation_testing as testing
from tff_lg.analysis import following_tables


def _tables(hparams=None, **columns):
  clients = testing.make_clients().assign(**columns)
  return following_tables.following_tables(testing.make_run(clients=clients, hparams=hparams or {}))


class FollowingTablesTest(absltest.TestCase):
  def test_nothing_followed(self):
    self.assertEqual(_tables(), {})

  def test_aggregated(self):
    found = _tables(
      {'aggregate_epochs': [5]}, **{'fine_tune_aggregated_5/local_test/accuracy': [1.0, 0.6]}
    )
    self.assertEqual(list(found), [following_tables.AGGREGATED])
    accuracy, gains = found[following_tables.AGGREGATED]
    self.assertEqual(
      [row[:2] for row in accuracy.rows],
      [
        ('Local only', '75.00 ± 5.00'),
        ('Federated', '70.00 ± 20.00'),
        ('Fine-tuned, 5 epochs, aggregated', '80.00 ± 20.00'),
      ],
    )
    # 20 and -10 points over the own models, 10 over the federated one.
    self.assertEqual((gains.rows[1][1], gains.rows[1][3]), ('+5.00', '50.00'))
    self.assertEqual((gains.rows[1][4], gains.rows[1][6]), ('+10.00', '0.00'))

  def test_trained_again(self):
    found = _tables(**{'retrained/local_test/accuracy': [1.0, 0.25], 'is_removed': [0.0, 1.0]})
    self.assertEqual(list(found), [following_tables.KEPT, following_tables.REMOVED])
    for (accuracy, _), expected in zip(found.values(), ('100.00', '25.00'), strict=True):
      self.assertEqual((accuracy.rows[-1][0], accuracy.rows[-1][2]), ('Trained again', expected))


if __name__ == '__main__':
  absltest.main()
