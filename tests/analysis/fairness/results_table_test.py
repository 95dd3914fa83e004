"""Tests of the tables over seeds."""

import numpy as np
from absl.testing import absltest

from tests.analysis.fairness import testing
from tff_lg.analysis import fairness, tables


class ResultsTableTest(absltest.TestCase):
  def test_methods_table_has_the_papers_form(self):
    table = fairness.methods_table(testing.results())
    self.assertEqual(
      [column.name for column in table.columns],
      ['method', *['acc', 'AUC', 'adv AUC', 'logistic', 'boosting'] * 2],
    )
    self.assertEqual([column.group for column in table.columns[1::5]], ['IID', 'non-IID'])
    self.assertEqual(
      [row[0] for row in table.rows],
      ['FedAvg', 'LG-FedAvg', 'LG-FedAvg + adversary, lambda 2.5'],
    )
    # The standard deviation of .80 and .82 is .0141.
    self.assertEqual(table.rows[0][1:4], ('81.0 ± 1.4', '90.0 ± 0.0', '65.0 ± 0.0'))
    self.assertEqual(table.rows[2][1], '80.0 ± 1.4')
    self.assertEqual(table.rows[2][6], '78.0 ± 1.4')
    self.assertIn('more frequent class has an accuracy of 75.0.', table.notes[-1])
    self.assertIn('non-IID', tables.to_text(table))

  def test_one_seed_has_no_deviation(self):
    table = fairness.methods_table(testing.results((0,)))
    self.assertEqual(table.rows[0][1:3], ('80.0', '90.0'))

  def test_notes_say_how_long_own_networks_have_trained(self):
    results = testing.results((0, 1)).replace({'method': {'fedavg': 'local_only'}})
    note = fairness.methods_table(results).notes[-3]
    self.assertEqual(note, 'Local only, IID: alone for as many epochs as the other methods.')
    is_own = results['method'] == 'local_only'
    for name, values in {
      'epochs/median_over_clients': (30, 31),
      'network/learning_rate': (0.1, 0.3),
      'still_improving/num_clients': (0, 0),
    }.items():
      results[f'own_models/{name}'] = np.where(is_own, np.take(values, results['seed']), np.nan)
    results['own_models/network/learning_rate/tried'] = '0.1, 0.3'
    table = fairness.methods_table(results)
    self.assertEqual(
      table.notes[-3:-1],
      tuple(
        f'Local only, {name}: alone to its best, 30.5 epochs (median), learning rate 0.1, 0.3.'
        for name in ('IID', 'non-IID')
      ),
    )
    values = fairness.summary(results)
    self.assertEqual(
      values['iid/local_only/lambda_0']['own_models/network/learning_rate/mean'], 0.2
    )
    self.assertNotIn(
      'own_models/network/learning_rate/tried/mean', values['iid/local_only/lambda_0']
    )
    results.loc[is_own, 'own_models/still_improving/num_clients'] = 2
    note = fairness.methods_table(results).notes[-2]
    self.assertEndsWith(note, 'Own networks still improving at the end: 4.')

  def test_runs_that_diverged_are_named(self):
    results = testing.results((0, 1))
    is_it = (results['lambda'] > 0) & (results['partition'] == 'iid') & (results['seed'] == 1)
    results['train/diverged'] = np.where(is_it, 'Round 3: why.', '')
    self.assertEqual(
      fairness.methods_table(results).notes[-2],
      'IID: LG-FedAvg + adversary, lambda 2.5, seed 1, diverged and is not counted. Round 3: why.',
    )

  def test_a_model_without_a_representation_has_dashes(self):
    results = testing.results((0,)).replace({'method': {'fedavg': 'own_linear'}})
    is_own = results['method'] == 'own_linear'
    for name in ('adversary_auc', 'probe_auc/logistic', 'probe_auc/boosting'):
      results.loc[is_own, f'local_test/{name}/mean_over_clients'] = np.nan
    row = fairness.methods_table(results).rows[0]
    self.assertEqual(row[:6], ('Own linear model', '80.0', '90.0', '–', '–', '–'))

  def test_attributes_table(self):
    table = fairness.attributes_table(testing.results((0,)), ('race', 'sex'))
    self.assertLen(table.rows, 6)
    self.assertEqual(
      table.rows[5],
      (
        'non-IID: LG-FedAvg + adversary, lambda 2.5',
        *('60.0', '60.0', '60.0', '10.0', '–'),
        *('70.0', '70.0', '70.0', '10.0', '–'),
      ),
    )

  def test_summary(self):
    summary = fairness.summary(testing.results())
    self.assertLen(summary, 6)
    values = summary['non_iid/lg_fedavg/lambda_2.5']
    self.assertAlmostEqual(values['local_test/accuracy/pooled/mean'], 0.78)
    self.assertAlmostEqual(values['local_test/accuracy/pooled/std'], 0.02 / 2**0.5)
    self.assertIsNone(values['local_test/equalized_odds_difference/race/pooled/mean'])
    self.assertIsNone(
      fairness.summary(testing.results((0,)))['iid/fedavg/lambda_0'][
        'local_test/accuracy/pooled/std'
      ]
    )


if __name__ == '__main__':
  absltest.main()
