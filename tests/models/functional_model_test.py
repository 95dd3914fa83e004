"""Tests of functional models of Keras models."""

from typing import Any

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.models import testing
from tff_lg.compatibility import tff
from tff_lg.models import functional_model

_LOSS = tf.keras.losses.MeanSquaredError()
_SPEC = (tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None, 1], tf.float32))


@tf.keras.saving.register_keras_serializable(package='tests')
class _DoubleOrNot(tf.keras.layers.Layer):
  """Has a condition on a tensor, which AutoGraph has to rewrite."""

  def call(self, inputs, training=None):
    if tf.reduce_sum(inputs) > 0:
      inputs = 2 * inputs
    return inputs + 1 if training else inputs


def _sequential() -> tf.keras.Model:
  dense = tf.keras.layers.Dense(1, kernel_initializer='ones', name='dense')
  return tf.keras.Sequential([tf.keras.Input((2,)), _DoubleOrNot(), dense])


def _functional() -> tf.keras.Model:
  x = tf.keras.Input((2,))
  nested = tf.keras.Sequential([tf.keras.Input((2,)), _DoubleOrNot()])
  y = tf.keras.layers.Add()([nested(x), x])
  dense = tf.keras.layers.Dense(1, kernel_initializer='ones', name='dense')
  return tf.keras.Model(x, dense(y))


def _predict(model: tff.learning.models.FunctionalModel, *arguments: Any) -> tf.Tensor:
  """Predicts as `LocalGlobalModel` does, in the graph."""
  weights, *others = arguments
  return model._predict_on_batch_fn.python_function((weights, ()), *others)


class FromKerasTest(parameterized.TestCase):
  @parameterized.product(
    case=[(_sequential, 0), (_functional, 1)], training=[False, True], sign=[1.0, -1.0]
  )
  def test_output_by_hand(self, case, training, sign):
    build, num_skips = case
    x = sign * np.float32([[1, 2], [3, 4]])
    model, _ = functional_model.from_keras(build(), _LOSS, _SPEC, {})

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      weights = (tf.ones([2, 1]), tf.fill([1], 10.0))
      output = session.run(_predict(model, weights, tf.constant(x), training))

    layer = x * (2 if sign > 0 else 1) + training
    np.testing.assert_array_equal(output[:, 0], (layer + num_skips * x).sum(1) + 10)

  def test_network_on_the_output_of_another(self):
    dense = tf.keras.layers.Dense(2, use_bias=False, name='dense')
    first = tf.keras.Sequential([tf.keras.Input((2,)), dense])
    first, _ = functional_model.from_keras(first, _LOSS, _SPEC, {})
    second, _ = functional_model.from_keras(_sequential(), _LOSS, _SPEC, {})
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
      hidden = _predict(first, (2 * tf.eye(2),), tf.constant([[1.0, 2.0]]), False)
      output = session.run(_predict(second, (tf.ones([2, 1]), tf.zeros([1])), hidden, False))
    np.testing.assert_array_equal(output, [[12]])

  def test_network_is_traced_once(self):
    model, _ = functional_model.from_keras(_sequential(), _LOSS, _SPEC, {})
    with tf.Graph().as_default() as graph:
      weights = (tf.ones([2, 1]), tf.zeros([1]))
      _predict(model, weights, tf.ones([3, 2]), True)
    self.assertLen([op for op in graph.get_operations() if op.type == 'MatMul'], 1)

  def test_places_of_weights_with_equal_values(self):
    keras_model = tf.keras.Sequential([tf.keras.Input((2,)), testing.LastFirst(2)])
    for value, weight in zip((3, 0, 2, 0), keras_model.trainable_weights, strict=True):
      weight.assign(tf.fill(weight.shape, float(value)))
    model, order = functional_model.from_keras(keras_model, _LOSS, _SPEC, {})
    # The kernel and bias of `first`, then those of `last`.
    self.assertEqual(order, (2, 3, 0, 1))
    self.assertEqual([weight.flat[0] for weight in model.initial_weights[0]], [2, 0, 3, 0])
    self.assertEqual(
      [float(tf.reduce_max(weight)) for weight in keras_model.trainable_weights], [3, 0, 2, 0]
    )


if __name__ == '__main__':
  absltest.main()
