"""Tests of the options of optimisers and learning rates, of clients and of the server."""

import dataclasses

import attrs
from absl.testing import absltest, parameterized

from tff_lg import config, optimizers
from tff_lg.config import TrainConfig


def _resolve(**changes):
  return config.resolve(TrainConfig(**changes))


class OptimizationOptionsTest(parameterized.TestCase):
  def test_usual_defaults(self):
    resolved = _resolve()
    self.assertEqual((resolved.client_learning_rate, resolved.client_momentum), (0.05, 0.5))
    self.assertEqual((resolved.server_learning_rate, resolved.server_momentum), (1.0, 0.0))
    self.assertEqual(resolved.client_learning_rate_decay, 0.0)
    self.assertIsNone(resolved.client_beta_1)
    self.assertEqual(config.optimizer(resolved, 'client').momentum, 0.5)

  def test_every_option_is_a_flag_of_both_roles(self):
    names = {field.name for field in dataclasses.fields(TrainConfig)}
    options = [entry.options for entry in optimizers.OPTIMIZERS.values()]
    for each in (*options, *(entry.options for entry in optimizers.SCHEDULES.values())):
      for attribute in attrs.fields(each):
        self.assertContainsSubset({f'{role}_{attribute.name}' for role in config.ROLES}, names)

  @parameterized.product(name=tuple(optimizers.OPTIMIZERS), role=config.ROLES)
  def test_options_given_and_by_default(self, name, role):
    chosen = {f'{role}_optimizer': name}
    resolved = _resolve(**chosen)
    entry = optimizers.OPTIMIZERS[name]
    self.assertEqual(getattr(resolved, f'{role}_learning_rate'), entry.learning_rate[role])
    self.assertEqual(config.resolve(resolved), resolved)
    first = attrs.fields(entry.options)[0].name
    given = _resolve(**chosen, **{f'{role}_{first}': 0.25})
    self.assertEqual(getattr(config.optimizer(given, role), first), 0.25)

  def test_help_names_owners_and_defaults(self):
    fields = {field.name: field.metadata['help'] for field in dataclasses.fields(TrainConfig)}
    self.assertEqual(
      fields['server_epsilon'],
      'tau: constant added to what a step is divided by, in adagrad inside the square root '
      '(--server_optimizer=adam, adamw, adagrad, yogi and rmsprop); 1e-07 by default with adam, '
      'adamw, adagrad and rmsprop, 0.001 by default with yogi.',
    )
    self.assertEndsWith(fields['client_step_rounds'], '(--client_schedule=step); no default.')
    self.assertIn('0.5 by default with sgd, 0.9 by', fields['client_momentum'])

  @parameterized.parameters(
    (
      {'client_beta_1': 0.5},
      '--client_beta_1 is given, but --client_optimizer is sgd: it belongs to --client_optimizer=',
    ),
    ({'server_optimizer': 'adam', 'server_momentum': 0.5}, '--server_optimizer=sgd and momentum'),
    ({'server_optimizer': 'lion'}, '--server_optimizer is lion, expected one of sgd, momentum'),
    ({'server_optimizer': 'yogi', 'server_beta_2': 1.0}, r'--server_beta_2 is 1.0, .* in \[0, 1\)'),
    ({'client_optimizer': 'adam', 'client_epsilon': 0.0}, '--client_epsilon is 0.0, expected more'),
    ({'client_schedule': 'step'}, '--client_schedule=step needs --client_step_rounds'),
    ({'server_schedule': 'cosine', 'server_learning_rate_decay': 0.1}, '--server_schedule=inverse'),
    ({'client_learning_rate_decay': -0.1}, '--client_learning_rate_decay is -0.1, expected 0 or'),
    ({'method': 'fedsgd', 'server_optimizer': 'adam'}, '--server_optimizer.* do not fit --method'),
    ({'method': 'fedsgd', 'server_schedule': 'cosine'}, 'do not fit --method=fedsgd'),
  )
  def test_refused(self, changes, message):
    with self.assertRaisesRegex(config.ConfigError, message):
      _resolve(**changes)

  def test_unresolved_options_have_defaults_too(self):
    self.assertEqual(config.learning_rate(TrainConfig(server_optimizer='adam'), 'server'), 0.01)
    self.assertEqual(config.optimizer(TrainConfig(), 'client').momentum, 0.5)
    self.assertEqual(
      config.schedule(TrainConfig(), 'server'), optimizers.SCHEDULES['inverse'].options()
    )

  def test_options_that_depend_on_the_number_of_rounds(self):
    self.assertFalse(config.needs_num_rounds(_resolve(client_learning_rate_decay=0.1)))
    cosine = _resolve(server_schedule='cosine')
    self.assertTrue(config.needs_num_rounds(cosine))
    with self.assertRaisesRegex(config.ConfigError, 'learning rates that end with its rounds'):
      config.check_new_device('run', cosine)

  def test_only_plain_steps_scale_the_mean(self):
    self.assertTrue(config.scales_mean(_resolve(server_optimizer='momentum')))
    self.assertFalse(config.scales_mean(_resolve(server_optimizer='yogi')))


if __name__ == '__main__':
  absltest.main()
