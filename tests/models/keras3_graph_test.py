"""Tests of subclassed models of Keras 3 as graphs of their layers."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import models
from tff_lg.models import keras3, keras3_graph, keras3_operation

_X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


def _net(call, *, with_bias=False):
  """Returns a network whose `call` is a function of itself, a batch and `training`."""
  keras = keras3_operation.import_keras3()

  class Net(keras.Model):
    def __init__(self):
      super().__init__(name='net')
      self.hidden = keras.layers.Dense(4, 'relu', name='hidden')
      self.norm = keras.layers.BatchNormalization(name='norm')
      self.dropout = keras.layers.Dropout(0.5, name='dropout')
      self.out = keras.layers.Dense(2, name='out')
      if with_bias:
        self.bias = self.add_weight(shape=(2,), initializer='ones', name='bias')

    def call(self, x, training=False):
      return call(self, x, training)

  net = Net()
  net(_X, training=True)
  return net


def _usual(net, x, training):
  # The dropout is in no call.
  h = net.norm(net.hidden(x), training=training)
  return net.out(h + keras3_operation.import_keras3().ops.relu(-h))


def _branching(net, x, training):
  h = net.norm(net.hidden(x), training=training)
  return net.out(net.dropout(h) if training else h)


def _of_tensorflow(net, x, training):
  return net.out(net.dropout(net.norm(net.hidden(tf.abs(x)))))


def _with_bias(net, x, training):
  return _usual(net, x, training) + net.bias


def _with_loss(net, x, training):
  net.add_loss(keras3_operation.import_keras3().ops.mean(x))
  return _usual(net, x, training)


def _wrap(network):
  return models.from_keras(
    network, loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics={}
  )


@absltest.skipIf(tf.__version__.startswith('2.14.'), 'Legacy Keras is all there is.')
class Keras3GraphTest(absltest.TestCase):
  def test_each_layer_is_one(self):
    net = _net(_usual)
    model = _wrap(net)
    self.assertEqual(model.layer_names, ('hidden', 'norm', 'out'))
    self.assertEqual(model.statistics, {'norm/moving_mean', 'norm/moving_variance'})
    outputs = testing.in_graph(
      lambda: [
        model.predict(model.initial_weights, tf.constant(_X), mode) for mode in (True, False)
      ]
    )
    # The latter first: the former moves the statistics.
    np.testing.assert_allclose(outputs[1], net(_X, training=False), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(outputs[0], net(_X, training=True), rtol=1e-4, atol=1e-5)

  def test_other_calls_are_one_layer(self):
    for call, with_bias in (
      (_branching, False),
      (_of_tensorflow, False),
      (_with_bias, True),
      (_with_loss, False),
    ):
      with self.subTest(call.__name__):
        net = _net(call, with_bias=with_bias)
        copy = keras3.to_legacy(net)
        self.assertEqual([layer.name for layer in copy.layers if layer.weights], ['net'])
        np.testing.assert_allclose(copy(_X), net(_X), rtol=1e-5, atol=1e-6)

  def test_refuses(self):
    keras = keras3_operation.import_keras3()

    class Sum(keras.Model):
      def call(self, x, y):
        return x + y

    for network in (Sum(name='net'), Sum(name='net')):
      with self.assertRaisesRegex(
        ValueError, 'model net is a subclass of Keras 3 that was not buil'
      ):
        keras3_graph.built_shape(network)
      network(_X, _X)


if __name__ == '__main__':
  absltest.main()
