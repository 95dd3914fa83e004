"""Tests that what Keras's layers draw follows from the key of the step."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized
from tensorflow.python.framework import config as tf_config  # To undo is not exported.

from tff_lg import models

_X = np.random.default_rng(0).uniform(0.5, 1.5, size=(5, 6, 4)).astype(np.float32)


def _attention(x):
  return tf.keras.layers.MultiHeadAttention(2, 3, dropout=0.5, name='attention')(x, x)


def _wrap(layer) -> models.LocalGlobalModel:
  inputs = tf.keras.Input((6, 4))
  outputs = tf.keras.layers.Dense(3, name='output')(tf.keras.layers.Flatten()(layer(inputs)))
  return models.from_keras(
    tf.keras.Model(inputs, outputs),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
  )


class KeyedDrawsTest(parameterized.TestCase):
  @parameterized.named_parameters(
    ('gru', lambda: tf.keras.layers.GRU(4, dropout=0.5)),
    ('lstm', lambda: tf.keras.layers.LSTM(4, dropout=0.3, recurrent_dropout=0.3)),
    (
      'bidirectional',
      lambda: tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4, dropout=0.5)),
    ),
    ('attention', lambda: _attention),
    ('maps', lambda: tf.keras.layers.SpatialDropout1D(0.5)),
    ('shape', lambda: tf.keras.layers.Dropout(0.5, noise_shape=(None, 6, 1))),
    ('noise', lambda: tf.keras.layers.GaussianNoise(0.5)),
    ('factors', lambda: tf.keras.layers.GaussianDropout(0.5)),
    ('alpha', lambda: tf.keras.layers.AlphaDropout(0.5)),
  )
  def test_equal_keys_equal_outputs(self, build):
    model = _wrap(build())

    def predict(key, training):
      of_step = model.with_dropout_key(None if key is None else tf.constant(key, tf.int64))
      return of_step.predict(model.initial_weights, tf.constant(_X), training)

    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
      keys = [(3, 4), (3, 4), (3, 5)]
      outputs = [predict(key, True) for key in keys]
      # Each again, after what a count of draws would have moved on.
      found, again = (session.run(outputs) for _ in range(2))
      tested = session.run([predict(None, False) for _ in range(2)])
    for one, other in zip(found, again, strict=True):
      np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found[0], found[1])
    for other in (found[2], tested[0]):
      self.assertGreater(np.abs(found[0] - other).max(), 1e-3)
    np.testing.assert_array_equal(*tested)
    self.assertEmpty([op.name for op in graph.get_operations() if op.type.startswith('Random')])

  def test_each_layer_has_draws_of_its_own(self):
    # With one mask for both, the sum would be twice the same.
    def noise(x):
      first, second = (tf.keras.layers.GaussianNoise(1.0)(x) for _ in range(2))
      return tf.keras.layers.Subtract()([first, second])

    model = _wrap(noise)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      of_step = model.with_dropout_key(tf.constant([3, 4], tf.int64))
      output = session.run(of_step.predict(model.initial_weights, tf.constant(_X), True))
    self.assertGreater(np.abs(output).max(), 0.1)

  def test_a_model_can_be_made_where_operations_are_deterministic(self):
    # As on GPUs in a run. TensorFlow then refuses every random operation without a seed.
    tf.config.experimental.enable_op_determinism()
    self.addCleanup(tf_config.disable_op_determinism)
    model = _wrap(tf.keras.layers.GaussianNoise(0.5))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      weights = model.initial_weights
      outputs = model.predict(weights, tf.constant(_X), False)
      self.assertEqual(session.run(outputs).shape, (5, 3))

  def test_without_a_key_layers_draw_as_before(self):
    layer = tf.keras.layers.GaussianNoise(1.0)
    outputs = [layer(tf.constant(_X), training=True).numpy() for _ in range(2)]
    self.assertGreater(np.abs(outputs[0] - outputs[1]).max(), 0.1)


if __name__ == '__main__':
  absltest.main()
