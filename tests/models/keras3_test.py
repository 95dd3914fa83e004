"""Tests of models of Keras 3; they need TensorFlow 2.16 or later, which brings it."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import models
from tff_lg.compatibility import tff
from tff_lg.models import keras3

_IS_OLD = tf.__version__.startswith('2.14.')


def _keras():
  import keras

  return keras


def _sequential(*layers, shape=(8, 6), dtype='float32'):
  keras = _keras()
  return keras.Sequential([keras.Input(shape, dtype=dtype), *layers])


def _layers():
  layers = _keras().layers
  return {
    'dense': lambda: [layers.Flatten(), layers.Dense(4, 'gelu', name='first'), layers.Dropout(0.5)],
    'activations': lambda: [layers.LeakyReLU(0.2), layers.ReLU(6.0, 0.1), layers.ELU(0.5)],
    'convolutions': lambda: [
      layers.Conv1D(3, 2, padding='same', activation='relu'),
      layers.MaxPooling1D(2),
      layers.GlobalAveragePooling1D(),
    ],
    'norms': lambda: [
      layers.LayerNormalization(),
      layers.GroupNormalization(2),
      layers.BatchNormalization(momentum=0.8),
      layers.Flatten(),
    ],
    'recurrent': lambda: [
      layers.LSTM(3, return_sequences=True),
      layers.Bidirectional(layers.GRU(2)),
    ],
    'time': lambda: [layers.TimeDistributed(layers.Dense(2)), layers.Reshape((16,))],
  }


@absltest.skipIf(_IS_OLD, 'Legacy Keras is all there is.')
class ToLegacyTest(parameterized.TestCase):
  def test_layers(self):
    for name, build in _layers().items():
      with self.subTest(name):
        model = _sequential(*build())
        copy = keras3.to_legacy(model)
        x = np.random.default_rng(1).normal(size=(5, 8, 6)).astype(np.float32)
        np.testing.assert_allclose(copy(x), model(x), rtol=1e-5, atol=1e-6)
        names = [layer.name for layer in model.layers]
        self.assertEqual([layer.name for layer in copy.layers[1:]], names)

  def test_tokens(self):
    layers = _keras().layers
    for dtype in ('int32', 'float32'):
      model = _sequential(layers.Embedding(7, 3), layers.LSTM(2), shape=(4,), dtype=dtype)
      x = np.array([[1, 2, 3, 6]], dtype)
      np.testing.assert_allclose(keras3.to_legacy(model)(x), model(x), rtol=1e-5)

  def test_graph_with_a_shared_layer_and_attention(self):
    keras = _keras()
    x = keras.Input((4, 6))
    shared = keras.layers.Dense(6, name='shared')
    attended = keras.layers.MultiHeadAttention(2, 3, name='attention')(shared(x), x)
    added = keras.layers.Add()([shared(attended), x])
    model = keras.Model(x, keras.layers.Dense(2)(keras.layers.Flatten()(added)))
    copy = keras3.to_legacy(model)
    batch = np.random.default_rng(1).normal(size=(3, 4, 6)).astype(np.float32)
    np.testing.assert_allclose(copy(batch), model(batch), rtol=1e-5, atol=1e-6)
    self.assertLen(copy.weights, len(model.weights))

  def test_frozen_body_within_a_model(self):
    keras = _keras()
    layers = keras.layers
    body = _sequential(layers.Dense(5, name='body'), layers.BatchNormalization(name='norm'))
    body.trainable = False
    body(np.zeros((1, 8, 6), np.float32))
    keras.Model(other := keras.Input((8, 6)), body(other))  # It is called elsewhere, too.
    inputs = keras.Input((8, 6))
    hidden = layers.Flatten()(body(inputs, training=False))
    model = keras.Model(inputs, layers.Dense(2, name='head')(hidden))
    copy = keras3.to_legacy(model)
    x = np.random.default_rng(1).normal(size=(5, 8, 6)).astype(np.float32)
    np.testing.assert_allclose(copy(x), model(x), rtol=1e-5, atol=1e-6)
    names = [weight.name for weight in copy.trainable_weights]
    self.assertEqual(names, ['head/kernel:0', 'head/bias:0'])

  def test_normalisation_adapted_to_data(self):
    layers = _keras().layers
    norm = layers.Normalization()
    norm.adapt(np.float32([[1, 10], [3, 30]]))
    # Means 2 and 20, deviations 1 and 10.
    copy = keras3.to_legacy(_sequential(norm, shape=(2,)))
    np.testing.assert_allclose(copy(np.float32([[4, 10]])), [[2, -1]], rtol=1e-6)

  def test_operations_between_layers(self):
    keras = _keras()
    x = keras.Input((4,))
    hidden = keras.layers.Dense(4, name='hidden')(x)
    y = keras.ops.concatenate([x + 2.0 * keras.ops.relu(hidden), hidden - np.float32([1, 2, 3, 4])])
    copy = keras3.to_legacy(keras.Model(x, y))
    kernel, _ = copy.get_layer('hidden').get_weights()
    batch = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)
    hidden = batch @ kernel
    expected = [batch + 2 * np.maximum(hidden, 0), hidden - [1, 2, 3, 4]]
    for model in (copy, tf.keras.models.clone_model(copy)):
      model.set_weights(copy.get_weights())
      np.testing.assert_allclose(model(batch), np.concatenate(expected), rtol=1e-5, atol=1e-6)

  def test_augmentation(self):
    layers = _keras().layers
    inputs = _keras().Input((4, 4, 1))
    outputs = layers.Rescaling(2.0)(layers.RandomFlip('horizontal')(inputs))
    copy = keras3.to_legacy(_keras().Model(inputs, outputs))
    x = np.arange(16, dtype=np.float32).reshape((1, 4, 4, 1))
    np.testing.assert_allclose(copy(x, training=False), 2 * x)
    # Of twenty draws, some flip.
    drawn = np.stack([copy(x, training=True) for _ in range(20)])
    self.assertGreater(np.abs(drawn - 2 * x).max(), 0)

  def test_dropout_of_a_functional_model_is_that_of_training(self):
    layers, inputs = _keras().layers, _keras().Input((50,))
    copy = keras3.to_legacy(_keras().Model(inputs, layers.Dropout(0.5)(inputs)))
    x = np.ones((4, 50), np.float32)
    np.testing.assert_array_equal(copy(x, training=False), x)
    self.assertCountEqual(np.unique(copy(x, training=True)), [0, 2])

  def test_trains_as_a_model_of_tff(self):
    keras = _keras()
    model = models.from_keras(
      keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, name='output')]),
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
    )
    self.assertEqual(model.layer_names, ('output',))
    self.assertIsInstance(model.functional, tff.learning.models.FunctionalModel)

  def test_refusals(self):
    keras = _keras()

    class Own(keras.layers.Layer):
      def __init__(self, function):
        super().__init__(name='own')

      def call(self, x):
        return x

    x = keras.Input((2,))
    with self.assertRaisesRegex(ValueError, 'has a layer without get_config'):
      keras3.to_legacy(keras.Model(x, Own(object())(x)))
    with self.assertRaisesRegex(ValueError, 'is not built'):
      keras3.to_legacy(keras.Sequential([keras.layers.Dense(2)]))
    with self.assertRaisesRegex(ValueError, 'expected metrics of tf.keras'):
      models.from_keras(
        _sequential(keras.layers.Dense(2)),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics={'accuracy': keras.metrics.SparseCategoricalAccuracy},
      )


class IsKeras3Test(absltest.TestCase):
  def test_legacy_is_not(self):
    self.assertFalse(keras3.is_keras3(tf.keras.Sequential([tf.keras.layers.Dense(1)])))
    self.assertFalse(keras3.is_keras3(3))


if __name__ == '__main__':
  absltest.main()
