"""Tests of the headline."""

import math

from absl.testing import absltest

from tests.analysis import testing
from tff_lg.analysis.sections import result


class HeadlineTest(absltest.TestCase):
  def test_clients_against_their_own_models(self):
    self.assertEqual(
      result.headline(testing.make_run()).replace('\N{NO-BREAK SPACE}', ' '),
      '1 of 2 clients (50 %) do better with LG-FedAvg than with their own model; 0 do equally well '
      'and 1 do worse. The mean difference is −5.00 points (95 % interval −195.59 to +185.59) of '
      'local test accuracy.',
    )

  def test_participant_test_stands_beside_local_test(self):
    clients = testing.make_run().clients.assign(
      **{
        'participant_test/accuracy': [0.5, 0.75],
        'local_only/participant_test/accuracy': [0.5, 0.5],
      }
    )
    headline = result.headline(testing.make_run(clients=clients))
    self.assertIn(
      "By participant test, the whole test set weighted by each client's classes, 1 do better, 1 "
      'equally well and 0 worse; the mean difference is +12.50 points (95',
      headline,
    )

  def test_one_client_has_no_interval(self):
    headline = result.headline(testing.make_run(clients=testing.make_run().clients.iloc[:1]))
    self.assertEndsWith(headline, 'The mean difference is +10.00 points of local test accuracy.')

  def test_without_baseline(self):
    run = testing.make_run(clients=testing.make_run().clients[['local_test/accuracy']])
    self.assertEqual(
      result.headline(run), 'Local test accuracy with LG-FedAvg on average over clients: 70.00 %.'
    )


class BuildResultTest(absltest.TestCase):
  def test_missing_numbers_have_no_tile(self):
    html = result.build_result(
      testing.make_run(summary={'communication/bytes_total': math.nan})
    ).html
    self.assertNotIn('<dd>', html)

  def test_a_line_a_goal(self):
    html = result.build_result(testing.make_run(hparams={'goal_accuracy': [0.5, 0.97]})).html
    self.assertIn('<p>50 % pooled local test accuracy: LG-FedAvg not reached.</p><p>97 %', html)

  def test_models_chosen_on_test_data(self):
    run = testing.make_run(
      hparams={'protocol': 'reference'}, summary={'protocol/note': 'Chosen ON TEST DATA.'}
    )
    html = result.build_result(run).html
    self.assertIn('<p class="warning">Chosen ON TEST DATA.</p>', html)
    self.assertIn('accuracy (chosen on test data)', html)
    plain = result.build_result(testing.make_run()).html
    self.assertNotIn('warning', plain)
    self.assertNotIn('chosen on test', plain)

  def test_what_test_data_would_have_chosen(self):
    mean = 'local_test/accuracy/mean_over_clients'
    run = testing.make_run(summary={mean: 0.7, f'optimistic/{mean}': 0.725})
    self.assertIn(
      '<p>If test data chose the rounds, LG-FedAvg would show 72.50 % local test accuracy (+2.50 '
      'points). Such figures are optimistic.</p>',
      result.build_result(run).html,
    )

  def test_void_rounds_and_ruined_models_are_told(self):
    baseline = testing.make_run(method='fedavg', summary={'train/warning': 'Ruined.'})
    run = testing.make_run(summary={'train/num_void_rounds': 2}, baselines={'fedavg': baseline})
    html = result.build_result(run).html
    self.assertIn(
      '<p class="warning">LG-FedAvg: rounds without effect because the aggregator overflowed: 2.'
      '</p><p class="warning">FedAvg: Ruined.</p>',
      html,
    )


if __name__ == '__main__':
  absltest.main()
