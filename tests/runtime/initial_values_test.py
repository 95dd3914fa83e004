"""Tests that initial values which nobody reads are not made."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import graphs, initial_values

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


_DROPPED = (
  _unused,
  _written_first,
  _written_through_another_node,
  _written_first_beside_a_branch,
)
_KEPT = (
  _read_at_any_time,
  _read_for_what_is_written,
  _added_to,
  _written_in_a_branch,
  _in_a_loop,
)


def _initializer(use, initialize_op='initialize'):
  """Returns the operation of the node that writes the first value, and its inputs."""
  with tf.Graph().as_default() as graph:
    variable = tf.Variable(lambda: tf.random.stateless_normal([], [1, 2]))
    of_variable = len(graph.get_operations())
    use(variable, tf.compat.v1.placeholder(tf.float32, []))
    used = [operation.name for operation in graph.get_operations()[of_variable:]]
    tf.group(variable.initializer, name='initialize')
  # Variables also have nodes that tell whether they are initialised.
  graph_def = graphs.cut(graph.as_graph_def(), [*used, 'initialize'])
  initial_values.drop_unread(graph_def, initialize_op)
  (node,) = (node for node in graph_def.node if node.name == variable.initializer.name)
  return node.op, list(node.input)


class DropUnreadTest(parameterized.TestCase):
  @parameterized.named_parameters((use.__name__, use) for use in _DROPPED)
  def test_dropped(self, use):
    self.assertEqual(_initializer(use), ('NoOp', []))

  @parameterized.named_parameters((use.__name__, use) for use in _KEPT)
  def test_kept(self, use):
    op, inputs = _initializer(use)
    self.assertEqual((op, len(inputs)), ('AssignVariableOp', 2))

  def test_without_node_that_initializes(self):
    self.assertEqual(_initializer(_unused, '')[0], 'AssignVariableOp')

  def test_value_that_another_variable_begins_with_is_kept(self):
    with tf.Graph().as_default() as graph:
      variable = tf.Variable(lambda: tf.random.stateless_normal([], [1, 2]))
      with tf.control_dependencies([variable.initializer]):
        copy = tf.Variable(variable.read_value())
      tf.identity(copy.read_value(), 'result')
      tf.group(variable.initializer, copy.initializer, name='initialize')
    graph_def = graphs.cut(graph.as_graph_def(), ['result', 'initialize'])
    initial_values.drop_unread(graph_def, 'initialize')
    self.assertNotIn('NoOp', [node.op for node in graph_def.node if node.name != 'initialize'])

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
