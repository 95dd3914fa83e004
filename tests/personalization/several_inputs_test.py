"""Tests of weighed data and a network of several inputs, from files to each client's model."""

import contextlib
import pathlib

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import config as config_lib
from tff_lg import personalization, simulation, verdicts

_MODULE = """
import tensorflow as tf
layers = tf.keras.layers

def build(input_shape, num_outputs, seed):
  assert input_shape == {'table': (3,), 'signal': (4, 2)}, input_shape
  table, signal = (tf.keras.Input(input_shape[name], name=name) for name in ('table', 'signal'))
  parts = [layers.Dense(6, name='of_table')(table), layers.GRU(4, name='of_signal')(signal)]
  hidden = layers.Dense(8, activation='relu', name='both')(layers.Concatenate()(parts))
  return tf.keras.Model([table, signal], layers.Dense(num_outputs, name='output')(hidden))
"""
_RIGHT = 0.9


def _write_clients(folder):
  """Writes three clients; wrong labels have the weight 0.

  Two thirds of the training labels are wrong, so that only weights tell what is right.
  """
  rng = np.random.default_rng(0)
  for name, size in (('train', 300), ('test', 90)):
    y = np.arange(size) % 2
    x_table = rng.normal(size=(size, 3)) + 2.0 * y[:, np.newaxis]
    x_signal = rng.normal(size=(size, 4, 2)) - y[:, np.newaxis, np.newaxis]
    is_wrong = np.arange(size) // 2 % 3 > 0 if name == 'train' else np.zeros(size, bool)
    np.savez(
      folder / f'{name}.npz',
      x_table=x_table,
      x_signal=x_signal,
      y=np.where(is_wrong, 1 - y, y),
      users=np.repeat(['a', 'b', 'c'], size // 3),
      weights=np.where(is_wrong, 0.0, 2.0),
    )


class SeveralInputsTest(absltest.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    simulation.set_execution_context()
    cls.root = pathlib.Path(cls.create_tempdir(cls()).full_path)
    (cls.root / 'my_networks.py').write_text(_MODULE)
    _write_clients(cls.root)
    with contextlib.chdir(cls.root):
      config = config_lib.TrainConfig(
        task='arrays',
        data_dir=str(cls.root),
        model='my_networks:build',
        partition='natural',
        method='lg_fedavg',
        clients_per_round=3,
        rounds=8,
        client_learning_rate=0.1,
        validation_fraction=0.2,
        own_models=('network', 'linear'),
        local_only_epochs=6,
        local_only_learning_rate=(0.1,),
      )
      cls.summary = simulation.run_experiment(config_lib.resolve(config), 'run')

  def setUp(self):
    super().setUp()
    self.enter_context(contextlib.chdir(self.root))

  def test_federated_models_learn_from_examples_of_weight(self):
    self.assertGreater(self.summary['pooled_test/accuracy'], _RIGHT)

  def test_adapted_models(self):
    options = {'adaptation': ('fine_tune',), 'epochs': 2, 'learning_rate': (0.1,)}
    config = config_lib.AdaptConfig(from_run='run', **options)
    personalization.run_adaptation(config, 'adapted')
    accuracy = personalization.load_result('adapted').clients['fine_tune/local_test/accuracy']
    self.assertGreater(accuracy.min(), _RIGHT)

  def test_model_of_a_client_takes_inputs_by_name(self):
    result = personalization.load_result('run')
    row = result.clients.set_index('client_id').loc['b']
    with np.load('test.npz') as test:
      own = test['users'] == 'b'
      y = test['y'][own]
      x = {name: test[f'x_{name}'][own].astype(np.float32) for name in ('table', 'signal')}
    model = result.model_for('b')
    self.assertCountEqual(model.input_names, x)
    right = np.argmax(model.predict(x, verbose=0), axis=1) == y
    self.assertEqual(verdicts.to_marks(right), row['local_test/correct'])

    result.export('b', 'exported')
    kept = tf.keras.models.load_model('exported/model.keras')
    np.testing.assert_array_equal(np.argmax(kept(x), axis=1) == y, right)


if __name__ == '__main__':
  absltest.main()
