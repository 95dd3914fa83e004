"""Tests of layers of Keras 3 that legacy Keras does not have."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import models
from tff_lg.models import keras3, keras3_operation, told

_X = np.array([[-4.0, -1.5, 0.0, 1.0, 2.5, 4.0]], np.float32)
_MODULE = '''
import keras

class Scaled(keras.layers.Layer):
  """Multiplies by a weight, then by a factor that is not trained."""

  def build(self, shape):
    self.table = self.add_weight(shape=shape[-1:], trainable=False, initializer='ones')
    self.scale = self.add_weight(shape=shape[-1:], initializer='ones', name='scale')

  def call(self, x):
    return self.scale * x * self.table

@keras.saving.register_keras_serializable('own_layers')
class Block(keras.layers.Layer):
  """A dense layer with batch normalisation and dropout."""

  def __init__(self, units, rate=0.0, **options):
    super().__init__(**options)
    self.units, self.rate = units, rate
    self.dense = keras.layers.Dense(units, name='dense')
    self.norm = keras.layers.BatchNormalization(momentum=0.9, name='norm')
    self.dropout = keras.layers.Dropout(rate)

  def build(self, shape):
    self.dense.build(shape)
    self.norm.build((None, self.units))

  def call(self, x, training=False):
    return self.dropout(self.norm(self.dense(x), training=training), training=training)

  def get_config(self):
    return {**super().get_config(), 'units': self.units, 'rate': self.rate}
'''


def _batch(size=3):
  return np.random.default_rng(0).normal(size=(5, size)).astype(np.float32)


@absltest.skipIf(tf.__version__.startswith('2.14.'), 'Legacy Keras is all there is.')
class Keras3LayerTest(parameterized.TestCase):
  @classmethod
  def setUpClass(cls):
    super().setUpClass()
    cls.folder = pathlib.Path(absltest.TEST_TMPDIR.value, 'own_layers')
    cls.folder.mkdir(parents=True, exist_ok=True)
    (cls.folder / 'own_layers.py').write_text(_MODULE)
    sys.path.append(str(cls.folder))
    cls.addClassCleanup(sys.path.remove, str(cls.folder))
    cls.keras = keras3_operation.import_keras3()

  def _own(self):
    import own_layers

    return own_layers

  def _sequential(self, *layers, size=3):
    return self.keras.Sequential([self.keras.Input((size,)), *layers])

  def _model(self, *layers):
    return models.from_keras(
      self._sequential(*layers),
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
    )

  @parameterized.parameters(
    # Each by its formula. Legacy Keras has 0.2 x + 0.5 where Keras 3 has x / 6 + 0.5.
    ('hard_sigmoid', np.clip(_X / 6 + 0.5, 0, 1)),
    ('hard_silu', _X * np.clip(_X / 6 + 0.5, 0, 1)),
    ('hard_tanh', np.clip(_X, -1, 1)),
    ('squareplus', (_X + np.sqrt(_X**2 + 4)) / 2),
    (lambda x: 2 * x, 2 * _X),
  )
  def test_activations(self, activation, expected):
    copy = keras3.to_legacy(self._sequential(self.keras.layers.Activation(activation), size=6))
    np.testing.assert_allclose(copy(_X), expected, rtol=1e-5, atol=1e-6)

  def test_functions_and_layers_of_keras_3_alone(self):
    layers = self.keras.layers
    norm = layers.RMSNormalization(epsilon=0.0, name='rms')
    copy = keras3.to_legacy(self._sequential(norm, layers.Lambda(lambda x: x + 1.0)))
    x = _batch()
    expected = x / np.sqrt(np.mean(x**2, axis=1, keepdims=True)) + 1
    np.testing.assert_allclose(copy(x), expected, rtol=1e-5)
    self.assertEqual([weight.name for weight in copy.weights], ['rms/scale:0'])

  def test_wrapped_cell_of_a_recurrent_layer(self):
    cell = self.keras.layers.LSTM(3, activation='hard_tanh', recurrent_activation='hard_sigmoid')
    model = self.keras.Sequential(
      [
        self.keras.Input((5, 2)),
        self.keras.layers.Bidirectional(cell),
      ]
    )
    x = np.random.default_rng(0).normal(size=(4, 5, 2)).astype(np.float32)
    np.testing.assert_allclose(keras3.to_legacy(model)(x), model(x), rtol=1e-5, atol=1e-6)

  def test_batch_normalisation_within_a_layer(self):
    layers = self.keras.layers
    norm = layers.TimeDistributed(layers.BatchNormalization(name='norm'), name='each')
    network = self.keras.Sequential([self.keras.Input((4, 3)), norm, layers.Flatten()])
    model = models.from_keras(
      network, loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics={}
    )
    moments = {'each/norm/moving_mean', 'each/norm/moving_variance'}
    self.assertEqual(model.statistics, moments)
    self.assertContainsSubset(moments, model.weight_names)

  def test_own_layer_with_two_inputs_in_a_graph(self):
    keras = self.keras

    class Mix(keras.layers.Layer):
      def build(self, *shapes):
        self.share = self.add_weight(shape=(), initializer='ones', name='share')

      def call(self, x, y, factor=1.0):
        return x + factor * self.share * y

    x = keras.Input((3,))
    network = keras.Model(x, Mix(name='mix')(x, keras.layers.Dense(3)(x), factor=2.0))
    batch = _batch()
    expected = network(batch)
    np.testing.assert_allclose(keras3.to_legacy(network)(batch), expected, rtol=1e-5)
    model = models.from_keras(
      network, loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics={}
    )
    found = testing.in_graph(
      lambda: model.predict(model.initial_weights, tf.constant(batch), training=True)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5)

  def test_subclass_as_a_layer(self):
    keras = self.keras

    class Net(keras.Model):
      def __init__(self):
        super().__init__(name='net')
        self.hidden = keras.layers.Dense(4, 'relu', name='hidden')
        self.out = keras.layers.Dense(2, name='out')

      def call(self, x, training=False):
        h = self.hidden(x)
        return self.out(h + 1.0 if training else h)

    model = self._model(Net())
    self.assertEqual(
      model.weight_names,
      ('net/hidden/kernel', 'net/hidden/bias', 'net/out/kernel', 'net/out/bias'),
    )
    self.assertEqual(model.layer_names, ('net',))

  def test_weights_that_are_not_trained_stay(self):
    model = self._model(self._own().Scaled(name='own'), self.keras.layers.Dense(2, name='out'))
    self.assertEqual(model.weight_names, ('own/scale', 'out/kernel', 'out/bias'))
    ((_, table),) = model.constants
    np.testing.assert_array_equal(table, np.ones(3))

  def test_step_is_that_of_keras_3(self):
    own = self._own()
    original = self._sequential(own.Block(4, name='block'), own.Scaled(name='scaled'))
    x = _batch()
    kernel = original.layers[0].dense.kernel
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(original(x, training=True) ** 2)
    expected = tape.gradient(loss, kernel.value)
    statistics = [np.asarray(original.layers[0].norm.moving_mean)]
    original.layers[0].norm.moving_mean.assign(np.zeros(4))

    model = models.from_keras(
      original,
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
    )
    place = model.weight_names.index('block/dense/kernel')
    mean = model.weight_names.index('block/norm/moving_mean')

    def step():
      weights = [tf.constant(weight) for weight in model.initial_weights]
      with tf.GradientTape() as tape, told.STATISTICS.collect() as found:
        tape.watch(weights)
        loss = tf.reduce_sum(model.predict(weights, tf.constant(x), True) ** 2)
      following = {id(weight): value for weight, value in found}
      return tape.gradient(loss, weights)[place], following[id(weights[mean])]

    gradient, following = testing.in_graph(step)
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(following, statistics[0], rtol=1e-5, atol=1e-7)

  def test_draws_follow_from_the_key(self):
    model = self._model(self._own().Block(2, rate=0.5, name='block'))
    x = _batch()
    one, same, other = testing.in_graph(
      lambda: [
        model.with_dropout_key(tf.constant([7, n], tf.int64)).predict(
          model.initial_weights, tf.constant(x), True
        )
        for n in (1, 1, 2)
      ]
    )
    np.testing.assert_array_equal(one, same)
    self.assertGreater(np.abs(one - other).max(), 0.1)

  def test_file_is_loaded_by_another_process(self):
    model = self._sequential(self._own().Block(2, name='block'))
    path, x = os.path.join(self.create_tempdir().full_path, 'model.keras'), _batch()
    keras3.to_legacy(model).save(path)
    code = (
      'import numpy as np, tensorflow as tf; import own_layers, tff_lg.models;'
      f'print(tf.keras.models.load_model({path!r})(np.float32({x.tolist()})).numpy().tolist())'
    )
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(self.folder), *sys.path])}
    printed = subprocess.run(
      [sys.executable, '-c', code], env=environment, check=True, capture_output=True, text=True
    ).stdout
    np.testing.assert_allclose(json.loads(printed), model(x), rtol=1e-5, atol=1e-6)

  def test_losses_of_layers(self):
    keras = self.keras

    class Sparse(keras.layers.Layer):
      def call(self, x):
        self.add_loss(keras.ops.mean(x**2))
        return x

    norm = keras.layers.RMSNormalization(name='norm')
    norm.build((None, 3))
    norm.scale.regularizer = keras.regularizers.L2(0.1)
    # Legacy Keras has the first one.
    dense = keras.layers.Dense(
      3, kernel_regularizer='l2', activity_regularizer=keras.regularizers.L1(0.2), name='dense'
    )
    original = self._sequential(dense, Sparse(), norm)
    x = _batch()
    original(x, training=True)
    expected = sorted(map(float, original.losses))
    model = models.from_keras(
      original,
      loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
      metrics={'accuracy': tf.keras.metrics.SparseCategoricalAccuracy},
    )

    def losses(training):
      with told.LOSSES.collect() as found:
        model.predict(model.initial_weights, tf.constant(x), training)
      return found

    self.assertLen(expected, 4)
    found = testing.in_graph(lambda: losses(training=True))
    np.testing.assert_allclose(sorted(found), expected, rtol=1e-5)
    self.assertEmpty(testing.in_graph(lambda: losses(training=False)))

  def test_refuses_other_weights(self):
    with self.assertRaisesRegex(ValueError, 'layer half of Keras 3 has the weight .*float16'):
      half = self.keras.layers.RMSNormalization(dtype='float16', name='half')
      keras3.to_legacy(self._sequential(half))


if __name__ == '__main__':
  absltest.main()
