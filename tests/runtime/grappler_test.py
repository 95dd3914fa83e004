"""Tests of parts optimised by Grappler."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest

from tff_lg.compatibility import compiled_computation_transformations, tff
from tff_lg.runtime import grappler


class OptimizeTest(absltest.TestCase):
  def test_zeros_stay_an_operation(self):
    # As a constant each would be unpacked at every look for zeros: minutes for a large network.
    @tff.tensorflow.computation(np.int32)
    def zeros(size):
      return _long(tf.zeros([1000]) + tf.cast(size, tf.float32))

    self.assertIn('Fill', self._operations(grappler.optimize(zeros.to_compiled_building_block())))

  def test_long_graph_is_optimised(self):
    long = tff.tensorflow.computation(lambda x: _long(-tf.negative(x)), np.float32)
    part = long.to_compiled_building_block()
    self.assertIn('Neg', self._operations(part.proto.tensorflow))
    self.assertNotIn('Neg', self._operations(grappler.optimize(part)))

  def test_few_operations_stay_as_they_are(self):
    part = tff.tensorflow.computation(lambda x: x * 1.0, np.float32).to_compiled_building_block()
    self.assertIs(grappler.optimize(part), part.proto.tensorflow)

  def test_functions_count_and_are_inlined(self):
    function = tf.function(_long, autograph=False)
    part = tff.tensorflow.computation(function, np.float32).to_compiled_building_block()
    self.assertIn('PartitionedCall', self._operations(part.proto.tensorflow))
    self.assertNotIn('PartitionedCall', self._operations(grappler.optimize(part)))

  def test_the_same_as_by_tff(self):
    @tff.tensorflow.computation(tff.SequenceType(np.float32), np.float32)
    def reduce(dataset, factor):
      total = tf.Variable(0.0)

      def step(count, x):
        with tf.control_dependencies([total.assign_add(factor * _long(x))]):
          return count + 1

      return dataset.reduce(0, step), total.read_value()

    part = reduce.to_compiled_building_block()
    by_tff = compiled_computation_transformations.optimize_tensorflow_comp(part, grappler._config())
    self.assertEqual(
      grappler.optimize(part).SerializeToString(deterministic=True),
      by_tff.proto.tensorflow.SerializeToString(deterministic=True),
    )

  def _operations(self, computation):
    graph = tf.compat.v1.GraphDef()
    computation.graph_def.Unpack(graph)
    return [node.op for node in graph.node]


def _long(x):
  """Returns the sine of x, many times over: a graph worth optimising."""
  for _ in range(grappler._FEW_NODES):
    x = tf.sin(x)
  return x


if __name__ == '__main__':
  absltest.main()
