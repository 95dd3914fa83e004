"""Tests of options that a config has from entries, those of methods and of optimisers."""

import dataclasses

from absl.testing import absltest

from tff_lg import config
from tff_lg.config import METHOD_OPTIONS
from tff_lg.learning.methods import METHODS


class EntryOptionsTest(absltest.TestCase):
  def test_a_field_for_each_option(self):
    fields = {field.name: field for field in dataclasses.fields(config.TrainConfig)}
    for option in METHODS.list_options():
      field = fields[option.name]
      self.assertIsNone(field.default)
      self.assertEqual(field.metadata['help'], option.help)
      self.assertEqual(field.type, option.type | None)

  def test_given_and_defaults(self):
    options = config.TrainConfig(mtl_weight_decay=0.5, proximal_strength=1.0)
    self.assertEqual(METHOD_OPTIONS.given(options, 'mtl'), {'mtl_weight_decay': 0.5})
    self.assertEqual(METHOD_OPTIONS.given(options, 'fedavg'), {})
    self.assertEqual(
      METHOD_OPTIONS.defaults(('mtl', 'ditto')), {'mtl_strength': 0.1, 'ditto_strength': 0.1}
    )

  def test_without_keeps_the_method_s_own(self):
    without = METHOD_OPTIONS.without('ditto')
    self.assertNotIn('ditto_strength', without)
    self.assertIsNone(without['global_layers'])

  def test_checks_of_entries_are_those_of_flags(self):
    for changes, sentence in (
      (
        {'method': 'ditto', 'ditto_strength': -1.0},
        '^--ditto_strength is -1.0, expected 0 or more',
      ),
      ({'ditto_strength': 1.0}, '--ditto_strength is given, but --method is lg_fedavg'),
      ({'baselines': ('ditto',), 'ditto_strength': -1.0}, '--ditto_strength is -1.0'),
    ):
      with self.assertRaisesRegex(config.ConfigError, sentence):
        config.resolve(config.TrainConfig(**changes))

  def test_names_of_all_runs_are_taken(self):
    class Taken(METHOD_OPTIONS.make_class()):
      mtl_strength: float = 1.0

    with self.assertRaisesRegex(ValueError, 'mtl has the option mtl_strength, but runs have --mtl'):
      METHOD_OPTIONS.check_names(Taken)


if __name__ == '__main__':
  absltest.main()
