"""Tests of weights of examples: losses by hand, metrics that do not see them."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning, models, simulation
from tff_lg.compatibility import tff
from tff_lg.inputs import tasks
from tff_lg.metrics import OBJECTIVES


def setUpModule():
  simulation.set_execution_context()


def _linear(num_outputs, kernel):
  initial = tf.keras.initializers.Constant(kernel)
  dense = tf.keras.layers.Dense(
    num_outputs, use_bias=False, kernel_initializer=initial, name='output'
  )
  return tf.keras.Sequential([tf.keras.layers.InputLayer((1,)), dense])


def _weighed(keras_model, objective, metrics):
  model = tasks.as_local_global(keras_model, OBJECTIVES[objective], metrics)
  return models.with_example_weights(model)


def _tensors(x, y):
  return learning.ClientTensors(np.array(x, np.float32), np.array(y, np.float32))


class ExampleWeightsTest(absltest.TestCase):
  def test_two_clients_by_hand(self):
    # f(x) = w x from w = 1; a step of 0.1 on the mean of weight times squared error.
    model = _weighed(_linear(1, 1.0), 'regression', ('mae',))
    process = learning.build_local_global_process(
      model, testing.settings(0.1, learning.TensorBatches(None))
    )
    clients = [
      _tensors([[1], [2]], [[0, 0.5], [1, 1.5]]),  # gradient (0.5 * 2 + 1.5 * 4) / 2 = 3.5
      _tensors([[1]], [[3, 1]]),  # gradient -4
    ]
    weights = model.initial_weights
    states = [process.initialize_client(weights) for _ in clients]
    output = process.next(process.initialize(weights), states, clients)
    # Both count by their examples: 2 and 1.
    expected = (2 * (1 - 0.35) + (1 + 0.4)) / 3
    (weight,) = output.server_state.global_weights
    np.testing.assert_allclose(weight, [[expected]], rtol=1e-6)
    losses = [metrics.loss for metrics in output.client_metrics]
    np.testing.assert_allclose(losses, [(0.5 * 1 + 1.5 * 1) / 2, 4], rtol=1e-6)

  def test_metrics_count_examples_alike(self):
    model = _weighed(_linear(2, [[1.0, -1.0]]), 'classification', ('accuracy',))
    self.assertEqual(model.functional.input_spec[1], tf.TensorSpec([None, 2], tf.float32))
    process = learning.build_local_global_process(
      model, testing.settings(0.1, learning.TensorBatches(None))
    )
    # Logits (x, -x): right, right, wrong; the weights are 0, 3 and 3.
    client = _tensors([[1], [2], [1]], [[0, 0], [0, 3], [1, 3]])
    weights = model.initial_weights
    states = [process.initialize_client(weights)]
    (found,) = process.evaluate(process.initialize(weights), states, [client])
    self.assertAlmostEqual(float(found['accuracy']), 2 / 3, places=6)
    losses = np.log1p(np.exp([-2.0, -4.0, 2.0]))
    self.assertAlmostEqual(float(found['loss']), losses @ [0, 3, 3] / 3, places=5)

  def test_several_labels(self):
    model = _weighed(_linear(2, [[1.0, -1.0]]), 'multilabel', ('label_accuracy',))

    @tff.tensorflow.computation
    def loss():
      x, y = tf.constant([[1.0], [2.0]]), tf.constant([[1.0, 1.0, 0.5], [0.0, 0.0, 1.5]])
      return model.functional.loss(model.predict(model.initial_weights, x, training=False), y)

    of_labels = np.log1p(np.exp([[-1.0, 1.0], [2.0, -2.0]])).mean(axis=1)
    self.assertAlmostEqual(float(loss()), of_labels @ [0.5, 1.5] / 2, places=5)

  def test_loss_of_an_auxiliary_network(self):
    loss = models.WeighedClassLoss(tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    found = loss(tf.constant([[0.0, 0.5], [1.0, 1.5]]), tf.constant([[1.0, -1.0], [2.0, -2.0]]))
    expected = np.log1p(np.exp([-2.0, 4.0])) @ [0.5, 1.5] / 2
    self.assertAlmostEqual(float(found), expected, places=5)


if __name__ == '__main__':
  absltest.main()
