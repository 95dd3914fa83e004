"""Tests of weights of examples: losses by hand, metrics that do not see them."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import models, simulation
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


class ExampleWeightsTest(absltest.TestCase):
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
