"""Tests of graphs as functions."""

import gc

import numpy as np
import tensorflow as tf
from absl.testing import absltest
from tensorflow.python.eager import context

from tff_lg.runtime import imported_functions, tensorflow_functions


def _graph_def(build):
  """Returns a graph that is built from two placeholders, `a` and `b`."""
  with tf.Graph().as_default() as graph:
    a = tf.compat.v1.placeholder(tf.float32, [None, 2], 'a')
    build(a, tf.compat.v1.placeholder(tf.float32, [], 'b'))
  return graph.as_graph_def()


def _imported(graph_def, results, before=()):
  return imported_functions.ImportedFunction(graph_def, ['a:0', 'b:0'], results, before)


def _call(function, a, b):
  outputs = tensorflow_functions.as_flat_function(function)([tf.constant(a), tf.constant(b)])
  return [output.numpy().tolist() for output in outputs]


def _product(a, b):
  tf.multiply(a, b, name='product')


class ImportedFunctionTest(absltest.TestCase):
  def test_values_worked_out_by_hand(self):
    function = _imported(_graph_def(_product), ['product:0'])
    self.assertEqual(_call(function, [[1.0, 2.0]], 3.0), [[[3.0, 6.0]]])

  def test_specs(self):
    function = _imported(_graph_def(lambda a, b: tf.reduce_sum(a, 0, name='sum')), ['sum:0', 'b:0'])
    self.assertEqual(
      function.inputs, [tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([], tf.float32)]
    )
    self.assertEqual([output.shape.as_list() for output in function.outputs], [[2], []])
    self.assertFalse(function.function_def.signature.is_stateful)

  def test_parameters_and_the_same_twice_as_results(self):
    function = _imported(_graph_def(_product), ['b:0', 'product:0', 'product:0'])
    self.assertEqual(_call(function, [[1.0, 2.0]], 3.0), [3.0, [[3.0, 6.0]], [[3.0, 6.0]]])

  def test_operations_that_end_before(self):
    def build(a, b):
      with tf.control_dependencies([tf.debugging.assert_positive(b)]):
        tf.no_op('check')
      _product(a, b)

    function = _imported(_graph_def(build), ['product:0'], ['check'])
    self.assertTrue(function.function_def.signature.is_stateful)
    self.assertEqual(_call(function, [[1.0, 2.0]], 1.0), [[[1.0, 2.0]]])
    with self.assertRaises(tf.errors.InvalidArgumentError):
      _call(function, [[1.0, 2.0]], -1.0)

  def test_functions_live_as_long_as_what_calls_them(self):
    def build(a, b):
      tf.identity(tf.function(lambda: a * b + 1, autograph=False)(), 'scaled')

    graph_def = _graph_def(build)
    functions = [_imported(graph_def, ['scaled:0']) for _ in range(2)]
    names = {each.name for each in functions}
    self.assertLen(names, 2)
    [called] = graph_def.library.function
    del functions[0]
    gc.collect()
    self.assertEqual(_call(functions[0], [[1.0, 2.0]], 3.0), [[[4.0, 7.0]]])
    functions.clear()
    gc.collect()
    for name in (*names, called.signature.name.encode()):
      self.assertFalse(context.context().has_function(name), msg=name)

  def test_called_in_a_graph(self):
    function = tensorflow_functions.as_flat_function(_imported(_graph_def(_product), ['product:0']))
    twice = tf.function(lambda a, b: function([function([a, b])[0], b]), autograph=False)
    [result] = twice(tf.constant([[1.0, 2.0]]), tf.constant(3.0))
    np.testing.assert_array_equal(result, [[9.0, 18.0]])


if __name__ == '__main__':
  absltest.main()
