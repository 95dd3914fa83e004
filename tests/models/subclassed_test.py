"""Tests of subclassed models as graphs of their layers, of both Keras."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import models
from tff_lg.models import keras3, keras3_operation, told

_X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


def _net(keras, call, *, with_bias=False, with_states=True):
  """Returns a network whose `call` is a function of itself, a batch and `training`."""

  class Net(keras.Model):
    def __init__(self):
      super().__init__(name='net')
      self.hidden = keras.layers.Dense(4, 'relu', name='hidden')
      if with_states:
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
  return net.out(h + 2 * h)


def _plain(net, x, training):
  return net.out(net.hidden(x))


def _told(net, x, training):
  # Dropout hears of training from whoever calls the network.
  return net.out(net.dropout(net.hidden(x)))


def _told_otherwise(net, x, training):
  return net.out(net.dropout(net.hidden(x), training=False))


def _branching(net, x, training):
  h = net.hidden(x)
  return net.out(h * 2 if training else h)


def _scaling(net, x, training):
  return net.out(net.hidden(x) * (0.5 if training else 1.0))


def _of_tensors(net, x, training):
  # Neither Keras calls it on what it makes graphs with.
  if isinstance(x, tf.Tensor):
    return net.out(net.hidden(tf.abs(x)))
  raise TypeError('not a tensor')


def _with_bias(net, x, training):
  return net.out(net.hidden(x)) + net.bias


def _with_loss(net, x, training):
  h = net.hidden(x)
  net.add_loss(sum(h[0, place] ** 2 for place in range(4)))
  return net.out(h)


def _with_loss_in_training(net, x, training):
  return _with_loss(net, x, training) if training else net.out(net.hidden(x))


def _wrap(network):
  return models.from_keras(
    network, loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics={}
  )


class SubclassedTest(parameterized.TestCase):
  def _keras(self, is_legacy):
    if is_legacy:
      return tf.keras
    if tf.__version__.startswith('2.14.'):
      self.skipTest('Legacy Keras is all there is.')
    return keras3_operation.import_keras3()

  @parameterized.parameters(True, False)
  def test_each_layer_is_one(self, is_legacy):
    net = _net(self._keras(is_legacy), _usual)
    outputs = [np.asarray(net(_X, training=mode)) for mode in (False, True)]
    model = _wrap(net)
    self.assertEqual(model.layer_names, ('hidden', 'norm', 'out'))
    self.assertEqual(model.statistics, {'norm/moving_mean', 'norm/moving_variance'})
    trained = testing.in_graph(
      lambda: model.predict(model.initial_weights, tf.constant(_X), training=True)
    )
    np.testing.assert_allclose(trained, outputs[1], rtol=1e-4, atol=1e-5)

  @parameterized.parameters(True, False)
  def test_each_layer_is_one_without_states(self, is_legacy):
    model = _wrap(_net(self._keras(is_legacy), _plain, with_states=False))
    self.assertEqual(model.layer_names, ('hidden', 'out'))

  @parameterized.product(is_legacy=(True, False), case=((_told, True), (_told_otherwise, False)))
  def test_what_layers_are_told_of_training(self, is_legacy, case):
    call, is_random = case
    model = _wrap(_net(self._keras(is_legacy), call))
    one, other = testing.in_graph(
      lambda: [
        model.with_dropout_key(tf.constant([7, place], tf.int64)).predict(
          model.initial_weights, tf.constant(_X), training=True
        )
        for place in (1, 2)
      ]
    )
    self.assertEqual(bool(np.abs(one - other).max() > 1e-3), is_random)

  def test_layers_of_ones_own_with_batch_normalisation(self):
    layers = tf.keras.layers

    class Block(layers.Layer):
      def __init__(self, units, has_scale=False, **options):
        super().__init__(**options)
        self.units, self.has_scale = units, has_scale
        # Weights of its own are no part of a graph of layers.
        self.scale = self.add_weight('scale', (), initializer='ones') if has_scale else 1.0
        self.parts = [layers.Dense(units), layers.BatchNormalization(momentum=0.5)]
        self.dropout = layers.Dropout(0.5)

      def call(self, x, training=None):
        for part in self.parts:
          x = part(x)
        return x * self.scale + self.dropout(tf.zeros_like(x), training=training)

      def get_config(self):
        return {**super().get_config(), 'units': self.units, 'has_scale': self.has_scale}

    net = tf.keras.Sequential([layers.InputLayer((3,)), Block(3), Block(4), layers.Dense(2)])
    start = net.get_weights()
    expected = np.asarray(net(_X, training=True))
    moved = net.get_weights()
    net.set_weights(start)
    model = _wrap(net)
    self.assertLen(model.layer_names, 5)
    with told.STATISTICS.collect() as found:
      y, found = testing.in_graph(
        lambda: (
          model.with_dropout_key(tf.constant([0, 1], tf.int64)).predict(
            model.initial_weights, tf.constant(_X), training=True
          ),
          [value for _, value in found],
        )
      )
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
    statistics = [
      value for value, other in zip(moved, start, strict=True) if (value != other).any()
    ]
    self.assertLen(found, 4)
    for value, of_keras in zip(found, statistics, strict=True):
      np.testing.assert_allclose(value, of_keras, rtol=1e-4, atol=1e-5)
    for layer in (
      Block(3, has_scale=True, name='own'),
      layers.TimeDistributed(Block(3), name='own'),
    ):
      shape = (3,) if isinstance(layer, Block) else (2, 3)
      net = tf.keras.Sequential(
        [layers.InputLayer(shape), layer, layers.Flatten(), layers.Dense(2)]
      )
      with self.assertRaisesRegex(ValueError, '^layer own: batch normalisation or frozen layers'):
        _wrap(net)

  def test_layers_of_ones_own_with_frozen_layers(self):
    layers = tf.keras.layers

    class Block(layers.Layer):
      def __init__(self, **options):
        super().__init__(**options)
        self.fixed, self.free = layers.Dense(3, trainable=False), layers.Dense(3, name='free')

      def call(self, x):
        return self.free(self.fixed(x))

    net = tf.keras.Sequential([layers.InputLayer((3,)), Block(), layers.Dense(2, name='out')])
    expected = np.asarray(net(_X))
    model = _wrap(net)
    self.assertEqual(model.layer_names, ('free', 'out'))
    found = testing.in_graph(
      lambda: model.predict(model.initial_weights, tf.constant(_X), training=False)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)

  @parameterized.product(is_legacy=(True, False), is_sequential=(True, False))
  def test_models_among_layers(self, is_legacy, is_sequential):
    keras = self._keras(is_legacy)

    class Block(keras.Model):
      def __init__(self, units):
        super().__init__()
        self.dense = keras.layers.Dense(units)
        self.norm = keras.layers.BatchNormalization()

      def call(self, x, training=False):
        return x + self.norm(self.dense(x), training=training)

    class Net(keras.Model):
      def __init__(self):
        super().__init__(name='net')
        self.blocks = [Block(3), Block(3)]
        self.out = keras.layers.Dense(2, name='out')

      def call(self, x):
        for block in self.blocks:
          x = block(x)
        return self.out(x)

    net = Net()
    if is_sequential:
      net = keras.Sequential([keras.Input((3,)), Block(3), Block(3), keras.layers.Dense(2)])
    outputs = [np.asarray(net(_X, training=mode)) for mode in (False, True)]
    call = Block.__call__
    model = _wrap(net)
    self.assertIs(Block.__call__, call)
    self.assertLen(model.layer_names, 5)
    self.assertLen(model.statistics, 4)
    trained = testing.in_graph(
      lambda: model.predict(model.initial_weights, tf.constant(_X), training=True)
    )
    np.testing.assert_allclose(trained, outputs[1], rtol=1e-4, atol=1e-5)

  @parameterized.product(
    is_legacy=(True, False),
    call=(
      _branching,
      _scaling,
      _of_tensors,
      _with_bias,
      _with_loss,
      _with_loss_in_training,
    ),
  )
  def test_other_calls_are_one_layer(self, is_legacy, call):
    net = _net(self._keras(is_legacy), call, with_bias=call is _with_bias, with_states=False)
    copy = keras3.to_legacy(net)
    self.assertEqual([layer.name for layer in copy.layers if layer.weights], ['net'])
    np.testing.assert_allclose(copy(_X), net(_X), rtol=1e-5, atol=1e-6)

  @parameterized.parameters(True, False)
  def test_weights_go_back_by_their_names(self, is_legacy):
    keras = self._keras(is_legacy)
    # One that is a graph of its layers, and one that is a layer.
    for call in (_usual, _plain, _scaling):
      first, second = (_net(keras, call, with_states=call is _usual) for _ in range(2))
      model = _wrap(first)
      weights = [weight + number for number, weight in enumerate(model.initial_weights)]
      expected = testing.in_graph(
        lambda model=model, weights=weights: model.predict(weights, tf.constant(_X), training=False)
      )
      named = dict(zip(model.weight_names, weights, strict=True))
      graph = models.assign_weights(second, named)
      for network in (second, graph):
        np.testing.assert_allclose(network(_X), expected, rtol=1e-4, atol=1e-5)
    with self.assertRaisesRegex(ValueError, '^model net has no weight lost/kernel.$'):
      models.assign_weights(second, {'lost/kernel': np.zeros(3)})

  @parameterized.parameters(True, False)
  def test_ids_of_an_embedding(self, is_legacy):
    keras = self._keras(is_legacy)

    class Net(keras.Model):
      def __init__(self):
        super().__init__(name='net')
        self.words = keras.layers.Embedding(2, 4, name='words')
        self.out = keras.layers.Dense(2, name='out')

      def call(self, x):
        return self.out(self.words(x)[:, 0])

    net, ids = Net(), np.float32([[0, 1], [1, 0]])
    expected = np.asarray(net(ids))
    copy = keras3.to_legacy(net)
    self.assertEqual([layer.name for layer in copy.layers if layer.weights], ['words', 'out'])
    np.testing.assert_allclose(copy(ids), expected, rtol=1e-5, atol=1e-6)

  @parameterized.product(is_legacy=(True, False), is_graph=(True, False))
  def test_several_inputs(self, is_legacy, is_graph):
    keras = self._keras(is_legacy)

    class Net(keras.Model):
      def __init__(self):
        super().__init__(name='net')
        self.left = keras.layers.Dense(3, name='left')
        self.join = keras.layers.Concatenate(name='join')
        self.out = keras.layers.Dense(2, name='out')

      def call(self, x, training=False):
        h = self.join([self.left(x['a']), x['b']])
        return self.out(h if is_graph or not training else 2 * h)

    net, x = Net(), np.concatenate([_X, _X[:, 1:]], axis=1)
    model = _wrap(models.join_inputs(net, {'a': (3,), 'b': (2,)}))
    self.assertEqual(model.layer_names, ('left', 'out') if is_graph else ('net',))
    found = testing.in_graph(
      lambda: model.predict(model.initial_weights, tf.constant(x), training=True)
    )
    named = dict(zip(model.weight_names, model.initial_weights, strict=True))
    models.assign_weights(net, named, {'a': (3,), 'b': (2,)})
    expected = net({'a': _X, 'b': _X[:, 1:]}, training=True)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)

  def test_refuses_what_has_no_name(self):
    net = _net(tf.keras, _plain, with_states=False)
    net.hidden.activation = lambda x: x
    with self.assertRaisesRegex(ValueError, '^model net has the layer hidden with a lambda as its'):
      _wrap(net)

  @parameterized.parameters(True, False)
  def test_refuses(self, is_legacy):
    keras = self._keras(is_legacy)

    class Sum(keras.Model):
      def call(self, pair):
        return pair[0] + pair[1]

    network = Sum(name='net')
    for _ in range(2):
      with self.assertRaisesRegex(ValueError, 'model net is subclassed and was not built with one'):
        keras3.to_legacy(network)
      network([_X, _X])


if __name__ == '__main__':
  absltest.main()
