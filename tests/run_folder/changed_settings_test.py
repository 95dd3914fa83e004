"""Tests of settings that may change when a run resumes."""

import dataclasses
import os

import numpy as np
from absl.testing import absltest, parameterized

from tff_lg import checkpoints, files
from tff_lg import config as config_lib
from tff_lg.run_folder import changed_settings

_CONFIG = config_lib.resolve(config_lib.TrainConfig())
_MORE = {'rounds': (4, 8)}
_LOWER = {'client_learning_rate': (0.5, 0.1), 'server_learning_rate': (1, 0.5)}


class ChangedSettingsTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.run_dir = self.create_tempdir().full_path

  def _may_change(self, differences, **changes):
    config = dataclasses.replace(_CONFIG, **changes)
    return changed_settings.may_change(self.run_dir, config, differences)

  def test_rounds_may_grow(self):
    self.assertEqual(self._may_change(_MORE), {'rounds'})
    for differences in ({'rounds': (8, 4)}, {'rounds': (None, 8)}, {'warm_start_rounds': (1, 2)}):
      self.assertEqual(self._may_change(differences), set())

  def test_an_adaptation_changes_nothing(self):
    config = config_lib.AdaptConfig(from_run='a')
    self.assertEqual(changed_settings.may_change(self.run_dir, config, _MORE), set())

  def test_rounds_of_a_private_run_may_not(self):
    self.assertEqual(self._may_change(_MORE, aggregator='dp_mean'), set())

  def test_rates_may_fall_after_divergence_alone(self):
    self.assertEqual(self._may_change(_LOWER), set())
    changed_settings.mark_diverged(self.run_dir, 'Round 3: diverged.')
    self.assertEqual(self._may_change({**_LOWER, **_MORE}), {*_LOWER, *_MORE})
    for differences in ({'client_learning_rate': (0.1, 0.5)}, {'client_momentum': (0.5, 0.1)}):
      self.assertEqual(self._may_change(differences), set())
    changed_settings.forget_divergence(self.run_dir, _MORE)
    self.assertEqual(self._may_change(_LOWER), set(_LOWER))
    changed_settings.forget_divergence(self.run_dir, _LOWER)
    self.assertEqual(self._may_change(_LOWER), set())

  def test_changes_are_recorded_once_with_the_round(self):
    files.write_atomically(f'{self.run_dir}/summary.json', '{}')
    self.assertEqual(changed_settings.summarize(self.run_dir), {})
    for _ in range(2):
      changed_settings.record(self.run_dir, _LOWER, trains_to_best=False)
    self.assertEqual(os.listdir(self.run_dir), ['changes.json'])
    manager = checkpoints.CheckpointManager(f'{self.run_dir}/checkpoints')
    manager.save(4, {'x': np.zeros(1)}, {})
    changed_settings.record(self.run_dir, _MORE, trains_to_best=False)
    self.assertEqual(
      changed_settings.load(self.run_dir),
      [
        {
          'after_round': 0,
          'client_learning_rate': [0.5, 0.1],
          'server_learning_rate': [1, 0.5],
        },
        {'after_round': 4, 'rounds': [4, 8]},
      ],
    )
    self.assertEqual(
      changed_settings.summarize(self.run_dir),
      {
        'changed_settings': 'after round 0 client_learning_rate from 0.5 to 0.1, '
        'server_learning_rate from 1 to 0.5; after round 4 rounds from 4 to 8'
      },
    )
    self.assertEqual(changed_settings.changed(self.run_dir), {*_LOWER, *_MORE})

  def test_clients_alone_have_no_rounds(self):
    files.write_atomically(f'{self.run_dir}/summary.json', '{}')
    changed_settings.record(self.run_dir, _MORE, trains_to_best=True)
    self.assertEqual(os.listdir(self.run_dir), ['summary.json'])
    changed_settings.record(self.run_dir, {**_MORE, **_LOWER}, trains_to_best=True)
    self.assertEqual(os.listdir(self.run_dir), ['changes.json'])

  @parameterized.parameters('', '{"a": 1}', '[1]')
  def test_damaged_file_is_named(self, content):
    path = files.write_atomically(f'{self.run_dir}/changes.json', content)
    with self.assertRaisesRegex(ValueError, f'{path} is damaged'):
      changed_settings.load(self.run_dir)


if __name__ == '__main__':
  absltest.main()
