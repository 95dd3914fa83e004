"""Tests of clones of models with functions and classes of a user's own."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import models
from tff_lg.models import cloning

_X = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


def _swish(x):
  return x * tf.sigmoid(x)


def _other_swish():
  def _swish(x):
    return x

  return _swish


class _Fill(tf.keras.initializers.Initializer):
  def __call__(self, shape, dtype=None, **options):
    return tf.fill(shape, 0.5)


class _Quartic(tf.keras.regularizers.Regularizer):
  def __call__(self, weight):
    return tf.reduce_sum(weight**4)

  def get_config(self):
    return {}


class _Scale(tf.keras.layers.Layer):
  """Multiplies by a weight; without a get_config."""

  def __init__(self, start, with_bias=False):
    super().__init__()
    self.start, self.with_bias = start, with_bias

  def build(self, shape):
    start = tf.constant_initializer(self.start)
    self.scale = self.add_weight('scale', shape[-1:], initializer=start)

  def call(self, x):
    return x * self.scale


class _Apply(tf.keras.layers.Layer):
  """Has an argument that no default config has."""

  def __init__(self, function):
    super().__init__()
    self.function = function

  def call(self, x):
    return self.function(x)


def _scale(start):
  class Scale(_Scale):
    pass

  return Scale(start)


class _Net(tf.keras.Model):
  def __init__(self, rate):
    super().__init__(name='net')
    self.dense, self.dropout = tf.keras.layers.Dense(4), tf.keras.layers.Dropout(rate)

  def call(self, x, training=False):
    return self.dropout(self.dense(x)) if training else self.dense(x)


def _sequential(*layers):
  return tf.keras.Sequential([tf.keras.layers.InputLayer((3,)), *layers], name='own')


def _wrap(keras_model):
  return models.from_keras(
    keras_model, loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics={}
  )


class CloningTest(absltest.TestCase):
  def test_own_things_are_those_of_the_model(self):
    dense = tf.keras.layers.Dense
    within = tf.keras.Sequential(
      [tf.keras.layers.InputLayer((4,)), dense(4, _swish), _Scale(3.0)], name='within'
    )
    original = _sequential(
      dense(4, tf.sin, kernel_initializer=_Fill(), kernel_regularizer=_Quartic()),
      _Scale(2.0),
      _scale(1.5),
      _scale(0.5),
      dense(4, tf.nn.relu),
      within,
      tf.keras.layers.Reshape((4, 1)),
      tf.keras.layers.TimeDistributed(_Scale(0.5)),
      tf.keras.layers.Flatten(),
      # With it, the layers are copied once more.
      tf.keras.layers.Dropout(0.5),
      dense(2),
    )
    expected = original(_X).numpy()
    names = {weight.name.removesuffix(':0') for weight in original.weights}
    model = _wrap(original)
    self.assertEqual(set(model.weight_names), names)
    found = testing.in_graph(
      lambda: model.predict(model.initial_weights, tf.constant(_X), training=False)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)

  def test_layers_that_were_made_in_a_graph_can_be_called_outside(self):
    model = _sequential(tf.keras.layers.Dense(2))
    with tf.Graph().as_default():
      tf.keras.layers.Dense(2)
    with self.assertRaisesRegex(ValueError, 'in an invalid state'):
      model(_X)
    cloning.restore_classes(model)
    np.testing.assert_allclose(model(_X), _X @ model.get_weights()[0], rtol=1e-6)

  def test_refuses_subclass_that_is_a_layer_and_has_dropout(self):
    net = _Net(0.0)
    original = _sequential(net, tf.keras.layers.Dense(2))
    with self.assertRaisesRegex(ValueError, 'model net: a subclassed model with .* or dropout'):
      _wrap(original)

  def test_refuses(self):
    layers = tf.keras.layers
    dense, max_norm = layers.Dense, tf.keras.constraints.MaxNorm(0.1)

    def relu(x):
      return x

    for found, sentence in (
      ([dense(2, lambda x: x)], 'the layer dense.* with a lambda as its activation: name it by'),
      ([dense(2, _swish), dense(2, _other_swish())], 'two functions or classes of the name _swish'),
      ([dense(2, relu), dense(2, 'relu')], 'two functions or classes of the name relu: rename one'),
      (
        [_Apply(_swish)],
        'the layer .*_apply.* with arguments of other types: give it',
      ),
      ([dense(2, kernel_constraint=max_norm)], 'a constraint of dense.*/kernel:0, which steps'),
    ):
      with self.subTest(sentence):
        self.assertRegex(next(cloning.faults(_sequential(*found))), f'^has {sentence}')
        with self.assertRaisesRegex(ValueError, f'^model own has {sentence}'):
          _wrap(_sequential(*found, layers.Flatten(), dense(2)))

  def test_functions_of_lambda_layers_may_have_no_name(self):
    layers = [tf.keras.layers.Lambda(lambda x: 2 * x), tf.keras.layers.Lambda(lambda x: x + 1)]
    clone = cloning.clone(_sequential(*layers))
    np.testing.assert_allclose(clone(_X), 2 * _X + 1)


if __name__ == '__main__':
  absltest.main()
