"""Tests of a run with a network of the user's own, from its function to an exported model."""

import contextlib
import json
import pathlib
import subprocess
import sys

import numpy as np
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import simulation
from tff_lg.personalization import adaptation_work
from tff_lg.simulation import export, trained_run

_MODULE = """
import tensorflow as tf
layers = tf.keras.layers

def build(input_shape, num_outputs, seed):
  # A frozen body, then branches whose layers are not in the order of their creation.
  x = tf.keras.Input(input_shape)
  body = layers.Dense(16, activation='relu', trainable=False, name='body')(layers.Flatten()(x))
  body = layers.BatchNormalization(trainable=False, name='norm')(body)
  late = layers.Dense(8, activation='relu', name='late')
  early = layers.Dense(8, activation='relu', name='early')(body)
  both = layers.Concatenate()([late(body), early])
  return tf.keras.Model(x, layers.Dense(num_outputs, name='head')(layers.Dropout(0.2)(both)))
"""
# Run by itself, where neither the project nor the function can be imported.
_ALONE = """
import json, sys
import numpy as np, tensorflow as tf, tf_keras
x = np.load(sys.argv[2])
model = tf.saved_model.load(sys.argv[1] + '/saved_model')
served = model.predict(x)['probabilities']
kept = tf_keras.models.load_model(sys.argv[1] + '/model.keras')(x)
assert not {'tff_lg', 'my_networks'} & set(sys.modules)
print(json.dumps([np.argmax(each, axis=1).tolist() for each in (served, kept)]))
"""


class OwnNetworkRunTest(absltest.TestCase):
  def test_from_the_function_to_an_exported_model(self):
    folder = pathlib.Path(self.create_tempdir().full_path)
    (folder / 'my_networks.py').write_text(_MODULE)
    self.enter_context(contextlib.chdir(folder))
    config = config_lib.resolve(
      config_lib.TrainConfig(
        model='my_networks:build',
        partition='iid',
        num_clients=3,
        clients_per_round=3,
        rounds=6,
        client_learning_rate=0.1,
        own_models=('network',),
        local_only_epochs=2,
        local_only_learning_rate=(0.1,),
      )
    )
    simulation.set_execution_context()
    summary = simulation.run_experiment(config, 'run')
    self.assertGreater(summary['pooled_test/accuracy'], 0.5)
    split = (folder / 'run/model_split.txt').read_text()
    sides = dict(line.split()[:2] for line in split.splitlines()[1:] if '/' in line)
    # Of three layers one stays local; frozen ones are no part of the model that is sent.
    self.assertEqual({name.partition('/')[0] for name in sides}, {'late', 'early', 'head'})
    self.assertEqual([side for name, side in sides.items() if 'kernel' in name].count('local'), 1)

    run = trained_run.load_trained_run('run')
    # 16 numbers to 8, twice, and 16 to 10 classes.
    self.assertEqual(sum(weight.size for weight in run.weights[0]), 2 * (16 * 8 + 8) + 170)
    values = adaptation_work.ModelEvaluator(run)(np.arange(3), run.weights)
    client = run.federated_data.clients[1]
    export.export_client(export.client_model(run, client.client_id), 'exported')
    np.save(folder / 'x.npy', client.test.x)
    alone = pathlib.Path(self.create_tempdir('alone').full_path)
    result = subprocess.run(
      [sys.executable, '-P', '-c', _ALONE, str(folder / 'exported'), str(folder / 'x.npy')],
      cwd=alone,
      capture_output=True,
      text=True,
      check=False,
    )
    self.assertEqual(result.returncode, 0, result.stderr)
    for predicted in json.loads(result.stdout):
      accuracy = np.mean(np.array(predicted) == client.test.y)
      self.assertAlmostEqual(accuracy, values['local_test/accuracy'][1])


if __name__ == '__main__':
  absltest.main()
