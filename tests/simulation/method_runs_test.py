"""The contract of every registered method in whole runs, with few clients of few examples."""

import dataclasses
import functools
import os
from unittest import mock

import numpy as np
from absl.testing import absltest, parameterized

from tests.simulation import running
from tff_lg import checkpoints, learning, simulation
from tff_lg import config as config_lib
from tff_lg.inputs import tasks
from tff_lg.run_folder import run_files
from tff_lg.simulation import run_phases, trained_run
from tff_lg.training import cohorts, run_state, storage

_METHODS = tuple(learning.METHODS)
_FILES = ('metrics.csv', 'communication.csv', 'clients.parquet', 'held_out_clients.parquet')
# The client without examples; two others are held out.
_EMPTY = 0


def setUpModule():
  running.set_up_module()


def _config(method, **changes):
  """Configures two rounds of a warm start, if the method has one, and one of its own."""
  warm_start = 2 if learning.METHODS[method].has_warm_start else 0
  settings = {
    **{'task': 'digits', 'baselines': (), 'local_budget': 'cohort', 'num_clients': 5},
    **{'held_out_clients': 2, 'clients_per_round': 3, 'evaluate_every': 1, 'checkpoint_every': 1},
    **{'warm_start_rounds': warm_start, 'rounds': 3 - warm_start},
  }
  return config_lib.resolve(config_lib.TrainConfig(method=method, **settings | changes))


@functools.cache
def _data():
  loaded = tasks.load_data(_config('fedavg').input_options)

  def with_examples(client, number):
    few = {part: getattr(client, part).take(np.arange(number)) for part in ('validation', 'test')}
    return dataclasses.replace(client, train=client.train.take(np.arange(2 * number)), **few)

  clients = [with_examples(client, 10 * (i != _EMPTY)) for i, client in enumerate(loaded.clients)]
  return dataclasses.replace(loaded, clients=tuple(clients))


def _with_data(function, *arguments):
  with mock.patch.object(tasks, 'load_data', return_value=_data()):
    return function(*arguments)


class MethodRunsTest(parameterized.TestCase):
  root = functools.cached_property(lambda self: self.create_tempdir().full_path)

  def _run(self, method, name, **changes):
    folder = f'{self.root}/{name}'
    _with_data(simulation.run_experiment, _config(method, **changes), folder)
    return folder

  @parameterized.parameters(*_METHODS)
  def test_run(self, method):
    folder = self._run(method, 'run')
    with self.subTest('client without examples'):
      self._check_empty_client(method, folder)
    if learning.METHODS[method].has_warm_start:
      with self.subTest('warm start'):
        self._check_warm_start(method, folder)
    with self.subTest('held-out clients'):
      self._check_held_out(method, folder)
    with self.subTest('resumed, with states on disk'):
      self._check_resumed(method, folder)

  def _check_empty_client(self, method, folder):
    drawn = cohorts.CohortSampler(3, **config_lib.cohort_options(_config(method)))(2).clients
    self.assertIn(_EMPTY, drawn)
    _, clients = run_files.load_results(folder)
    accuracy = clients['local_test/accuracy'].to_numpy()
    np.testing.assert_array_equal(np.isnan(accuracy), np.arange(3) == _EMPTY)

  def _check_warm_start(self, method, folder):
    """Checks that the rounds begin for everybody with the weights of FedAvg's last round."""
    config, arrays = _config(method), {}
    for round_num in (2, 3):
      manager = checkpoints.CheckpointManager(f'{folder}/checkpoints')
      with mock.patch.object(manager, 'rounds', return_value=[round_num]):
        arrays[round_num] = manager.load_latest()[1]
    start = run_state.start_weights(arrays[3])
    model = tasks.build_model(config.input_options, _data())
    process = run_phases.build_phases(config, model, num_clients=3)[-1].process
    network = process.merge(*process.model.split(start))
    for index, weight in enumerate(network):
      np.testing.assert_array_equal(weight, arrays[2][f'server/{index}'])

  def _check_held_out(self, method, folder):
    if not learning.METHODS[method].sends_updates:
      self.assertIsNone(run_files.load_held_out_clients(folder))
      return
    run = _with_data(trained_run.load_trained_run, folder)
    np.testing.assert_array_equal(run.is_held_out, [False] * 3 + [True] * 2)
    for weights in run.weights[3:]:
      for weight, initial in zip(weights, run.model.initial_weights, strict=True):
        self.assertFalse(np.array_equal(weight, initial))

  def _check_resumed(self, method, folder):
    save, config = storage.RunStorage.save, _config(method, client_store='disk')
    other = f'{self.root}/resumed'

    def save_then_stop(saved_in, state, *more):
      save(saved_in, state, *more)
      if state.round_num == 2:
        raise KeyboardInterrupt

    with (
      mock.patch.object(storage.RunStorage, 'save', save_then_stop),
      self.assertRaises(KeyboardInterrupt),
    ):
      _with_data(simulation.run_experiment, config, other)
    _with_data(simulation.run_experiment, config, other)
    for name in _FILES:
      found = [os.path.join(path, name) for path in (folder, other)]
      self.assertEqual(*map(os.path.exists, found))
      if os.path.exists(found[0]):
        self.assertEqual(*(open(path, 'rb').read() for path in found), name)

  @parameterized.product(method=_METHODS, aggregator=('median', 'dp_mean'))
  def test_aggregators_by_flag(self, method, aggregator):
    changes = {'noise_multiplier': 0.5} if aggregator == 'dp_mean' else {}
    entry = learning.METHODS[method]
    if entry.sends_updates and not entry.needs_mean:
      _config(method, aggregator=aggregator, **changes)
      return
    sentence = 'needs means of what' if entry.needs_mean else 'sends nothing to aggregate'
    with self.assertRaisesRegex(config_lib.ConfigError, sentence):
      _config(method, aggregator=aggregator, **changes)


if __name__ == '__main__':
  absltest.main()
