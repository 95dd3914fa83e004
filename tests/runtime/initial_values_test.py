"""Tests that initial values which nobody reads are not made."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import initial_values

_OURS = runtime.create_local_execution_context()


def _unused(variable, x):
  del variable, x


def _written_first(variable, x):
  with tf.control_dependencies([variable.assign(x)]):
    variable.read_value()
    variable.assign_add(x)


def _written_through_another_node(variable, x):
  handle = tf.identity(variable.handle)
  write = tf.raw_ops.AssignVariableOp(resource=handle, value=x)
  with tf.control_dependencies([write]):
    tf.raw_ops.ReadVariableOp(resource=tf.identity(handle), dtype=tf.float32)


def _written_first_beside_a_branch(variable, x):
  with tf.control_dependencies([variable.assign(x)]):
    tf.raw_ops.Switch(data=variable.handle, pred=x > 0)


def _read_at_any_time(variable, x):
  variable.assign(x)
  variable.read_value()


def _read_for_what_is_written(variable, x):
  with tf.control_dependencies([variable.assign(variable.read_value() + x)]):
    variable.read_value()


def _added_to(variable, x):
  with tf.control_dependencies([variable.assign_add(x)]):
    variable.read_value()


def _written_in_a_branch(variable, x):
  of_branch, _ = tf.raw_ops.Switch(data=x, pred=x > 0)
  with tf.control_dependencies([variable.assign(of_branch)]):
    variable.read_value()


def _in_a_loop(variable, x):
  with tf.control_dependencies([variable.assign(x)]):
    tf.raw_ops.Enter(data=variable.read_value(), frame_name='loop')


def _called(function):
  """Returns a use that calls the function with the handle and the value, then reads."""
  called = tf.function(function)

  def use(variable, x):
    with tf.control_dependencies([called(variable.handle, x)]):
      variable.read_value()

  use.__name__ = function.__name__
  return use


def _write(handle, x):
  tf.raw_ops.AssignVariableOp(resource=handle, value=x)
  return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)


@tf.function
def _call_of_write(handle, x):
  return _write(handle, x)


@_called
def _written_first_in_a_function(handle, x):
  return _write(handle, x)


@_called
def _written_first_two_functions_deep(handle, x):
  return _call_of_write(tf.identity(handle), x)


@_called
def _written_in_a_function_that_reads_before(handle, x):
  return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32) + _write(handle, x)


@_called
def _written_in_a_function_under_a_condition(handle, x):
  return tf.cond(x > 0, lambda: _write(handle, x), lambda: x)


def _written_in_a_function_that_has_it_twice(variable, x):
  @tf.function
  def read_and_write(read, written, x):
    tf.raw_ops.AssignVariableOp(resource=written, value=x)
    return tf.raw_ops.ReadVariableOp(resource=read, dtype=tf.float32)

  read_and_write(variable.handle, variable.handle, x)


def _written_in_a_function_that_returns_it(variable, x):
  @tf.function
  def write_and_return(handle, x):
    tf.raw_ops.AssignVariableOp(resource=handle, value=x)
    return tf.identity(handle)

  tf.raw_ops.ReadVariableOp(resource=write_and_return(variable.handle, x), dtype=tf.float32)


_DROPPED = (
  _unused,
  _written_first,
  _written_through_another_node,
  _written_first_beside_a_branch,
  _written_first_in_a_function,
  _written_first_two_functions_deep,
)
_KEPT = (
  _read_at_any_time,
  _read_for_what_is_written,
  _added_to,
  _written_in_a_branch,
  _in_a_loop,
  _written_in_a_function_that_reads_before,
  _written_in_a_function_under_a_condition,
  _written_in_a_function_that_has_it_twice,
  _written_in_a_function_that_returns_it,
)


def _without_unread(graph, results):
  """Returns the nodes by name that are left of the graph, all results needed."""
  needed = [*(result.name for result in results), 'initialize']
  left = initial_values.without_unread(graph.as_graph_def(), 'initialize', needed)
  return {node.name: node for node in left.node}


def _initializer(use):
  """Returns the operation of the node that writes the first value, and its inputs."""
  with tf.Graph().as_default() as graph:
    variable = tf.Variable(lambda: tf.random.stateless_normal([], [1, 2]))
    of_variable = len(graph.get_operations())
    use(variable, tf.compat.v1.placeholder(tf.float32, []))
    used = graph.get_operations()[of_variable:]
    tf.group(variable.initializer, name='initialize')
  node = _without_unread(graph, used)[variable.initializer.name]
  return node.op, list(node.input)


class WithoutUnreadTest(parameterized.TestCase):
  @parameterized.named_parameters((use.__name__, use) for use in _DROPPED)
  def test_dropped(self, use):
    self.assertEqual(_initializer(use), ('NoOp', []))

  @parameterized.named_parameters((use.__name__, use) for use in _KEPT)
  def test_kept(self, use):
    op, inputs = _initializer(use)
    self.assertEqual((op, len(inputs)), ('AssignVariableOp', 2))

  def test_value_that_another_variable_begins_with_is_kept(self):
    with tf.Graph().as_default() as graph:
      variable = tf.Variable(lambda: tf.random.stateless_normal([], [1, 2]))
      with tf.control_dependencies([variable.initializer]):
        copy = tf.Variable(variable.read_value())
      result = tf.identity(copy.read_value())
      tf.group(variable.initializer, copy.initializer, name='initialize')
    nodes = _without_unread(graph, [result])
    self.assertEqual([name for name, node in nodes.items() if node.op == 'NoOp'], ['initialize'])

  # The file of the first value is not there.
  def test_value_is_not_made(self):
    @tff.tensorflow.computation(np.float32)
    def double(x):
      variable = tf.Variable(lambda: tf.strings.to_number(tf.io.read_file('/missing/value')))

      @tf.function
      def write_and_add():
        variable.assign(x)
        return variable.assign_add(x)

      return write_and_add()

    with testing.installed(_OURS):
      self.assertEqual([double(2.0), double(3.0)], [4.0, 6.0])


if __name__ == '__main__':
  absltest.main()
