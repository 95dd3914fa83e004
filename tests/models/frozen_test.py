"""Tests of networks with frozen layers: constants that nothing trains or sends."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import models
from tff_lg.models import frozen

_LOSS = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
_X = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


def _wrap(keras_model):
  metrics = {'accuracy': tf.keras.metrics.SparseCategoricalAccuracy}
  return models.from_keras(keras_model, loss=_LOSS, metrics=metrics)


def _predict(model, weights, x, training=False):
  """Predicts in a graph, as TFF wants it."""
  with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    of_model = model.with_dropout_key(tf.constant([3, 4], tf.int64))
    return session.run(of_model.predict(weights, tf.constant(x), training))


def _body():
  """Builds a body that fits what follows it, with batch normalisation of known moments."""
  layers = tf.keras.layers
  body = tf.keras.Sequential(
    [
      layers.InputLayer((4,)),
      layers.Dense(4, activation='relu', name='body'),
      layers.BatchNormalization(name='norm'),
      layers.BatchNormalization(center=False, scale=False, name='plain_norm'),
    ],
    name='pretrained',
  )
  rng = np.random.default_rng(1)
  body.set_weights([rng.uniform(0.5, 1.5, weight.shape) for weight in body.get_weights()])
  body.trainable = False
  return body


def _on_body():
  inputs = tf.keras.Input((4,))
  hidden = tf.keras.layers.Dense(4, name='head')(_body()(inputs, training=False))
  outputs = tf.keras.layers.Dense(3, name='output')(tf.keras.layers.Dropout(0.5)(hidden))
  return tf.keras.Model(inputs, outputs)


class FrozenTest(absltest.TestCase):
  def test_frozen_body_is_constant(self):
    keras_model = _on_body()
    expected = keras_model(_X).numpy()
    kernels = [weight.numpy() for weight in keras_model.trainable_weights]
    for weight in keras_model.trainable_weights:
      weight.assign(2 * weight)
    doubled = keras_model(_X).numpy()
    for weight, kernel in zip(keras_model.trainable_weights, kernels, strict=True):
      weight.assign(kernel)
    model = _wrap(keras_model)
    self.assertEqual(model.layer_names, ('head', 'output'))
    self.assertEqual(
      model.weight_names, ('head/kernel', 'head/bias', 'output/kernel', 'output/bias')
    )
    for weight, kernel in zip(model.initial_weights, kernels, strict=True):
      np.testing.assert_array_equal(weight, kernel)
    # Kernel and bias, four weights of one normalisation and two of the other.
    self.assertLen(model.constants, 8)
    np.testing.assert_allclose(_predict(model, model.initial_weights, _X), expected, rtol=1e-5)
    weights = tuple(2 * weight for weight in model.initial_weights)
    np.testing.assert_allclose(_predict(model, weights, _X), doubled, rtol=1e-5)

  def test_frozen_layer_among_equal_ones(self):
    for number in range(3):
      keras_model = models.build_mlp((4,), 4, (4, 4))
      name = ['hidden_1', 'hidden_2', 'output'][number]
      keras_model.get_layer(name).trainable = False
      kernel = keras_model.get_layer(name).get_weights()[0]
      expected = keras_model(_X).numpy()
      model = _wrap(keras_model)
      self.assertNotIn(name, model.layer_names)
      self.assertEqual([place for place, _ in model.constants], [2 * number, 2 * number + 1])
      np.testing.assert_array_equal(model.constants[0][1], kernel)
      np.testing.assert_allclose(_predict(model, model.initial_weights, _X), expected, rtol=1e-6)

  def test_dropout_draws_from_the_key(self):
    model = _wrap(_on_body())
    drops = [_predict(model, model.initial_weights, _X, training=True) for _ in range(2)]
    np.testing.assert_array_equal(*drops)
    without = _predict(model, model.initial_weights, _X)
    self.assertGreater(np.abs(drops[0] - without).max(), 0.1)

  def test_batch_normalisation_that_is_not_frozen_moves(self):
    keras_model = _on_body()
    body = keras_model.get_layer('pretrained')
    body.trainable = True
    for name in ('body', 'plain_norm'):
      body.get_layer(name).trainable = False
    model = _wrap(keras_model)
    self.assertEqual(model.statistics, {'norm/moving_mean', 'norm/moving_variance'})
    self.assertLen(model.constants, 4)

  def test_normalisation_adapted_to_data_is_constant(self):
    norm = tf.keras.layers.Normalization()
    norm.adapt(_X)
    keras_model = tf.keras.Sequential([tf.keras.Input((4,)), norm, tf.keras.layers.Dense(3)])
    kernel = keras_model.get_weights()[3]
    model = _wrap(keras_model)
    self.assertLen(model.weight_names, 2)
    expected = (_X - _X.mean(0)) / _X.std(0) @ kernel
    np.testing.assert_allclose(_predict(model, model.initial_weights, _X), expected, atol=1e-5)

  def test_nothing_to_copy(self):
    self.assertFalse(frozen.needs_copy(models.build_mlp((4,), 4, (4, 4))))
    self.assertTrue(frozen.needs_copy(_on_body()))

  def test_normalisation_over_channels_of_images(self):
    layer = tf.keras.layers.BatchNormalization(axis=1, epsilon=0.1, name='norm')
    keras_model = tf.keras.Sequential(
      [
        tf.keras.layers.InputLayer((2, 3, 1)),
        layer,
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(2),
      ]
    )
    layer.set_weights([np.array(v, np.float32) for v in ([2, 3], [1, 0], [1, 2], [0.9, 3.9])])
    layer.trainable = False
    copy = frozen.copy_without_states(keras_model)
    x = np.ones([1, 2, 3, 1], np.float32) * np.array([3, 4], np.float32).reshape(1, 2, 1, 1)
    # (3 - 1) * 2 / 1 + 1 and (4 - 2) * 3 / 2.
    normalised = copy.get_layer('norm')(x).numpy()[0, :, 0, 0]
    np.testing.assert_allclose(normalised, [5, 3], rtol=1e-6)
    np.testing.assert_allclose(copy(x), keras_model(x), rtol=1e-5)


if __name__ == '__main__':
  absltest.main()
