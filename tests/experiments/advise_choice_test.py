"""Tests of the choice of a model for each client, with numbers worked out by hand."""

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import metrics, verdicts
from tff_lg.experiments import advise_choice

_ACCURACY, _MAE = metrics.METRICS['accuracy'], metrics.METRICS['mae']


def _clients(num_validation, num_test=(20, 20)):
  return pd.DataFrame(
    {
      'client_id': ['a', 'b'],
      'num_train': [100, 100],
      'num_validation': num_validation,
      'num_test': num_test,
    }
  )


def _candidate(name, validation, test, **rest):
  return advise_choice.Candidate(name, np.array(validation), np.array(test), **rest)


class ChooseTest(absltest.TestCase):
  def test_by_hand(self):
    candidates = (
      _candidate('local_only', [0.9, 0.5], [0.8, 0.5]),
      # On 70 validation examples together 0.5 * 60 + 0.9 * 10 = 39 are right.
      _candidate('fedavg', [0.5, 0.9], [0.6, 0.75], num_bytes=7.0, epsilon=2.0),
      # And here 0.4 * 60 + 0.4 * 10 = 28. Its test scores choose nothing.
      _candidate('ditto', [0.4, 0.4], [1.0, 1.0], num_bytes=9.0),
      # The best by far, which nobody may use.
      _candidate('fedavg_plain', [1.0, 1.0], [1.0, 1.0], is_reference=True),
    )
    # Own models have 59 of 70 right, which counts as 30 examples more: b has 5 + 25.3 of 40 right
    # with its own and 9 + 16.7 of 40 with FedAvg's. With 100 of its own it takes FedAvg's.
    table, _ = advise_choice.choose(_clients([60, 10]), candidates, _ACCURACY)
    self.assertEqual(table['advice'].tolist(), ['local_only', 'local_only'])
    table, summary = advise_choice.choose(_clients([60, 100]), candidates, _ACCURACY)
    self.assertEqual(table['advice'].tolist(), ['local_only', 'fedavg'])
    # 0.5 * 60 + 0.9 * 100 = 120 against 0.4 * 160 = 64.
    self.assertEqual(summary['best_for_all'], 'fedavg')
    np.testing.assert_allclose(table['own_test'], [0.8, 0.5])
    np.testing.assert_allclose(table['advised_test'], [0.8, 0.75])
    np.testing.assert_allclose(table['gain_of_taking_part'], [-0.2, 0.25])
    np.testing.assert_allclose(table['gain_of_choosing'], [0.2, 0.0])
    np.testing.assert_allclose(table['gain'], [0.0, 0.25])
    self.assertEqual(table['bytes'].tolist(), [0, 7])
    np.testing.assert_array_equal(table['epsilon'], [np.nan, 2.0])
    self.assertAlmostEqual(summary['gain/mean_over_clients'], 0.125)
    self.assertAlmostEqual(summary['gain_of_taking_part/mean_over_clients'], 0.025)
    self.assertEqual(summary['gain_of_taking_part/share_of_clients_worse'], 0.5)
    # Two clients: 0.125 -+ 12.7062 * 0.125.
    self.assertAlmostEqual(summary['gain/high'], 0.125 + 12.7062 * 0.125, places=4)
    counts = [summary[f'models/{each.name}/advised_clients'] for each in candidates]
    self.assertEqual(counts, [1, 1, 0, 0])
    self.assertTrue(summary['models/fedavg_plain/is_reference'])
    self.assertEqual(summary['models/fedavg/epsilon'], 2.0)

  def test_less_is_better(self):
    candidates = (
      _candidate('local_only', [1.0, 4.0], [1.0, 5.0]),
      _candidate('fedavg', [3.0, 2.0], [3.0, 2.0]),
    )
    table, _ = advise_choice.choose(_clients([1000, 1000]), candidates, _MAE)
    self.assertEqual(table['advice'].tolist(), ['local_only', 'fedavg'])
    self.assertEqual(table['gain'].tolist(), [0, 3])
    self.assertEqual(table['gain_of_taking_part'].tolist(), [-2, 3])

  def test_verdicts_are_of_clients_that_leave_their_own_model(self):
    right, wrong = verdicts.to_marks(np.ones(20, bool)), verdicts.to_marks(np.zeros(20, bool))
    candidates = (
      _candidate('local_only', [1.0, 0.1], [1.0, 0.0], marks=pd.Series([right, wrong])),
      _candidate('fedavg', [0.1, 1.0], [0.0, 1.0], marks=pd.Series([wrong, right])),
    )
    table, summary = advise_choice.choose(_clients([100, 100]), candidates, _ACCURACY)
    self.assertTrue(pd.isna(table['verdict'][0]))
    self.assertEqual(table['verdict'][1], 'better')
    self.assertGreater(table['low'][1], 0.5)
    self.assertEqual([summary[f'verdict/{v}'] for v in ('better', 'worse')], [1, 0])
    # Taking part with FedAvg, the only federated model, is judged for everybody.
    self.assertEqual(table['taking_part/verdict'].tolist(), ['worse', 'better'])
    self.assertLess(table['taking_part/high'][0], -0.5)
    counts = [summary[f'taking_part/verdict/{v}'] for v in ('better', 'worse', 'cannot tell')]
    self.assertEqual(counts, [1, 1, 0])

  def test_adapted_models_have_no_marks(self):
    candidates = (
      _candidate('local_only', [0.1, 0.1], [0.0, 0.0], marks=pd.Series(['0', '0'])),
      _candidate('fedavg_adapted', [1.0, 1.0], [1.0, 1.0]),
    )
    table, _ = advise_choice.choose(_clients([100, 100]), candidates, _ACCURACY)
    self.assertEqual(table['advice'].tolist(), ['fedavg_adapted'] * 2)
    self.assertTrue(table['verdict'].isna().all())
    self.assertTrue(table['taking_part/verdict'].isna().all())

  def test_nothing_to_choose_by(self):
    candidates = [_candidate(name, [0.1, 0.1], [0.0, 0.0]) for name in ('local_only', 'fedavg')]
    with self.assertRaisesRegex(ValueError, 'No client has a validation example'):
      advise_choice.choose(_clients([0, 0]), candidates, _ACCURACY)


if __name__ == '__main__':
  absltest.main()
