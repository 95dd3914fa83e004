"""Tests of exported models of functions that return networks of Keras 3."""

import contextlib
import pathlib
import subprocess
import sys

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg.inputs import tasks
from tff_lg.models import keras3_operation
from tff_lg.simulation import export

_MODULE = """
import keras

class Block(keras.layers.Layer):
  def __init__(self, units, scale=2.0, **options):
    super().__init__(**options)
    self.units, self.scale = units, scale
    self.dense = keras.layers.Dense(units)

  def build(self, shape):
    self.dense.build(shape)

  def call(self, x):
    return self.scale * self.dense(x)

  def get_config(self):
    return {**super().get_config(), 'units': self.units, 'scale': self.scale}

class Lost(Block):
  def get_config(self):
    raise NotImplementedError('no config')

class Net(keras.Model):
  def __init__(self, num_outputs):
    super().__init__()
    self.body, self.head = keras.layers.Dense(4), keras.layers.Dense(num_outputs)

  def call(self, x):
    return self.head(self.body(keras.layers.Flatten()(x)))

def build(input_shape, num_outputs, seed):
  layers = [keras.layers.Flatten(), Block(8), keras.layers.Dropout(0.5)]
  return keras.Sequential([keras.Input(input_shape), *layers, keras.layers.Dense(num_outputs)])

def subclassed(input_shape, num_outputs, seed):
  return Net(num_outputs)

def lost(input_shape, num_outputs, seed):
  return keras.Sequential([keras.Input(input_shape), keras.layers.Flatten(), Lost(num_outputs)])
"""
# Run by itself, where the project cannot be imported.
_ALONE = """
import sys
import keras, numpy as np
import {module} as module
x = np.load('x.npy')
networks = [
  keras.models.load_model(folder + '/model.keras', custom_objects=vars(module))
  for folder in sys.argv[1:]
]
np.save('outputs.npy', [network(x) for network in networks])
assert 'tff_lg' not in sys.modules
"""


class ExportKeras3Test(absltest.TestCase):
  def setUp(self):
    super().setUp()
    if tf.__version__.startswith('2.14.'):
      self.skipTest('Legacy Keras is all there is.')
    self.folder = pathlib.Path(self.create_tempdir().full_path)
    self.module = f'networks_{self.id().rpartition(".")[2]}'
    (self.folder / f'{self.module}.py').write_text(_MODULE)
    self.enter_context(contextlib.chdir(self.folder))

  def _model(self, function):
    config = config_lib.resolve(
      config_lib.TrainConfig(model=f'{self.module}:{function}', num_clients=2, partition='iid')
    )
    inputs = config.input_options
    data = tasks.load_data(inputs)
    model = tasks.build_model(inputs, data)
    draws = np.random.default_rng(0)
    weights = [draws.normal(size=w.shape).astype(np.float32) for w in model.initial_weights]
    return export.with_weights('fedavg', inputs, data, data.clients[1], model, weights, {})

  def test_files_are_of_keras3(self):
    functions, expected = ('build', 'subclassed'), []
    for function in functions:
      model = self._model(function)
      self.assertIsInstance(model.keras_model, keras3_operation.import_keras3().Model)
      x = model.client.test.x
      expected.append(model.network(x, training=False).numpy())
      export.export_client(model, function)
    np.save('x.npy', x)
    alone = [sys.executable, '-c', _ALONE.format(module=self.module), *functions]
    result = subprocess.run(alone, capture_output=True, text=True, check=False)
    self.assertEqual(result.returncode, 0, result.stderr)
    np.testing.assert_allclose(np.load('outputs.npy'), expected, rtol=1e-5, atol=1e-4)

  def test_refuses_what_keras_cannot_save(self):
    with self.assertRaisesRegex(ValueError, 'Keras cannot save the network .*: no config'):
      export.export_client(self._model('lost'), 'lost')
    self.assertFalse(pathlib.Path('lost').exists())


if __name__ == '__main__':
  absltest.main()
