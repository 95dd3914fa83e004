"""Reductions of data sets give the same as loops."""

import collections

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg.compatibility import tff
from tff_lg.runtime import reduce_dataset


def setUpModule():
  global _STOCK, _OURS
  _STOCK, _OURS = testing.contexts()


def _sum(dataset):
  return dataset.reduce(np.int64(0), lambda total, x: total + x)


def _captures(dataset):
  factor = tf.Variable(3, dtype=tf.int64)
  return dataset.reduce(np.int64(1), lambda total, x: total + x * factor)


def _several_states(dataset):
  state = collections.OrderedDict(z=np.int64(0), a=(0.0, tf.constant('')))

  def step(state, x):
    count, text = state['a']
    return collections.OrderedDict(
      z=state['z'] + x, a=(count + 1.0, text + tf.strings.as_string(x))
    )

  return dataset.reduce(state, step)


def _nested(dataset):
  def step(total, x):
    return total + tf.data.Dataset.range(x).reduce(np.int64(0), lambda t, y: t + y)

  return dataset.reduce(np.int64(0), step)


def _two_in_a_row(dataset):
  first = _sum(dataset)
  return first, dataset.reduce(first, lambda total, x: total * 2 + x)


def _growing(dataset):
  empty = tf.zeros([0], tf.int64)
  return dataset.batch(2).reduce(empty, lambda state, batch: tf.concat([state, batch], 0))


def _writes(dataset):
  total = tf.Variable(0, dtype=tf.int64)

  def step(count, x):
    with tf.control_dependencies([total.assign_add(x)]):
      return count + 1

  with tf.control_dependencies([dataset.reduce(0, step)]):
    return total.read_value()


_REDUCTIONS = {
  'sum': _sum,
  'captures': _captures,
  'several_states': _several_states,
  'nested': _nested,
  'two_in_a_row': _two_in_a_row,
  'growing': _growing,
  'writes': _writes,
}


class ReduceDatasetTest(parameterized.TestCase):
  @parameterized.named_parameters(_REDUCTIONS.items())
  def test_same_on_both(self, reduction):
    reduction = tff.tensorflow.computation(reduction, tff.SequenceType(np.int64))
    computation = tff.federated_computation(
      lambda data: tff.federated_map(reduction, data),
      tff.FederatedType(tff.SequenceType(np.int64), tff.CLIENTS),
    )
    data = [tf.data.Dataset.range(count) for count in (0, 1, 5, 3)]
    testing.assert_same_on_both(_STOCK, _OURS, computation, data)

  def test_failure_names_the_client(self):
    @tff.tensorflow.computation(tff.SequenceType(np.int64))
    def fails(dataset):
      def step(total, x):
        with tf.control_dependencies([tf.debugging.assert_less(x, np.int64(3))]):
          return total + x

      return dataset.reduce(np.int64(0), step)

    computation = tff.federated_computation(
      lambda data: tff.federated_map(fails, data),
      tff.FederatedType(tff.SequenceType(np.int64), tff.CLIENTS),
    )
    with testing.installed(_OURS), self.assertRaisesRegex(RuntimeError, 'failed at client 1'):
      computation([tf.data.Dataset.range(2), tf.data.Dataset.range(5)])

  def test_no_reduction_is_left(self):
    with tf.Graph().as_default() as graph:
      tf.data.Dataset.range(3).reduce(np.int64(0), lambda total, x: total + x)
    graph_def = graph.as_graph_def()
    self.assertIn('ReduceDataset', [node.op for node in graph_def.node])
    reduce_dataset.replace_by_loops(graph_def)
    bodies = [graph_def.node, *(body.node_def for body in graph_def.library.function)]
    ops = {node.op for body in bodies for node in body}
    self.assertNotIn('ReduceDataset', ops)
    self.assertIn('AnonymousIteratorV3', ops)


if __name__ == '__main__':
  absltest.main()
