"""Tests for tff_lg.metrics.metric and tff_lg.metrics.objective."""

from absl.testing import absltest, parameterized

from tff_lg import metrics


class MetricTest(parameterized.TestCase):
  @parameterized.parameters(
    ('local_test/mae/pooled', 'mae'),
    ('local_only/local_test/accuracy', 'accuracy'),
    ('new_test/accuracy/ensemble_vote', 'accuracy'),
    ('train/loss', 'loss'),
    ('communication/bytes_total', None),
  )
  def test_finds_the_metric_of_a_column(self, column, name):
    found = metrics.find_metric(column)
    self.assertEqual(found and found.name, name)

  @parameterized.parameters(
    ('accuracy', 1), ('r2', 1), ('loss', -1), ('mae', -1), ('rmse', -1), ('of_my_own', 1)
  )
  def test_sign_says_whether_more_is_better(self, name, sign):
    self.assertEqual(metrics.sign(name), sign)

  def test_objectives_have_metrics_with_entries_and_the_main_one_is_poolable(self):
    for objective in metrics.OBJECTIVES.values():
      self.assertContainsSubset(objective.all_metrics, metrics.METRICS)
      self.assertEqual(objective.main.pooling, 'mean')
      self.assertTrue(objective.main.is_always_defined)
      for name in objective.metrics:
        self.assertIn(objective.name, metrics.METRICS[name].objectives)

  def test_each_objective_predicts_one_kind_of_label(self):
    traits = ('predicts_classes', 'predicts_numbers', 'predicts_labels')
    for objective in metrics.OBJECTIVES.values():
      self.assertEqual(sum(getattr(objective, trait) for trait in traits), 1)

  def test_an_objective_that_is_not_named_is_the_default_one(self):
    for name in (None, 'of_another_version', metrics.DEFAULT_OBJECTIVE):
      self.assertTrue(metrics.find_objective(name).predicts_classes)
    self.assertTrue(metrics.find_objective('regression').predicts_numbers)


if __name__ == '__main__':
  absltest.main()
