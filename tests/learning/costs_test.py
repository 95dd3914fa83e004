"""Tests of what a step costs, by hand on a dense network 4-5-3 and a convolution."""

import math

import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.learning import testing
from tff_lg import learning
from tff_lg.learning import costs

# Forward 2 (4 * 5 + 5 * 3); backward as much for kernels, and 2 * 5 * 3 for the hidden layer.
_FLOPS = 70 + 70 + 30
_NUM_WEIGHTS = 4 * 5 + 5 + 5 * 3 + 3
# Weights, those received, gradients and the learning rate.
_HELD = 4 * (3 * _NUM_WEIGHTS + 1)
# x, the hidden layer, and the derivative of the loss by logits.
_OF_EXAMPLE = 4 * (4 + 5 + 3)


class CostsTest(parameterized.TestCase):
  @parameterized.parameters(1, 7)
  def test_dense_network(self, batch_size):
    settings = testing.settings(batches=learning.TensorBatches(batch_size))
    cost = costs.of_steps(testing.classifier(), settings)
    self.assertEqual(cost, (_FLOPS, _HELD + batch_size * _OF_EXAMPLE))

  def test_batch_of_all_examples_has_no_size(self):
    cost = costs.of_steps(testing.classifier(), testing.settings())
    self.assertEqual(cost.flops_per_example, _FLOPS)
    self.assertTrue(math.isnan(cost.memory_bytes))

  def test_local_weights_are_not_received(self):
    model = testing.classifier().with_global_layers(['output'])
    cost = costs.of_steps(model, testing.settings(batches=learning.TensorBatches(1)))
    self.assertEqual(cost.memory_bytes, _HELD - 4 * 25 + _OF_EXAMPLE)

  def test_phases_count_by_their_epochs(self):
    # Three epochs of the output layer, without the gradients of the hidden one, and one of all.
    head = learning.Phase(
      trained=(False, False, True, True), batches=learning.TensorBatches(2, num_epochs=3)
    )
    settings = testing.settings(batches=learning.TensorBatches(2), phases=(head, learning.Phase()))
    cost = costs.of_steps(testing.classifier(), settings)
    self.assertEqual(cost.flops_per_example, (3 * 100 + _FLOPS) / 4)

  def test_convolution_and_its_gradients(self):
    with tf.Graph().as_default():
      x = tf.compat.v1.placeholder(tf.float32, [2, 6, 6, 3])
      kernel = tf.compat.v1.placeholder(tf.float32, [3, 3, 3, 4])
      y = tf.nn.conv2d(x, kernel, 1, 'VALID')
      of_output = 2 * (2 * 4 * 4 * 4) * (3 * 3 * 3)
      self.assertEqual(costs.count_flops([y]), of_output)
      self.assertEqual(costs.count_flops(tf.gradients(y, [kernel])), of_output)
      self.assertEqual(costs.count_flops(tf.gradients(y, [x, kernel])), 2 * of_output)

  def test_loops_count_their_steps(self):
    with tf.Graph().as_default():
      x = tf.compat.v1.placeholder(tf.float32, [2, 3])

      @tf.function
      def looped(x, most):
        return tf.while_loop(
          lambda x: True, lambda x: (tf.matmul(x, tf.ones([3, 3])),), (x,), maximum_iterations=most
        )[0]

      self.assertEqual(costs.count_flops([looped(x, 5)]), 5 * 2 * 2 * 3 * 3)
      unknown = tf.compat.v1.placeholder(tf.int32, [])
      self.assertTrue(math.isnan(costs.count_flops([looped(x, unknown)])))


if __name__ == '__main__':
  absltest.main()
