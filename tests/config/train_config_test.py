"""Tests of the groups of a training run's config."""

import dataclasses
import functools
import json
import pickle

from absl.testing import absltest

from tff_lg import config as config_lib

_CONFIG = config_lib.TrainConfig(
  task='digits', partition='shards', method='mtl', rounds=7, seed=3, runtime='local'
)
_GROUPS = {
  name: getattr(_CONFIG, name)
  for name, value in vars(config_lib.TrainConfig).items()
  if isinstance(value, functools.cached_property)
}


class TrainConfigTest(absltest.TestCase):
  def test_groups_have_the_values_of_the_config(self):
    for name, group in _GROUPS.items():
      with self.subTest(name):
        for field in dataclasses.fields(group):
          self.assertEqual(getattr(group, field.name), getattr(_CONFIG, field.name))
        self.assertIs(getattr(_CONFIG, name), group)

  def test_each_field_is_in_a_group(self):
    fields = {field.name for group in _GROUPS.values() for field in dataclasses.fields(group)}
    self.assertEqual(fields, {field.name for field in dataclasses.fields(_CONFIG)})

  def test_group_knows_no_other_options(self):
    self.assertEqual(_CONFIG.partition_options.partition, 'shards')
    self.assertFalse(hasattr(_CONFIG.partition_options, 'method'))
    self.assertFalse(hasattr(_CONFIG.method_options, 'partition'))
    self.assertEqual(_CONFIG.method_options.total_rounds, _CONFIG.total_rounds)
    self.assertEqual(_CONFIG.selection_options.model_metrics, _CONFIG.model_metrics)

  def test_changed_config_has_changed_groups(self):
    changed = dataclasses.replace(_CONFIG, rounds=8)
    self.assertEqual(changed.method_options.rounds, 8)
    self.assertEqual(changed.task_options, _CONFIG.task_options)

  def test_what_is_stored_is_flat(self):
    stored = json.loads(json.dumps(dataclasses.asdict(_CONFIG)))
    self.assertFalse([name for name, value in stored.items() if isinstance(value, dict)])
    values = {n: tuple(v) if isinstance(v, list) else v for n, v in stored.items()}
    self.assertEqual(config_lib.TrainConfig(**values), _CONFIG)
    self.assertEqual(pickle.loads(pickle.dumps(_CONFIG)).task_options, _CONFIG.task_options)


if __name__ == '__main__':
  absltest.main()
