"""Tests of runs with batch normalisation: statistics that travel or stay, resumed and exported."""

import contextlib
import dataclasses
import pathlib

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.simulation import running
from tff_lg import config as config_lib
from tff_lg import simulation
from tff_lg.personalization import adaptation_work
from tff_lg.simulation import export, trained_run

_MODULE = """
import tensorflow as tf
layers = tf.keras.layers

def build(input_shape, num_outputs, seed):
  return tf.keras.Sequential([
    layers.InputLayer(input_shape),
    layers.Flatten(),
    layers.Dense(16, activation='relu', name='body'),
    layers.BatchNormalization(momentum=0.5, name='norm'),
    layers.Dense(num_outputs, name='head'),
  ])
"""
_FILES = ('metrics.csv', 'communication.csv', 'clients.parquet')


def setUpModule():
  running.set_up_module()


def _config(method, **changes):
  settings = {
    **{'model': 'my_norm:build', 'partition': 'iid', 'num_clients': 3, 'clients_per_round': 2},
    **{'client_learning_rate': 0.1, 'rounds': 4, 'checkpoint_every': 1, 'evaluate_every': 1},
  }
  return config_lib.resolve(
    config_lib.TrainConfig(method=method, baselines=(), **settings | changes)
  )


class BatchNormRunTest(parameterized.TestCase):
  def setUp(self):
    super().setUp()
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    (self.folder / 'my_norm.py').write_text(_MODULE)
    self.enter_context(contextlib.chdir(self.folder))

  @parameterized.parameters(('fedbn', 'local', 64), ('fedavg', 'global', 0))
  def test_from_the_function_to_an_exported_model(self, method, side, num_local):
    config = _config(method, client_store='disk')
    simulation.run_experiment(config, 'run')
    split = (self.folder / 'run/model_split.txt').read_text()
    sides = dict(line.split()[:2] for line in split.splitlines()[1:] if '/' in line)
    names = ('gamma', 'beta', 'moving_mean', 'moving_variance')
    self.assertEqual({sides[f'norm/{name}'] for name in names}, {side})
    communication = (self.folder / 'run/communication.csv').read_text().splitlines()
    num_sent = 64 * 16 + 16 + 64 + 16 * 10 + 10 - num_local
    self.assertEqual(communication[-1].split(',')[2:4], [str(2 * num_sent)] * 2)

    # Two rounds, then two more, are four rounds.
    simulation.run_experiment(dataclasses.replace(config, rounds=2), 'resumed')
    simulation.run_experiment(config, 'resumed')
    for name in _FILES:
      found = [(self.folder / run / name).read_bytes() for run in ('run', 'resumed')]
      self.assertEqual(*found, name)

    run = trained_run.load_trained_run('run')
    values = adaptation_work.ModelEvaluator(run)(np.arange(3), run.weights)
    client = run.federated_data.clients[1]
    network = export.client_model(run, client.client_id).network
    norm = network.get_layer('norm')
    self.assertGreater(float(tf.reduce_max(tf.abs(norm.moving_mean))), 0.1)
    accuracy = np.mean(network(client.test.x).numpy().argmax(axis=1) == client.test.y)
    self.assertAlmostEqual(accuracy, values['local_test/accuracy'][1])
    np.testing.assert_allclose(
      values['local_test/accuracy'], run.clients['local_test/accuracy'], rtol=1e-6
    )

  def test_own_models(self):
    config = _config(
      'local_only',
      own_models=('network',),
      local_only_epochs=3,
      local_only_learning_rate=(0.1,),
    )
    summary = simulation.run_experiment(config, 'own')
    self.assertGreater(summary['local_test/accuracy/mean_over_clients'], 0.5)


if __name__ == '__main__':
  absltest.main()
