"""Tests of runs with optimisers of all kinds: stopped, on disk, private, and of older folders."""

import dataclasses
import functools
import json
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tests import reading
from tests.simulation import running
from tff_lg import checkpoints, checksums
from tff_lg import config as config_lib
from tff_lg.training import releases

_CONFIG = config_lib.TrainConfig(
  task='digits',
  baselines=(),
  num_clients=5,
  clients_per_round=2,
  rounds=4,
  evaluate_every=2,
  checkpoint_every=2,
)
_LOCAL_STATES = {
  'method': 'lg_fedavg',
  'client_optimizer': 'adam',
  'keep_client_optimizer': True,
  'client_schedule': 'cosine',
  'server_optimizer': 'yogi',
  'server_schedule': 'step',
  'server_step_rounds': 1,
}
_PRIVATE = {
  'method': 'fedavg',
  'server_optimizer': 'adam',
  'aggregator': 'dp_mean',
  'noise_multiplier': 1.0,
}
_run = functools.partial(running.run, _CONFIG)


def setUpModule():
  running.set_up_module()


def _checkpoint(folder):
  round_num, arrays, _ = checkpoints.CheckpointManager(folder + '/checkpoints').load_latest()
  return round_num, {name: a for name, a in arrays.items() if name.startswith('server/')}


class OptimizersRunTest(parameterized.TestCase):
  @parameterized.parameters((_LOCAL_STATES, {'client_store': 'disk'}), (_PRIVATE, {}))
  def test_stopped_run_resumes_with_the_states_of_its_optimizers(self, options, stopped):
    folder = self.create_tempdir().full_path
    whole = _run(folder + '/whole', **options)
    release = releases.MetricsReleaser.release

    def stop(releaser, round_num, *rest):
      if round_num == 4:
        raise KeyboardInterrupt
      release(releaser, round_num, *rest)

    with mock.patch.object(releases.MetricsReleaser, 'release', stop):
      with self.assertRaises(KeyboardInterrupt):
        _run(folder + '/stopped', **options, **stopped)
    self.assertEqual(_run(folder + '/stopped', **options, **stopped), whole)
    for name in ('metrics.csv', 'clients.parquet'):
      self.assertEqual(
        reading.read(folder, 'stopped', name), reading.read(folder, 'whole', name), name
      )
    (last, states), (_, of_whole) = _checkpoint(folder + '/stopped'), _checkpoint(folder + '/whole')
    self.assertEqual(last, 4)
    for name, state in of_whole.items():
      np.testing.assert_array_equal(states[name], state)

  def test_rounds_that_rates_are_made_for_do_not_grow(self):
    folder = self.create_tempdir().full_path
    _run(folder, method='fedavg', rounds=1, server_schedule='cosine')
    with self.assertRaisesRegex(ValueError, 'rounds was 1, now 2'):
      _run(folder, method='fedavg', rounds=2, server_schedule='cosine')

  def test_folder_of_a_run_that_is_older_than_the_options(self):
    folder = self.create_tempdir().full_path
    _run(folder + '/new', method='fedavg', rounds=2)
    path = folder + '/new/hparams.json'
    new = json.loads(reading.read(path))
    names = {field.name for field in dataclasses.fields(config_lib.TrainConfig)}
    of_optimizers = {name for name in names if name.startswith(('client_', 'server_'))}
    kept = (
      'client_epochs client_steps client_weighting client_store client_dropout_rate client_cache '
      'client_learning_rate client_momentum client_learning_rate_decay server_learning_rate '
      'server_momentum'
    ).split()
    old = {name: new[name] for name in new if name not in of_optimizers.difference(kept)}
    self.assertLess(len(old), len(new))
    with open(path, 'w', encoding='utf-8') as file:
      json.dump(old, file)
    checksums.update(path)
    self.assertEqual(_run(folder + '/new', method='fedavg')['rounds/fedavg'], 4)
    with self.assertRaisesRegex(ValueError, 'server_optimizer was sgd, now adam'):
      _run(folder + '/new', method='fedavg', server_optimizer='adam')


if __name__ == '__main__':
  absltest.main()
