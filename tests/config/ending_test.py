"""Tests of the goals with which rounds end."""

import math

from absl.testing import absltest, parameterized

from tff_lg import config
from tff_lg.config import TrainConfig


class RoundGoalTest(parameterized.TestCase):
  @parameterized.parameters(
    ('validation/accuracy>=0.975', ('validation/accuracy/mean_over_clients', 0.975, True)),
    ('validation/accuracy/pooled >= 0.5', ('validation/accuracy/pooled', 0.5, True)),
    ('validation/loss<=0.1', ('validation/loss/mean_over_clients', 0.1, False)),
  )
  def test_reads(self, text, expected):
    resolved = config.resolve(TrainConfig(warm_start_rounds=5, warm_start_until=text))
    self.assertEqual(config.find_goal(resolved, 'warm_start_until'), expected)
    self.assertIsNone(config.find_goal(resolved, 'rounds_until'))

  def test_is_reached_at_its_value(self):
    most, least = (config.RoundGoal('m', 0.5, is_least) for is_least in (False, True))
    self.assertEqual([most.is_reached({'m': value}) for value in (0.4, 0.5, 0.6)], [1, 1, 0])
    self.assertEqual([least.is_reached({'m': value}) for value in (0.4, 0.5, 0.6)], [0, 1, 1])
    self.assertFalse(least.is_reached({'m': math.nan}) or most.is_reached({'m': math.nan}))

  @parameterized.parameters(
    ('0.97', '--warm_start_until is 0.97, expected a goal such as validation/accuracy>=0.975'),
    ('validation/accuracy>=high', 'expected a goal such as'),
    ('validation/bleu>=0.5', 'has bleu, expected a metric of the run: loss, accuracy'),
    ('local_test/accuracy>=0.5', 'has local_test, expected validation, the data on which'),
    ('validation/accuracy<=0.5', 'has <=, expected >=, as more of accuracy is better'),
    ('validation/accuracy>=97.5', 'has 97.5, expected a share between 0 and 1'),
  )
  def test_refuses_other_texts(self, text, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(warm_start_rounds=5, warm_start_until=text))

  def test_refuses_what_has_no_value_of_all_clients(self):
    changes = {'metrics': ('auc',), 'rounds_until': 'validation/auc/pooled>=0.9'}
    with self.assertRaisesRegex(config.ConfigError, 'has auc/pooled, which rounds do not have'):
      config.resolve(TrainConfig(task='table', data_dir='x', label_column='y', **changes))

  @parameterized.parameters(
    ({'warm_start_until': 'validation/accuracy>=0.9'}, '--warm_start_rounds is 0, expected the'),
    (
      {'method': 'local_only', 'rounds_until': 'validation/accuracy>=0.9'},
      '--rounds_until does not fit --method=local_only',
    ),
  )
  def test_refuses_contradictions(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**changes))

  @parameterized.parameters(
    ({}, (0.9, 0.97), ('local_test/accuracy/pooled', 0.97, True)),
    (
      {'task': 'table', 'data_dir': 'x', 'label_column': 'y', 'objective': 'regression'},
      (4.0, 2.5),
      ('local_test/mae/pooled', 2.5, False),
    ),
  )
  def test_may_be_the_last_target(self, changes, targets, expected):
    run = TrainConfig(
      method='fedavg', rounds_until='goal_accuracy', goal_accuracy=targets, **changes
    )
    goal = config.find_goal(config.resolve(run), 'rounds_until')
    self.assertEqual(goal, expected)
    self.assertFalse(goal.is_reached({'validation/accuracy/pooled': 1.0}))  # No test examples.

  @parameterized.parameters(
    ({'rounds_until': 'goal_accuracy'}, 'but --goal_accuracy is not given, expected the'),
    (
      {'rounds_until': 'goal_accuracy', 'goal_accuracy': (0.9,), 'tune': 'validation'},
      '--rounds_until=goal_accuracy does not fit --tune=validation: test data would choose',
    ),
    (
      {'method': 'lg_fedavg', 'warm_start_rounds': 5, 'warm_start_until': 'goal_accuracy'},
      '--warm_start_until is goal_accuracy, expected a goal such as',
    ),
  )
  def test_refuses_targets_that_would_choose_for_training(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**{'method': 'fedavg', **changes}))

  def test_is_of_the_data_that_choose(self):
    goal = {'protocol': 'reference', 'rounds_until': 'local_test/accuracy>=0.98'}
    config.resolve(TrainConfig(method='fedavg', **goal))

  def test_baselines_have_no_warm_start(self):
    goals = {'warm_start_until': 'validation/accuracy>=0.9', 'rounds_until': 'validation/loss<=1'}
    run = config.resolve(TrainConfig(warm_start_rounds=5, rounds=7, **goals))
    fedavg = config.as_baseline(run, 'fedavg')
    self.assertEqual((fedavg.rounds, fedavg.warm_start_until), (12, None))
    self.assertEqual(fedavg.rounds_until, 'validation/loss<=1')
    self.assertIsNone(config.as_baseline(run, 'local_only').rounds_until)


if __name__ == '__main__':
  absltest.main()
