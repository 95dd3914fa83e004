"""Tests of what layers tell, and of losses that they add, against Keras."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning, models, simulation
from tff_lg.models import told


def setUpModule():
  simulation.set_execution_context()


@tf.keras.saving.register_keras_serializable('told_test')
class _Small(tf.keras.layers.Layer):
  """Adds the mean square of its inputs to the loss."""

  def call(self, x):
    self.add_loss(tf.reduce_mean(x**2))
    return x


def _network():
  layers, regularizers = tf.keras.layers, tf.keras.regularizers
  l1 = regularizers.L1(0.1)
  return tf.keras.Sequential(
    [
      layers.InputLayer((3,)),
      layers.Dense(4, kernel_regularizer='l2', bias_regularizer=l1, name='hidden'),
      layers.BatchNormalization(gamma_regularizer=l1, beta_regularizer='l2', name='norm'),
      layers.Dense(4, activity_regularizer=regularizers.L2(0.2), name='active'),
      _Small(),
      layers.Dense(2, kernel_regularizer=regularizers.L1L2(0.1, 0.2), name='output'),
    ]
  )


class ToldTest(absltest.TestCase):
  def test_the_innermost_hears(self):
    kind = told.Told[int]('kind')
    kind.tell(1)
    with kind.collect() as outer:
      kind.tell(2)
      with kind.collect() as inner:
        kind.tell(3)
      kind.tell(4)
    self.assertEqual((outer, inner), ([2, 4], [3]))

  def test_training_adds_losses_of_layers_as_keras_does(self):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(5, 3)).astype(np.float32), np.array([0, 1, 1, 0, 1], np.int32)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    network = _network()
    network.set_weights([rng.uniform(0.5, 1.5, w.shape) for w in network.get_weights()])
    with tf.GradientTape() as tape:
      expected = tf.add_n([loss(y, network(x, training=True)), *network.losses])
    gradients = tape.gradient(expected, network.trainable_weights)
    by_name = {
      weight.name.removesuffix(':0'): gradient.numpy()
      for weight, gradient in zip(network.trainable_weights, gradients, strict=True)
    }

    metrics = {'accuracy': tf.keras.metrics.SparseCategoricalAccuracy}
    model = models.from_keras(network, loss=loss, metrics=metrics)

    def step():
      weights = tuple(map(tf.constant, model.initial_weights))
      with tf.GradientTape() as tape:
        tape.watch(weights)
        found = learning.supervised(model, weights, weights, tf.constant(x), tf.constant(y))
      return found, tape.gradient(found, weights, unconnected_gradients='zero')

    found, gradients = testing.in_graph(step)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    found = dict(zip(model.weight_names, gradients, strict=True))
    self.assertContainsSubset(by_name, found)
    for name, gradient in by_name.items():
      np.testing.assert_allclose(found[name], gradient, rtol=1e-4, atol=1e-6, err_msg=name)

  def test_rounds_by_hand(self):
    # F(w) = (w - 1)^2 + w^2 / 2 on (1, 1), from 2: the gradient is 2 (w - 1) + w.
    dense = tf.keras.layers.Dense(1, use_bias=False, kernel_regularizer='l2', name='dense')
    dense.kernel_regularizer.l2 = 0.5
    network = tf.keras.Sequential([tf.keras.layers.InputLayer((1,)), dense])
    network.set_weights([np.array([[2.0]])])
    model = models.from_keras(
      network,
      loss=tf.keras.losses.MeanSquaredError(),
      metrics={'error': tf.keras.metrics.MeanSquaredError},
      label_spec=tf.TensorSpec([None, 1], tf.float32),
    )
    for name, options, expected in (
      ('fedavg', {}, 2 - 0.1 * 4),
      # The step is taken at 2 - 0.25 * 4.
      ('per_fedavg', {'per_fedavg_rate': 0.25}, 2 - 0.1 * 1),
    ):
      process = learning.METHODS[name].build_process(model, testing.settings(0.1), **options)
      weights, data = process.model.initial_weights, [testing.tensors((1, 1))]
      clients = [process.initialize_client(weights)]
      output = process.next(process.initialize(weights), clients, data)
      with self.subTest(name):
        np.testing.assert_allclose(output.server_state.global_weights[0], [[expected]], rtol=1e-6)
      if name == 'fedavg':
        self.assertAlmostEqual(output.metrics.loss, 1 + 2, places=5)
        # Scores have the loss alone.
        (scores,) = process.evaluate(output.server_state, output.client_states, data)
        self.assertAlmostEqual(scores['loss'], 0.6**2, places=5)


if __name__ == '__main__':
  absltest.main()
