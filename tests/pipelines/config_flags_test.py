"""Tests of the flags of a training run: one for each field of its config, by its type."""

import dataclasses
import os
from unittest import mock

from absl import flags
from absl.testing import absltest, parameterized

from pipelines import config_flags
from tff_lg import config as config_lib
from tff_lg.run_folder import run_settings

_EMBEDDINGS = ('--task=embeddings', '--embeddings=set.npz')


class ParseTest(parameterized.TestCase):
  def test_no_flags_are_the_defaults(self):
    self.assertEqual(config_flags.parse([]), config_lib.resolve(config_lib.TrainConfig()))

  @parameterized.parameters(
    ('--rounds=7', 'rounds', 7),
    ('--client_steps=10', 'client_steps', 10),
    ('--client_learning_rate=0.5', 'client_learning_rate', 0.5),
    ('--keep_client_optimizer', 'keep_client_optimizer', True),
    ('--nokeep_client_optimizer', 'keep_client_optimizer', False),
    ('--selection_metric=loss', 'selection_metric', 'loss'),
    ('--baselines=fedavg,fedsgd', 'baselines', ('fedavg', 'fedsgd')),
    ('--baselines=', 'baselines', ()),
    ('--global_layers=hidden_1', 'global_layers', ('hidden_1',)),
    ('--goal_accuracy=0.97,.99', 'goal_accuracy', (0.97, 0.99)),
    ('--devices=gpu:0,gpu:1', 'devices', ('gpu:0', 'gpu:1')),
  )
  def test_value_has_the_type_of_the_field(self, argument, name, expected):
    value = getattr(config_flags.parse([argument]), name)
    self.assertEqual(value, expected)
    self.assertIs(type(value), type(expected))

  @parameterized.parameters(
    ([], config_lib.TrainConfig, 'data_dir', '~/a', '/home/me/a'),
    (_EMBEDDINGS, config_lib.TrainConfig, 'embeddings', '~/a', '/home/me/a'),
    (_EMBEDDINGS, config_lib.TrainConfig, 'clients', '~/a', '/home/me/a'),
    ([], config_lib.TrainConfig, 'vocabulary_file', '~/a', '/home/me/a'),
    ([], config_lib.TrainConfig, 'answers_file', '~/a', '/home/me/a'),
    ([], config_lib.AdaptConfig, 'from_run', '~/a', '/home/me/a'),
    ([], config_lib.AdaptConfig, 'local_only_from', '~/a', '/home/me/a'),
    ([], config_lib.NewDeviceConfig, 'from_run', '~/a,b', ('/home/me/a', 'b')),
    ([], config_lib.NewDeviceConfig, 'data_dir', '~/a', '/home/me/a'),
    ([], config_lib.TrainConfig, 'global_layers', '~/a', ('~/a',)),
  )
  def test_home_in_paths(self, others, config_class, name, given, expected):
    def read(holders):
      return config_flags.read_options(config_class, holders)

    with mock.patch.dict(os.environ, HOME='/home/me'):
      config = config_flags.parse([*others, f'--{name}={given}'], config_class, read)
    self.assertEqual(getattr(config, name), expected)

  @parameterized.parameters(('128', (128,)), ('64,32,8', (64, 32, 8)), (' 64, 32', (64, 32)))
  def test_list_of_numbers(self, text, expected):
    config = config_flags.parse([*_EMBEDDINGS, f'--hidden_units={text}'])
    self.assertEqual(config.hidden_units, expected)
    self.assertTrue(all(isinstance(units, int) for units in config.hidden_units))

  @parameterized.parameters('64,x', '64,1.5', '64;32')
  def test_list_of_something_else(self, text):
    with self.assertRaisesRegex(
      config_lib.ConfigError, f'--hidden_units is {text}, expected numbers such as 64,64.'
    ):
      config_flags.parse([*_EMBEDDINGS, f'--hidden_units={text}'])

  @parameterized.parameters(
    ('--metod=fedavg', flags.UnrecognizedFlagError, 'metod'),
    ('--rounds=many', flags.IllegalFlagValueError, 'rounds'),
    (
      '--model=lenet',
      config_lib.ConfigError,
      '--model is lenet, but --task=digits has its default or cnn; ',
    ),
    ('--method=sgd', flags.IllegalFlagValueError, 'fedavg|fedsgd|fedprox'),
    ('--hidden_units=0', config_lib.ConfigError, '--hidden_units has 0, expected more than 0'),
    ('--baselines=alone', config_lib.ConfigError, '--baselines is alone'),
    ('fedavg', config_lib.ConfigError, "Unexpected argument 'fedavg'; use --name=value."),
  )
  def test_refuses(self, argument, error, sentence):
    with self.assertRaisesRegex(error, sentence):
      config_flags.parse([argument])

  def test_fast(self):
    config = config_flags.parse(['--fast', *_EMBEDDINGS, '--hidden_units=8', '--seed=4'])
    self.assertEqual((config.task, config.embeddings, config.seed), ('digits', None, 4))

  def test_calls_do_not_know_of_each_other(self):
    self.assertEqual(config_flags.parse(['--seed=3']).seed, 3)
    self.assertEqual(config_flags.parse([]).seed, 0)

  @parameterized.parameters(
    ((),),
    ((*_EMBEDDINGS, '--model=cgau_local', '--hidden_units=16,8', '--shuffled_share=0.4'),),
    ((*_EMBEDDINGS, '--clients=my clients.npz', '--client_steps=10'),),
    (('--method=fedavg', '--partition=natural', '--keep_client_optimizer'),),
    (('--goal_accuracy=0.97,.99', '--seed=2'),),
  )
  def test_flags_that_a_run_writes_down_make_the_same_run(self, arguments):
    config = config_flags.parse(arguments)
    folder = os.path.join(self.create_tempdir().full_path, 'run')
    run_settings.claim(folder, config)
    self.assertEqual(config_flags.parse([f'--flagfile={folder}/flags.txt']), config)


class DefineTest(absltest.TestCase):
  def test_a_flag_for_each_field_with_its_help(self):
    values = flags.FlagValues()
    holders = config_flags.define(values)
    fields = dataclasses.fields(config_lib.TrainConfig)
    self.assertCountEqual(holders, [*(field.name for field in fields), 'fast'])
    for field in fields:
      self.assertIn(field.metadata['help'], values[field.name].help)
    self.assertIn('Out of apfl, ditto', values['baselines'].help)

  def test_defaults_are_those_of_the_config(self):
    values = flags.FlagValues()
    holders = config_flags.define(values)
    values(['program'])
    for field in dataclasses.fields(config_lib.TrainConfig):
      default = list(field.default) if isinstance(field.default, tuple) else field.default
      self.assertEqual(holders[field.name].value, default, field.name)

  def test_flags_of_another_config(self):
    values = flags.FlagValues()
    holders = config_flags.define(values, config_lib.AdaptConfig, 'Small.')
    values(['program', '--fast', '--learning_rate=0.5,0.25', '--adaptation=ewc', '--seed=4'])
    config = config_flags.read_as(config_lib.AdaptConfig, holders, config_lib.fast_adapt)
    expected = config_lib.AdaptConfig(learning_rate=(0.5, 0.25), adaptation=('ewc',), seed=4)
    self.assertEqual(config, config_lib.fast_adapt(expected))
    self.assertEqual(values['fast'].help, 'Small.')


if __name__ == '__main__':
  absltest.main()
