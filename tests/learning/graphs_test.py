"""Tests that the graphs of a process do not grow with the network."""

from unittest import mock

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tests.learning import testing
from tff_lg import learning, models, simulation
from tff_lg.runtime import grappler

# Smaller than any kernel or activation of a batch of the network below.
_MANY = 1000


def setUpModule():
  simulation.set_execution_context()


def _network() -> tf.keras.Model:
  """Builds a perceptron of 50 * 60 + 60 * 10 weights, normalised by a mask of ones."""
  layers = [
    tf.keras.layers.InputLayer(input_shape=(50,)),
    tf.keras.layers.Dense(60, name='hidden'),
    tf.keras.layers.GroupNormalization(4, name='norm'),
    tf.keras.layers.Dense(20, name='output'),
  ]
  return tf.keras.Sequential(layers)


def _num_elements(shape) -> int:
  return int(np.prod([dimension.size for dimension in shape.dim]))


class GraphSizeTest(absltest.TestCase):
  def test_no_large_constants(self):
    """Grappler unpacks a constant, even one of equal values, each time that it meets it."""
    model = models.from_keras(
      _network(), loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics={}
    )
    process = learning.build_local_global_process(model, testing.settings())
    data = [learning.ClientTensors(np.ones((3, 50), np.float32), np.zeros(3, np.int32))] * 2
    optimized = []

    def optimize(part):
      optimized.append(real(part))
      return optimized[-1]

    real = grappler.optimize
    with mock.patch.object(grappler, 'optimize', optimize):
      server_state = process.initialize(model.initial_weights)
      states = [process.initialize_client(model.initial_weights)] * 2
      output = process.next(server_state, states, data)
      process.evaluate(output.server_state, states, data)
      process.ensemble(output.server_state, states, data[0].x)

    self.assertGreater(len(optimized), 5)
    for part in optimized:
      graph_def = tf.compat.v1.GraphDef()
      part.graph_def.Unpack(graph_def)
      if not any(node.op == 'Placeholder' for node in graph_def.node):
        continue  # TFF's zeros of a sum: constants by themselves, with nothing to fold.
      bodies = [graph_def.node, *(function.node_def for function in graph_def.library.function)]
      for node in (node for nodes in bodies for node in nodes):
        if node.op == 'Const':
          elements = _num_elements(node.attr['value'].tensor.tensor_shape)
          self.assertLess(elements, _MANY, msg=node.name)


if __name__ == '__main__':
  absltest.main()
