"""Tests of trackers, with modules that take note of what they are told."""

import math
import sys
import types
from unittest import mock

from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg.config import tracking
from tff_lg.training import trackers

_SETTINGS = {f'option_{number}': number for number in range(150)} | {'none': None}


def _fake_mlflow(calls):
  module = types.ModuleType('mlflow')

  def start_run(**options):
    calls.append(('start_run', options))
    return types.SimpleNamespace(info=types.SimpleNamespace(run_id='run_7'))

  module.active_run = lambda: None
  module.start_run = start_run
  module.log_params = lambda values: calls.append(('log_params', len(values)))
  module.log_metrics = lambda values, step: calls.append(('log_metrics', values, step))
  module.end_run = lambda: calls.append(('end_run',))
  return module


def _fake_wandb(calls):
  module = types.ModuleType('wandb')

  def init(**options):
    calls.append(('init', options))
    return types.SimpleNamespace(
      id='run_7',
      log=lambda values, step: calls.append(('log', values, step)),
      finish=lambda: calls.append(('finish',)),
    )

  module.init = init
  return module


class TrackersTest(absltest.TestCase):
  def _follow(self, tracker):
    state = types.SimpleNamespace(round_num=3)
    tracker.on_run_begin(state, [])
    tracker.on_round_end(state, {'train/loss': 0.5, 'validation/loss': math.nan})
    arrays = tracker.to_arrays()
    tracker.on_run_end()
    tracker.on_run_end()  # As after an error in the first.
    return arrays

  def test_mlflow(self):
    calls = []
    with mock.patch.dict(sys.modules, mlflow=_fake_mlflow(calls)):
      arrays = self._follow(trackers.TRACKERS['mlflow']('runs/a', _SETTINGS))
      self.assertEqual(
        calls,
        [
          ('start_run', {'run_name': 'runs/a', 'nested': False}),
          ('log_params', 100),
          ('log_params', 50),
          ('log_metrics', {'train/loss': 0.5}, 3),
          ('end_run',),
        ],
      )
      calls.clear()
      resumed = trackers.TRACKERS['mlflow']('runs/a', _SETTINGS)
      resumed.load_arrays(arrays)
      self._follow(resumed)
    self.assertEqual(calls[0], ('start_run', {'run_id': 'run_7', 'nested': False}))
    self.assertEqual(calls[1][0], 'log_metrics')

  def test_tracker_that_refuses_is_one_sentence(self):
    module = _fake_mlflow([])
    module.start_run = mock.Mock(side_effect=RuntimeError('set MLFLOW_ALLOW_FILE_STORE=true'))
    with mock.patch.dict(sys.modules, mlflow=module):
      tracker = trackers.TRACKERS['mlflow']('runs/a', {})
      with self.assertRaisesRegex(ValueError, '--track=mlflow cannot begin: set MLFLOW_ALLOW'):
        tracker.on_run_begin(types.SimpleNamespace(round_num=0), [])
      tracker.on_run_end()

  def test_wandb(self):
    calls = []
    with mock.patch.dict(sys.modules, wandb=_fake_wandb(calls)):
      arrays = self._follow(trackers.TRACKERS['wandb']('runs/a', {'rounds': 2, 'none': None}))
      options = calls[0][1]
      self.assertEqual((options['name'], options['config']), ('runs/a', {'rounds': 2}))
      self.assertIsNone(options['id'])
      self.assertEqual(calls[1:], [('log', {'train/loss': 0.5}, 3), ('finish',)])
      resumed = trackers.TRACKERS['wandb']('runs/a', {})
      resumed.load_arrays(arrays)
      calls.clear()
      self._follow(resumed)
    self.assertEqual((calls[0][1]['id'], calls[0][1]['resume']), ('run_7', 'allow'))

  def test_names_are_those_of_the_flag(self):
    self.assertEqual(tuple(trackers.TRACKERS), tracking.TRACKERS)

  def test_refuses_what_is_not_installed(self):
    config = config_lib.TrainConfig(task='digits', track='wandb')
    with mock.patch('importlib.util.find_spec', return_value=None):
      with self.assertRaisesRegex(
        config_lib.ConfigError, '--track is wandb, but the package wandb is not installed'
      ):
        config_lib.resolve(config)
    with mock.patch.dict(sys.modules, wandb=_fake_wandb([])):
      self.assertEqual(config_lib.resolve(config).track, 'wandb')


if __name__ == '__main__':
  absltest.main()
