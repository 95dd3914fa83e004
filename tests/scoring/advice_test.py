"""Tests of the model that each client should use, by hand."""

import numpy as np
import pandas as pd
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import metrics
from tff_lg.scoring import advice

_CONFIG = config_lib.resolve(
  config_lib.TrainConfig(method='lg_fedavg', baselines=('local_only', 'fedavg'), num_clients=3)
)

_METHODS, _SELECTION = ('lg_fedavg', 'local_only', 'fedavg'), _CONFIG.selection_options


def _clients():
  return pd.DataFrame(
    {
      'num_validation': [1000, 1000, 0],
      'validation/accuracy': [0.9, 0.5, np.nan],
      'local_only/validation/accuracy': [0.8, 0.7, np.nan],
      'fedavg/validation/accuracy': [0.7, 0.6, np.nan],
      'local_test/accuracy': [0.9, 0.4, 0.6],
      'local_only/local_test/accuracy': [0.8, 0.8, 0.5],
      'fedavg/local_test/accuracy': [0.7, 0.6, 0.7],
    }
  )


class ChooseModelsTest(absltest.TestCase):
  def test_few_examples_follow_the_mean(self):
    # Pooled 0.9 and 0.85; with 2 examples (2 * 0 + 30 * 0.9) / 32 is still more than the other's.
    sizes = np.array([2, 1000])
    first, second = np.array([0.0, 0.9]), np.array([1.0, 0.85])
    chosen = advice.choose_models([first, second], sizes, metrics.METRICS['accuracy'])
    pooled = [(sizes @ values) / 1002 for values in (first, second)]
    expected = int((2 * 0 + 30 * pooled[0]) / 32 < (2 * 1 + 30 * pooled[1]) / 32)
    np.testing.assert_array_equal(chosen, [expected, 0])
    chosen = advice.choose_models([first, second], sizes, metrics.METRICS['loss'])
    np.testing.assert_array_equal(chosen, [1 - expected, 1])

  def test_first_of_equals_and_what_is_not_finite(self):
    sizes, nan = np.array([5, 5]), float('nan')
    chosen = advice.choose_models(
      [np.array([0.5, nan]), np.array([0.5, 0.5])], sizes, metrics.METRICS['accuracy']
    )
    np.testing.assert_array_equal(chosen, [1, 1])  # The other's mean over clients is greater.
    equal = [np.array([0.5, 0.5])] * 2
    chosen = advice.choose_models(equal, sizes, metrics.METRICS['accuracy'])
    np.testing.assert_array_equal(chosen, [0, 0])


class AddAdviceTest(absltest.TestCase):
  def test_by_hand(self):
    clients = _clients()
    summary = advice.add_advice(clients, _METHODS, np.full(3, True), _SELECTION)
    # Without validation examples the third has what is best for all: local_only, 0.75 on average.
    self.assertEqual(clients['advice'].tolist(), ['lg_fedavg', 'local_only', 'local_only'])
    self.assertEqual(clients['advice/local_test/accuracy'].tolist(), [0.9, 0.8, 0.5])
    counts = [summary[f'advice/{method}/num_clients'] for method in ('lg_fedavg', 'fedavg')]
    self.assertEqual(counts, [1, 0])
    mean = summary['advice/local_test/accuracy/mean_over_clients']
    self.assertAlmostEqual(mean, (0.9 + 0.8 + 0.5) / 3)
    gain = summary['advice/gain_over/local_only/local_test/accuracy/mean_over_clients']
    self.assertAlmostEqual(gain, 0.1 / 3)

  def test_attackers_get_none(self):
    clients = _clients()
    honest = np.array([True, False, True])
    summary = advice.add_advice(clients, _METHODS, honest, _SELECTION)
    self.assertEqual(clients['advice'].tolist(), ['lg_fedavg', None, 'local_only'])
    self.assertAlmostEqual(summary['advice/local_test/accuracy/mean_over_clients'], 0.7)

  def test_no_advice_without_another_model_or_validation_data(self):
    clients = _clients()
    self.assertEqual(advice.add_advice(clients, _METHODS[:1], np.full(3, True), _SELECTION), {})
    missing = clients.drop(columns='fedavg/validation/accuracy')
    self.assertEqual(advice.add_advice(missing, _METHODS, np.full(3, True), _SELECTION), {})
    self.assertNotIn('advice', clients)


if __name__ == '__main__':
  absltest.main()
