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
    following = {id(weight): value for weight, value in found}
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
    output, nothing = _run(model, training=False)
    self.assertEmpty(nothing)
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


if __name__ == '__main__':
  absltest.main()
