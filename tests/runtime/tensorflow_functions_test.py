"""TensorFlow parts give the same once imported, and clients don't touch each other's state."""

import collections

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from absl.testing import absltest, parameterized

from tests.runtime import testing


def setUpModule():
  global _STOCK, _OURS
  _STOCK, _OURS = testing.contexts(clients_per_device=4)


def _count_in_variable(steps):
  count = tf.Variable(0, name='count')
  before = []
  for _ in range(3):
    with tf.control_dependencies(before):
      before = [count.assign_add(steps)]
  with tf.control_dependencies(before):
    return count.read_value()


def _count_in_while_loop(steps):
  count = tf.Variable(10)

  def body(i):
    with tf.control_dependencies([count.assign_add(1)]):
      return i + 1

  with tf.control_dependencies([tf.while_loop(lambda i: i < steps, body, [0])[0]]):
    return count.read_value()


def _look_up(key):
  table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.range(10), tf.range(10) ** 2), -1
  )
  return table.lookup(key), table.size()


def _insert(key):
  table = tf.lookup.experimental.MutableHashTable(tf.int32, tf.int32, -1)
  with tf.control_dependencies([table.insert([key], [key + 1])]):
    return table.lookup(tf.range(6)), table.size()


def _insert_dense(key):
  table = tf.lookup.experimental.DenseHashTable(tf.int32, tf.int32, -1, -2, -3)
  with tf.control_dependencies([table.insert([key], [key + 1])]):
    return table.lookup(tf.range(6)), table.size()


@tf.function
def _helper(x):
  return tf.cond(x > 2, lambda: x * 10, lambda: -x)


def _library(x):
  return _helper(x), tf.map_fn(lambda y: y + x, tf.range(3))


def _data_set_inside(x):
  dataset = tf.data.Dataset.range(tf.cast(x, tf.int64)).map(lambda y: y * 2)
  return dataset, dataset.reduce(np.int64(0), lambda total, y: total + y)


def _sparse_gradient(x):
  table = tf.Variable(tf.ones([4, 2]))
  with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.gather(table, [x % 4, x % 4]) ** 2)
  gradient = tape.gradient(loss, table)
  with tf.control_dependencies([table.scatter_sub(gradient)]):
    return table.read_value()


_PARTS = {
  'variable': _count_in_variable,
  'variable_in_while_loop': _count_in_while_loop,
  'hash_table': _look_up,
  'mutable_hash_table': _insert,
  'dense_hash_table': _insert_dense,
  'library': _library,
  'data_set_inside': _data_set_inside,
  'sparse_gradient': _sparse_gradient,
  'argument_not_used': lambda x: tf.constant(7),
  'argument_twice': lambda x: (x, x),
}


class SameOnBothTest(parameterized.TestCase):
  @parameterized.named_parameters(_PARTS.items())
  def test_at_clients_at_the_same_time(self, part):
    part = tff.tensorflow.computation(part, np.int32)
    computation = tff.federated_computation(
      lambda values: tff.federated_map(part, values), tff.FederatedType(np.int32, tff.CLIENTS)
    )
    testing.assert_same_on_both(_STOCK, _OURS, computation, [1, 2, 3, 4, 5] * 4)

  def test_structures_as_argument_and_result(self):
    arguments = collections.OrderedDict(b=(np.int32, [np.float32]), a=np.str_)

    @tff.tensorflow.computation(arguments)
    def part(value):
      (first, (second,)), text = value['b'], value['a']
      return collections.OrderedDict(z=text + '!', y=[(second, first)])

    testing.assert_same_on_both(_STOCK, _OURS, part, collections.OrderedDict(b=(1, [2.5]), a='x'))

  def test_functions_of_one_name_and_different_content(self):
    def scaled_by(factor):
      @tf.function
      def scaled(x):
        return factor * x

      return tff.tensorflow.computation(lambda x: scaled(x), np.int32)

    with testing.installed(_OURS):
      self.assertEqual([scaled_by(factor)(3) for factor in (2, 5, 2)], [6, 15, 6])

  def test_variables_start_anew_at_every_call(self):
    part = tff.tensorflow.computation(_count_in_variable, np.int32)
    with testing.installed(_OURS):
      self.assertEqual([part(2), part(2)], [6, 6])


if __name__ == '__main__':
  absltest.main()
