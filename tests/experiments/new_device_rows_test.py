"""Tests of source runs that are averaged in one row, by their settings; nothing is trained."""

import dataclasses
import json
import os

from absl.testing import absltest, parameterized

from tff_lg import config as config_lib
from tff_lg.experiments import new_device_rows
from tff_lg.run_folder import run_settings

_SOURCE = config_lib.resolve(config_lib.TrainConfig(task='digits', num_clients=10))


class RowsTest(parameterized.TestCase):
  def _source(self, summary=None, **changes):
    """Returns the folder and the config of a finished run."""
    path = os.path.join(self.create_tempdir().full_path, 'run')
    config = dataclasses.replace(_SOURCE, **changes)
    run_settings.claim(path, config)
    with open(os.path.join(path, 'summary.json'), 'w', encoding='utf-8') as file:
      json.dump(summary or {}, file)
    return path, config

  @parameterized.parameters(
    ({'partition': 'iid'}, 'iid'),
    ({'partition': 'classes_per_client', 'classes_per_client': 3}, 'classes_per_client=3'),
    ({'partition': 'clusters', 'shuffled_share': 0.2}, 'clusters=0.2'),
    ({'partition': None, 'clients': 'clients.npz'}, 'clients'),
  )
  def test_partitions_are_told_apart(self, changes, name):
    config = dataclasses.replace(_SOURCE, **changes)
    self.assertEqual(new_device_rows.describe_partition(config.partition_options), name)

  @parameterized.parameters(
    ({'client_learning_rate': 0.2}, '--client_learning_rate is 0.05 in the one and 0.2 in the'),
    ({'vocabulary_file': '/others.txt'}, '--vocabulary_file is words.txt in the one and others.'),
  )
  def test_other_settings_are_refused(self, changes, sentence):
    words = {'vocabulary_file': '/words.txt'}
    sources = dict([self._source(**words), self._source(**{**words, **changes})])
    with self.assertRaisesRegex(ValueError, sentence):
      new_device_rows.check_rows(sources)

  @parameterized.parameters(
    {'seed': 7, 'baselines': ('mtl',), 'ray_actors': 4},
    {'vocabulary_file': './words.txt'},
    {'data_dir': '/others'},  # Of a task that has one place for its data.
    {'classes_per_client': 3, 'client_learning_rate': 0.2},  # Another row.
    {'method': 'fedavg', 'client_learning_rate': 0.2},
  )
  def test_other_settings_are_allowed(self, **changes):
    words = {'vocabulary_file': '/words.txt', 'data_dir': '/data'}
    sources = dict([self._source(**words), self._source(**{**words, **changes})])
    new_device_rows.check_rows(sources)

  def test_folders_of_arrays_are_not_seeds(self):
    sources = dict(self._source(task='arrays', data_dir=f'/data/{name}') for name in 'ab')
    with self.assertRaisesRegex(ValueError, '--data_dir is a in the one and b in the other'):
      new_device_rows.check_rows(sources)

  def test_run_that_evaluated_a_sample_is_refused(self):
    path, config = self._source({'evaluated/num_clients': 2})
    with self.assertRaisesRegex(ValueError, f'{path} evaluated 2 of its clients, expected all of'):
      new_device_rows.check_rows({path: config})

  def test_source_runs_have_one_main_metric(self):
    configs = {task: config_lib.TrainConfig(task=task) for task in ('digits', 'diabetes')}
    with self.assertRaisesRegex(ValueError, 'digits, whose main metric is accuracy, and diabetes,'):
      new_device_rows.check_rows(configs)


if __name__ == '__main__':
  absltest.main()
