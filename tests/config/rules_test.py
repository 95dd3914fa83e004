"""Tests of a run's choices: defaults that depend on others, and what is refused."""

import dataclasses
import subprocess
import sys

from absl.testing import absltest, parameterized

from tff_lg import config, samplings
from tff_lg.config import TrainConfig


class ResolveTest(parameterized.TestCase):
  def test_defaults(self):
    resolved = config.resolve(TrainConfig())
    self.assertEqual(resolved.partition, 'classes_per_client')
    self.assertEqual(resolved.classes_per_client, 2)
    self.assertEqual((resolved.num_clients, resolved.clients_per_round), (100, 10))
    self.assertEqual((resolved.client_epochs, resolved.batch_size), (1, 10))
    self.assertEqual(resolved.validation_fraction, 0.1)
    self.assertEqual(resolved.client_weighting, 'examples')
    self.assertEqual(resolved.baselines, ('local_only',))
    # What belongs to another partition or method stays away.
    self.assertIsNone(resolved.shards_per_client)
    self.assertIsNone(resolved.dirichlet_alpha)
    self.assertIsNone(resolved.proximal_strength)

  def test_resolving_again_changes_nothing(self):
    for method in config.METHODS:
      for protocol in config.PROTOCOLS:
        resolved = config.resolve(TrainConfig(method=method, protocol=protocol))
        self.assertEqual(config.resolve(resolved), resolved)

  def test_reference_protocol(self):
    resolved = config.resolve(TrainConfig(protocol='reference'))
    self.assertEqual(resolved.validation_fraction, 0.0)
    self.assertEqual(resolved.client_weighting, 'uniform')
    self.assertEqual(resolved.choices.choose_by, 'local_test')
    self.assertIn('CHOSEN ON TEST DATA', resolved.choices.note)

  def test_choice_on_test_data_changes_nothing_else(self):
    optimistic = config.resolve(TrainConfig(optimistic_choice_on_test_data=True))
    self.assertEqual(optimistic.choices.choose_by, 'local_test')
    self.assertIn('CHOSEN ON TEST DATA', optimistic.choices.note)
    plain = config.resolve(TrainConfig())
    self.assertFalse(plain.optimistic_choice_on_test_data)
    self.assertEqual(dataclasses.replace(optimistic, optimistic_choice_on_test_data=False), plain)

  @parameterized.parameters(
    ('shards', 'shards_per_client', 2), ('dirichlet', 'dirichlet_alpha', 0.9)
  )
  def test_option_of_the_partition(self, partition, name, default):
    resolved = config.resolve(TrainConfig(partition=partition))
    self.assertEqual(getattr(resolved, name), default)
    self.assertIsNone(resolved.classes_per_client)

  def test_natural_partition_leaves_the_clients_to_the_data(self):
    resolved = config.resolve(TrainConfig(partition='natural'))
    self.assertIsNone(resolved.num_clients)
    self.assertIsNone(resolved.clients_per_round)

  @parameterized.parameters((7, 1), (10, 1), (25, 2))
  def test_cohort_is_a_tenth_and_at_least_one(self, num_clients, expected):
    resolved = config.resolve(TrainConfig(num_clients=num_clients))
    self.assertEqual(resolved.clients_per_round, expected)

  @parameterized.parameters((0.5, 10), (1.0, 20), (0.29, 5), (0.01, 1))
  def test_fraction_of_the_clients(self, fraction, expected):
    known = config.resolve(TrainConfig(num_clients=20, client_fraction=fraction))
    self.assertEqual(known.clients_per_round, expected)
    self.assertEqual(config.resolve(known), known)
    natural = config.resolve(TrainConfig(partition='natural', client_fraction=fraction))
    self.assertIsNone(natural.clients_per_round)
    by_data = config.with_cohort(natural, 20, 0.1)
    self.assertEqual(by_data.clients_per_round, expected)
    self.assertEqual(config.with_cohort(by_data, 20, 0.1), by_data)

  def test_fraction_is_rounded_down_but_not_by_floats(self):
    self.assertLess(0.29 * 100, 29)
    self.assertEqual(samplings.size_of_cohort(100, 0.29), 29)
    self.assertEqual(samplings.size_of_cohort(103, 0.29), 29)

  def test_fraction_and_number_that_differ(self):
    sentence = '--clients_per_round is 3, but --client_fraction=0.5 of 20 clients is 10'
    given = {'clients_per_round': 3, 'client_fraction': 0.5}
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(num_clients=20, **given))
    natural = config.resolve(TrainConfig(partition='natural', **given))
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.with_cohort(natural, 20, 0.1)

  @parameterized.parameters({'method': 'fedprox'}, {'baselines': ('local_only', 'fedprox')})
  def test_fedprox_has_a_proximal_term_as_method_and_as_baseline(self, **changes):
    self.assertEqual(config.resolve(TrainConfig(**changes)).proximal_strength, 0.01)

  def test_local_only_needs_no_baseline(self):
    self.assertEqual(config.resolve(TrainConfig(method='local_only')).baselines, ())

  def test_fedsgd_has_neither_epochs_nor_batches(self):
    resolved = config.resolve(TrainConfig(method='fedsgd'))
    self.assertIsNone(resolved.client_epochs)
    self.assertIsNone(resolved.batch_size)

  @parameterized.parameters(0.0, 1.0, 97.0)
  def test_goals_are_shares(self, goal):
    with self.assertRaisesRegex(config.ConfigError, f'--goal_accuracy has {goal:g}, expected'):
      config.resolve(TrainConfig(goal_accuracy=(0.5, goal)))

  @parameterized.parameters(
    {'held_out_clients': 20}, {'held_out_ids': tuple(map(str, [*range(20), 0]))}
  )
  def test_cohort_is_a_fraction_of_those_that_take_part(self, **held_out):
    for fraction, expected in ((None, 3), (0.5, 15)):
      given = TrainConfig(num_clients=50, client_fraction=fraction, **held_out)
      resolved = config.resolve(given)
      self.assertEqual(resolved.clients_per_round, expected)
      self.assertEqual(config.with_cohort(resolved, 30, 0.1), resolved)

  def test_total_rounds(self):
    self.assertEqual(TrainConfig(rounds=100, warm_start_rounds=400).total_rounds, 500)


class ModelTest(parameterized.TestCase):
  @parameterized.parameters(
    ('mnist', None, None),
    ('cifar10', None, 'lenet'),
    ('cifar10', 'lenet', 'lenet'),
    ('cifar10', 'resnet18', 'resnet18'),
  )
  def test_of_the_task(self, task, given, expected):
    resolved = config.resolve(TrainConfig(task=task, model=given))
    self.assertEqual(resolved.model, expected)
    self.assertEqual(config.resolve(resolved), resolved)

  @parameterized.parameters(
    ('mnist', 'lenet', '--model is lenet, but --task=mnist has its default or cnn; a network of'),
    ('diabetes', 'lenet', 'but --task=diabetes has one network only; .* --model=my_module:build.'),
    ('mood', 'lenet', '--model is lenet, but --task=mood has one network only.$'),
    ('cifar10', 'gated', '=cifar10 has lenet or reference_lenet or group_norm_lenet or resnet18.'),
  )
  def test_of_another_task_is_refused(self, task, model, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(task=task, model=model))

  def test_fast_is_without(self):
    slow = TrainConfig(task='cifar10', model='resnet18')
    self.assertIsNone(config.resolve(config.fast(slow)).model)


class RefusalTest(parameterized.TestCase):
  @parameterized.parameters(
    ({'task': 'imagenet'}, '--task is imagenet, expected one of digits, diabetes'),
    ({'baselines': ('alone',)}, '--baselines is alone, expected one of apfl, ditto'),
    ({'partition': 'iid', 'classes_per_client': 2}, 'belongs to --partition=classes_per_client'),
    ({'shards_per_client': 2}, '--partition is classes_per_client: it belongs to .*=shards'),
    ({'dirichlet_alpha': 1.0}, 'belongs to --partition=dirichlet'),
    ({'method': 'fedavg', 'global_layers': ('a',)}, 'belongs to --method=lg_fedavg'),
    ({'proximal_strength': 1.0}, 'belongs to --method=fedprox'),
    ({'method': 'fedsgd', 'batch_size': 5}, 'do not fit --method=fedsgd'),
    ({'early_stopping_rounds': 0}, '--early_stopping_rounds is 0, expected more than 0'),
    ({'task': 'arrays'}, '--task=arrays needs --data_dir'),
    ({'rounds': 0}, '--rounds is 0, expected more than 0'),
    ({'warm_start_rounds': -1}, '--warm_start_rounds is -1, expected 0 or more'),
    ({'client_momentum': 1.0}, r'--client_momentum is 1.0, expected in \[0, 1\)'),
    ({'validation_fraction': 1.0}, r'--validation_fraction is 1.0, expected in \[0, 1\)'),
    ({'client_learning_rate': float('nan')}, '--client_learning_rate is nan'),
    ({'num_clients': 4, 'clients_per_round': 5}, '--clients_per_round is 5, expected at most'),
    ({'client_fraction': 0.0}, r'--client_fraction is 0.0, expected in \(0, 1\]'),
    ({'client_fraction': 1.5}, r'--client_fraction is 1.5, expected in \(0, 1\]'),
    ({'validation_fraction': 0.0}, 'chooses models on validation data'),
    ({'shuffled_share': 0.5}, '--shuffled_share is given, but --partition is classes_per_client'),
    ({'method': 'fedsgd', 'client_steps': 3}, '--client_steps does not fit --method=fedsgd'),
    ({'client_steps': 0}, '--client_steps is 0, expected more than 0'),
    ({'selection_metric': 'bleu'}, '--selection_metric is bleu, expected one of accuracy, loss'),
    ({'selection_scope': 'all'}, '--selection_scope is all, expected one of client, pooled'),
    ({'held_out_clients': -1}, '--held_out_clients is -1, expected 0 or more'),
    (
      {'task': 'embeddings', 'embeddings': 'x', 'model': 'cgau_shared', 'held_out_clients': 1},
      'none of which fits a held-out client',
    ),
    ({'method': 'fedavg', 'local_layer_share': 0.5}, 'belongs to --method=lg_fedavg'),
    ({'local_layer_share': 1.5}, r'--local_layer_share is 1.5, expected in \[0, 1\]'),
    (
      {'method': 'fedavg', 'baselines': ('lg_fedavg',), 'local_layer_share': 1.0},
      '--local_layer_share is 1, which leaves nothing to send',
    ),
    ({'global_layers': ('output',), 'local_layer_share': 0.5}, 'both say which layers are global'),
    (
      {'aggregator': 'secure_mean', 'client_weighting': 'gradient_norm'},
      '--client_weighting=gradient_norm does not fit --aggregator=secure_mean',
    ),
  )
  def test_refuses(self, changes, sentence):
    with self.assertRaisesRegex(config.ConfigError, sentence):
      config.resolve(TrainConfig(**changes))

  def test_all_layers_local_is_learning_alone(self):
    resolved = config.resolve(
      TrainConfig(local_layer_share=1.0, rounds=3, warm_start_rounds=4, held_out_clients=2)
    )
    alone = TrainConfig(method='local_only', rounds=7, held_out_clients=2)
    self.assertEqual(resolved, config.resolve(alone))

  def test_options_of_a_baseline_are_welcome(self):
    config.resolve(
      TrainConfig(
        method='fedavg',
        baselines=('lg_fedavg', 'fedprox'),
        global_layers=('output',),
        proximal_strength=0.1,
      )
    )


class FieldsTest(absltest.TestCase):
  def test_every_field_has_a_help_text(self):
    for field in dataclasses.fields(TrainConfig):
      self.assertRegex(field.metadata['help'], r'^([A-Z]|\w+: |mu ).*[.]$', field.name)

  def test_importing_it_is_light(self):
    code = (
      f'import sys; sys.path[:0] = {sys.path!r}; '
      'from tff_lg import aggregators, attacks, config, learning, optimizers; learning.METHODS; '
      'sys.exit(bool({"numpy", "tensorflow"} & set(sys.modules)))'
    )
    subprocess.run([sys.executable, '-c', code], check=True)


if __name__ == '__main__':
  absltest.main()
