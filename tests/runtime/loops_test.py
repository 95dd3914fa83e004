"""Loops' bodies are entered by one node, and compute the same."""

from unittest import mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import grappler, loops


@tff.tensorflow.computation(np.float32, np.int32)
def _power(base, exponent):
  """Computes the power by two loops, one in the other."""

  def multiply(index, result):
    added, _ = tf.while_loop(lambda _, n: n < base, lambda s, n: (s + result, n + 1), (0.0, 0.0))
    return index + 1, added

  return tf.while_loop(lambda index, _: index < exponent, multiply, (0, 1.0))[1]


def _optimized_graph(computation):
  graph_def = tf.compat.v1.GraphDef()
  with mock.patch.object(grappler, '_FEW_NODES', 0):  # Grappler writes loops out.
    grappler.optimize(computation.to_building_block()).graph_def.Unpack(graph_def)
  return graph_def


class OrderBodiesTest(absltest.TestCase):
  def test_one_entrance_a_loop(self):
    graph = _optimized_graph(_power)
    num_loops = sum(node.op == 'LoopCond' for node in graph.node)
    loops.order_bodies(graph)
    entrances = [node for node in graph.node if node.op == 'IdentityN']
    self.assertLen(entrances, num_loops)
    self.assertEqual(num_loops, 2)
    switched = {name for node in entrances for name in node.input}
    for node in graph.node:
      if node.op != 'IdentityN':
        self.assertEmpty(switched.intersection(node.input))

  def test_values_worked_out_by_hand(self):
    context = runtime.create_local_execution_context()
    self.assertEqual(context.invoke(_power, (3.0, 4)), 81.0)
    self.assertEqual(context.invoke(_power, (3.0, 0)), 1.0)

  def test_a_graph_without_loops_stays_as_it_is(self):
    graph = tf.Graph()
    with graph.as_default():
      tf.constant(1.0) + tf.constant(2.0)
    graph_def = graph.as_graph_def()
    loops.order_bodies(graph_def)
    self.assertEqual(graph_def, graph.as_graph_def())


class PoolingGradientTest(absltest.TestCase):
  def test_gradient_in_a_loop_equals_tensorflow_s(self):
    """Ten steps of gradient descent through max-pooling, against an eager loop."""
    x = np.random.default_rng(0).random((4, 6, 6, 1), np.float32)
    filters = np.random.default_rng(1).normal(size=(3, 3, 1, 2)).astype(np.float32)

    def step(w):
      with tf.GradientTape() as tape:
        tape.watch(w)
        hidden = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, 'SAME')), 2, 2, 'VALID')
        loss = tf.reduce_sum(tf.square(hidden))
      return w - 0.001 * tape.gradient(loss, w)

    @tff.tensorflow.computation(tff.TensorType(np.float32, [3, 3, 1, 2]))
    def train(w):
      return tf.while_loop(lambda n, _: n < 10, lambda n, w: (n + 1, step(w)), (0, w))[1]

    expected = tf.constant(filters)
    for _ in range(10):
      expected = step(expected)
    trained = runtime.create_local_execution_context().invoke(train, filters)
    np.testing.assert_allclose(trained, expected, rtol=1e-4)


if __name__ == '__main__':
  absltest.main()
