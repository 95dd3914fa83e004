"""Tests of activations of Keras 3 in layers of legacy Keras."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg.models import keras3, keras3_activation, keras3_operation

_X = np.array([[-4.0, -1.5, 0.0, 1.0, 2.5, 4.0]], np.float32)


@absltest.skipIf(tf.__version__.startswith('2.14.'), 'Legacy Keras is all there is.')
class Keras3ActivationTest(parameterized.TestCase):
  @parameterized.parameters(
    # Each by its formula. Legacy Keras has 0.2 x + 0.5 where Keras 3 has x / 6 + 0.5.
    ('hard_sigmoid', np.clip(_X / 6 + 0.5, 0, 1)),
    ('hard_silu', _X * np.clip(_X / 6 + 0.5, 0, 1)),
    ('hard_swish', _X * np.clip(_X / 6 + 0.5, 0, 1)),
    ('hard_tanh', np.clip(_X, -1, 1)),
    ('squareplus', (_X + np.sqrt(_X**2 + 4)) / 2),
  )
  def test_values_by_a_formula(self, name, expected):
    keras = keras3_operation.import_keras3()
    layers = [keras.layers.Input((6,)), keras.layers.Activation(name, name='activation')]
    copy = keras3.to_legacy(keras.Sequential(layers))
    np.testing.assert_allclose(copy(_X), expected, rtol=1e-5, atol=1e-6)

  @parameterized.parameters('relu', 'silu', 'gelu', 'tanh', 'softmax')
  def test_what_both_compute_keeps_its_name(self, name):
    self.assertEqual(keras3_activation.to_legacy(name), name)

  def test_a_layer_within_a_layer_and_a_file(self):
    keras = keras3_operation.import_keras3()
    cell = keras.layers.LSTM(3, activation='hard_tanh', recurrent_activation='hard_sigmoid')
    model = keras.Sequential([keras.layers.Input((5, 2)), keras.layers.Bidirectional(cell)])
    x = np.random.default_rng(0).normal(size=(4, 5, 2)).astype(np.float32)
    copy = keras3.to_legacy(model)
    path = self.create_tempfile('model.keras').full_path
    copy.save(path)
    for found in (copy(x), tf.keras.models.load_model(path)(x)):
      np.testing.assert_allclose(found, model(x), rtol=1e-5, atol=1e-6)


if __name__ == '__main__':
  absltest.main()
