"""Tests of batch normalisation whose statistics are weights, against Keras's own layer."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tff_lg import models
from tff_lg.models import told

_X = np.random.default_rng(0).normal(1, 2, size=(6, 4)).astype(np.float32)


def _keras_model(**options):
  layers = tf.keras.layers
  return tf.keras.Sequential(
    [
      layers.InputLayer((4,)),
      layers.Dense(3, name='dense'),
      layers.BatchNormalization(momentum=0.75, name='norm', **options),
      layers.Dense(3, name='output'),
    ]
  )


def _wrap(keras_model):
  loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  metrics = {'accuracy': tf.keras.metrics.SparseCategoricalAccuracy}
  return models.from_keras(keras_model, loss=loss, metrics=metrics)


def _run(model, training):
  """Returns the output, and the next statistics in the order of weights."""
  with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    weights = tuple(map(tf.constant, model.initial_weights))
    with told.STATISTICS.collect() as found:
      output = model.predict(weights, tf.constant(_X), training)
    following = told.next_statistics(found)
    return session.run((output, [following[id(w)] for w in weights if id(w) in following]))


class BatchNormTest(parameterized.TestCase):
  @parameterized.parameters({}, {'center': False}, {'center': False, 'scale': False})
  def test_as_keras_does(self, **options):
    keras_model = _keras_model(**options)
    rng = np.random.default_rng(1)
    keras_model.set_weights([rng.uniform(0.5, 1.5, w.shape) for w in keras_model.get_weights()])
    weights = {weight.name.split(':')[0]: weight.numpy() for weight in keras_model.weights}
    values, evaluated = keras_model.get_weights(), keras_model(_X).numpy()
    trained = keras_model(_X, training=True).numpy()
    norm = keras_model.get_layer('norm')
    moved = [norm.moving_mean.numpy(), norm.moving_variance.numpy()]
    keras_model.set_weights(values)
    model = _wrap(keras_model)
    self.assertEqual(model.statistics, {'norm/moving_mean', 'norm/moving_variance'})
    self.assertEqual(model.batch_norm_layers, ('norm',))
    self.assertCountEqual(model.weight_names, weights)
    for name, weight in zip(model.weight_names, model.initial_weights, strict=True):
      np.testing.assert_array_equal(weight, weights[name])
    output, same = _run(model, training=False)
    for name, value in zip(sorted(model.statistics), same, strict=True):
      np.testing.assert_array_equal(value, weights[name])
    np.testing.assert_allclose(output, evaluated, rtol=1e-4, atol=1e-5)
    output, statistics = _run(model, training=True)
    np.testing.assert_allclose(output, trained, rtol=1e-4, atol=1e-5)
    for found, expected in zip(statistics, moved, strict=True):
      np.testing.assert_allclose(found, expected, rtol=1e-5)

  def test_copies_among_extra_weights(self):
    model = _wrap(_keras_model())
    pairs = zip(model.weight_names, model.initial_weights, strict=True)
    copy = {f'copy/{name}': weight for name, weight in pairs}
    both = model.with_extra_weights(copy)
    self.assertEqual(both.weight_is_statistic, model.weight_is_statistic * 2)
    self.assertEqual(sum(both.weight_is_statistic), 4)

  @parameterized.parameters('called twice', 'told not to train', 'within a model')
  def test_steps_move_statistics_as_in_keras(self, case):
    layers = tf.keras.layers
    norm = layers.BatchNormalization(momentum=0.75, name='norm')
    inputs = tf.keras.Input((4,))
    hidden = layers.Dense(3, activity_regularizer='l2', name='dense')(inputs)
    if case == 'called twice':
      outputs = norm(norm(hidden) + 3.0)
    elif case == 'told not to train':
      outputs = norm(hidden, training=False)
    else:
      body = tf.keras.Model(inputs, norm(hidden))
      outputs = layers.Dense(3, name='output')(body(inputs))
    keras_model = tf.keras.Model(inputs, outputs)
    start = keras_model.get_weights()
    trained, losses = keras_model(_X, training=True).numpy(), keras_model.losses
    moved = [norm.moving_mean.numpy(), norm.moving_variance.numpy()]
    keras_model.set_weights(start)
    model = _wrap(keras_model)
    with told.LOSSES.collect() as found:
      output, statistics = _run(model, training=True)
    self.assertLen(found, len(losses))
    np.testing.assert_allclose(output, trained, rtol=1e-4, atol=1e-5)
    for value, expected in zip(statistics, moved, strict=True):
      np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-6)


if __name__ == '__main__':
  absltest.main()
