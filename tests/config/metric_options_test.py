"""Tests of what is predicted, and of the metrics that fit it."""

import dataclasses

from absl.testing import absltest, parameterized

from tff_lg import config

_NUMBERS = {'task': 'client_files', 'data_dir': 'x', 'objective': 'regression'}
_LABELS = {'task': 'client_files', 'data_dir': 'x', 'objective': 'multilabel', 'num_classes': 1}


class ResolveTest(parameterized.TestCase):
  @parameterized.parameters(
    ({}, ('accuracy',), 'accuracy', None),
    ({'metrics': ('auc', 'macro_f1')}, ('accuracy', 'auc', 'macro_f1'), 'accuracy', None),
    ({'selection_metric': 'macro_f1'}, ('accuracy', 'macro_f1'), 'macro_f1', None),
    ({'task': 'diabetes'}, ('mae', 'rmse', 'r2'), 'mae', 'regression'),
    (_NUMBERS, ('mae', 'rmse', 'r2'), 'mae', 'regression'),
    (_LABELS, ('label_accuracy', 'macro_f1', 'auc'), 'label_accuracy', 'multilabel'),
    ({'task': 'text'}, ('accuracy',), 'accuracy', None),
  )
  def test_metrics(self, options, metrics, selected, objective):
    resolved = config.resolve(config.TrainConfig(**options))
    self.assertEqual(resolved.model_metrics, metrics)
    self.assertEqual((resolved.selection_metric, resolved.objective), (selected, objective))

  def test_a_number_is_one_output(self):
    self.assertEqual(config.resolve(config.TrainConfig(**_NUMBERS)).num_classes, 1)

  @parameterized.parameters(('auc', 'loss'), ('macro_f1', 'macro_f1'))
  def test_adaptation_chooses_by_what_few_examples_define(self, selected, expected):
    source = config.resolve(config.TrainConfig(selection_metric=selected))
    resolved = config.resolve_adapt(config.AdaptConfig(from_run='x'), source)
    self.assertEqual(resolved.selection_metric, expected)


class RefusalTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'objective': 'regression'}, '--objective is regression, but --task=digits has labels of its'),
    ({'task': 'diabetes', 'objective': 'multilabel'}, '--task=diabetes predicts a number'),
    ({'metrics': ('mae',)}, '--metrics is mae, but --task=digits predicts one of several classes'),
    ({'task': 'text', 'selection_metric': 'auc'}, 'expected accuracy or loss'),
    ({'task': 'diabetes', 'partition': 'shards'}, '--partition is shards, which spreads classes'),
    (
      {'selection_metric': 'auc', 'selection_scope': 'pooled'},
      'no value over all clients together: use --selection_scope=client',
    ),
    ({**_NUMBERS, 'num_classes': 3}, '--objective=regression predicts one number'),
    ({**_NUMBERS, 'goal_accuracy': (0.0,)}, '--goal_accuracy has 0, expected MAE of more than 0'),
    ({**_NUMBERS, 'metrics': ('macro_f1',)}, 'expected mae or rmse or r2 or loss'),
    (
      {'global_layers': ('auto',), 'warm_start_rounds': 1, 'selection_metric': 'macro_f1'},
      '--global_layers=auto compares splits by accuracy or loss',
    ),
  )
  def test_refuses(self, options, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(config.TrainConfig(**options))

  def test_goals_of_numbers_may_be_large(self):
    wanted = config.TrainConfig(**_NUMBERS, goal_accuracy=(40.0,))
    self.assertEqual(config.resolve(wanted).goal_accuracy, (40.0,))

  def test_a_resolved_config_resolves_to_itself(self):
    resolved = config.resolve(config.TrainConfig(task='diabetes'))
    again = config.resolve(dataclasses.replace(resolved, clients_per_round=None))
    self.assertEqual(again, resolved)


if __name__ == '__main__':
  absltest.main()
