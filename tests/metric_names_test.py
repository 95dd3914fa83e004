"""Tests of the names of metrics, byte by byte: old run folders have them."""

from absl.testing import absltest

from tff_lg import metric_names


class MetricNamesTest(absltest.TestCase):
  def test_data_metric_and_statistic(self):
    column = metric_names.local_test('mae')
    self.assertEqual(column, 'local_test/mae')
    self.assertEqual(metric_names.validation('loss'), 'validation/loss')
    self.assertEqual(metric_names.LOCAL_ACCURACY, 'local_test/accuracy')
    self.assertEqual(metric_names.PARTICIPANT_ACCURACY, 'participant_test/accuracy')
    self.assertEqual(metric_names.others_test('mae'), 'others_test/mae')
    self.assertEqual(metric_names.pooled_test('auc'), 'pooled_test/auc')
    self.assertEqual(
      metric_names.new_test('accuracy', 'ensemble_vote'), 'new_test/accuracy/ensemble_vote'
    )
    self.assertEqual(metric_names.mean(column), 'local_test/mae/mean_over_clients')
    self.assertEqual(metric_names.std(column), 'local_test/mae/std_over_clients')
    self.assertEqual(metric_names.pooled(column), 'local_test/mae/pooled')
    self.assertEqual(metric_names.std_over_seeds('gain'), 'gain/std_over_seeds')
    self.assertEqual(metric_names.interval('gain'), ('gain/low', 'gain/high'))

  def test_metric_of(self):
    self.assertEqual(metric_names.metric_of('fedavg/local_test/mae'), 'mae')
    self.assertEqual(metric_names.metric_of('mae'), 'mae')

  def test_clients_compared(self):
    gain = metric_names.gain_over('local_only', 'local_test/accuracy')
    self.assertEqual(gain, 'gain_over/local_only/local_test/accuracy')
    self.assertEqual(metric_names.share_worse(gain), f'{gain}/share_of_clients_worse')
    self.assertEqual(metric_names.honest('local_test/mae'), 'honest/local_test/mae')
    self.assertEqual(metric_names.verdict_over('fedavg', 'low'), 'verdict_over/fedavg/low')
    self.assertEqual(metric_names.verdict_over('fedavg'), 'verdict_over/fedavg/')
    self.assertEqual(metric_names.num_advised('fedavg'), 'advice/fedavg/num_clients')
    self.assertEqual(metric_names.of_model('fedavg', 'epsilon'), 'models/fedavg/epsilon')
    self.assertEqual(metric_names.with_verdict('cannot tell'), 'verdict/cannot tell')

  def test_adapted_models(self):
    model = metric_names.aggregated('fine_tune', 5)
    self.assertEqual(model, 'fine_tune_aggregated_5')
    self.assertEqual(metric_names.split_aggregated(model), ('fine_tune', '5'))
    self.assertEqual(metric_names.split_aggregated('fine_tune'), ('fine_tune', ''))
    self.assertEqual(metric_names.BEST_NAME, 'best/name')
    self.assertEqual(metric_names.epoch('ewc'), 'ewc/epoch')
    self.assertEqual(metric_names.is_finite('ewc'), 'ewc/is_finite')

  def test_what_a_run_took(self):
    self.assertEqual(
      metric_names.COMMUNICATION,
      (
        'communication/parameters_total',
        'communication/bytes_total',
        'communication/broadcast_to_all/parameters_total',
        'communication/broadcast_to_all/bytes_total',
      ),
    )
    self.assertEqual(metric_names.client_cost('memory_bytes'), 'client/memory_bytes')
    self.assertEqual(metric_names.rounds('lg'), 'rounds/lg')
    self.assertEqual(metric_names.is_reached('rounds_until'), 'rounds_until/is_reached')

  def test_to_goal(self):
    names = metric_names.to_goal(0.97)
    self.assertEqual(
      names,
      {
        'rounds_to/0.97/local_test/accuracy/pooled': 'round_num',
        'parameters_to/0.97/local_test/accuracy/pooled': 'communication/parameters_total',
        'bytes_to/0.97/local_test/accuracy/pooled': 'communication/bytes_total',
      },
    )
    self.assertIn('rounds_to/2.5/local_test/mae/pooled', metric_names.to_goal(2.5, 'mae'))
    for name in names:
      self.assertTrue(metric_names.is_to_goal(f'fedavg/{name}'))
    self.assertFalse(metric_names.is_to_goal('local_test/accuracy/pooled'))

  def test_privacy(self):
    self.assertEqual(metric_names.EPSILON, 'privacy/epsilon')
    self.assertEqual(metric_names.privacy_warning('mean'), 'privacy/warning/mean')
    self.assertEqual(metric_names.not_covered('metrics'), 'privacy/not_covered/metrics')
    self.assertEqual(metric_names.assumed('noise'), 'privacy/assumed/noise')

  def test_own_models(self):
    setting = metric_names.own_setting('linear', 'C')
    self.assertEqual(setting, 'own_models/linear/C')
    self.assertEqual(metric_names.tried(setting), 'own_models/linear/C/tried')
    self.assertEqual(metric_names.num_own_models('linear'), 'own_models/linear/num_clients')

  def test_theory(self):
    self.assertEqual(metric_names.alpha('formula'), 'alpha/formula')
    self.assertEqual(metric_names.error('least'), 'error/least')


if __name__ == '__main__':
  absltest.main()
