"""Tests of operations that have a number in the first place."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import models
from tff_lg.models import tensors_first

_X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


def _highway(x):
  """Returns a gate's share of a dense layer, and the rest of x."""
  gate = tf.keras.layers.Dense(3, 'sigmoid', name='gate')(x)
  return gate * tf.keras.layers.Dense(3, name='dense')(x) + (1 - gate) * x


class TensorsFirstTest(absltest.TestCase):
  def test_outputs_are_the_same(self):
    x = tf.keras.Input((3,))
    within = tf.keras.Input((3,))
    network = tf.keras.Model(within, 2.0 / (3.0 + tf.square(within)), name='within')
    h = network(_highway(x))
    h = tf.concat([np.ones((5, 1), np.float32), h, 1 - h], axis=1)
    original = tf.keras.Model(x, tf.keras.layers.Dense(2, name='out')(h))
    expected = original(_X).numpy()
    model = models.from_keras(
      original, loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics={}
    )
    self.assertEqual(model.layer_names, ('gate', 'dense', 'out'))
    found = testing.in_graph(
      lambda: model.predict(model.initial_weights, tf.constant(_X), training=True)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)

  def test_frozen_layers_stay_frozen(self):
    x = tf.keras.Input((3,))
    network = tf.keras.Model(x, _highway(x))
    network.get_layer('gate').trainable = False
    names = [weight.name for weight in tensors_first.put(network).trainable_weights]
    self.assertEqual(names, ['dense/kernel:0', 'dense/bias:0'])

  def test_normalisation_keeps_its_moments(self):
    x = tf.keras.Input((3,))
    norm = tf.keras.layers.Normalization()
    norm.adapt(3 * _X + 1)
    network = tf.keras.Model(x, 1 - norm(x))
    np.testing.assert_allclose(tensors_first.put(network)(_X), network(_X), rtol=1e-6)

  def test_others_are_returned_as_they_are(self):
    x = tf.keras.Input((3,))
    network = tf.keras.Model(x, tf.nn.relu(x * 2) + x)
    self.assertIs(tensors_first.put(network), network)


if __name__ == '__main__':
  absltest.main()
