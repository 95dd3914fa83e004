"""Tests that parts which do the same have the same content, whatever was traced before."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import canonical

_OURS = runtime.create_local_execution_context()


def _call_functions():
  @tf.function
  def add_one(x):
    return x + 1.0

  @tff.tensorflow.computation(np.float32)
  def add_two(x):
    return add_one(add_one(x))

  return add_two


def _loop_with_arguments_that_the_condition_ignores():
  @tff.tensorflow.computation(np.float32)
  def double_until_ten(x):
    @tf.function
    def double(x):
      return tf.while_loop(lambda x, _: x < 10, lambda x, step: (x * step, step), [x, 2.0])[0]

    return double(x)

  return double_until_ten


def _derivative(function):
  @tff.tensorflow.computation(np.float32)
  def differentiate(x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = function(x)
    return tape.gradient(y, x)

  return differentiate


def _gradient_of_a_loop():
  @tf.function
  def cube(x):
    return tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * x), [0, x])[1]

  return _derivative(cube)


def _gradient_of_a_users_own():
  @tf.custom_gradient
  def square(x):
    return x * x, lambda upstream: 3.0 * x * upstream

  return _derivative(square)


def _variable_with_a_first_value_of_no_seed():
  @tff.tensorflow.computation(np.float32)
  def double(x):
    @tf.function
    def write_and_add():
      variable.assign(x)
      return variable.assign_add(x)

    variable = tf.Variable(tf.keras.initializers.GlorotUniform()([]))
    return write_and_add()

  return double


# Each with an argument and its value.
_COMPUTATIONS = (
  (_call_functions, 1.0, 3.0),
  (_loop_with_arguments_that_the_condition_ignores, 3.0, 12.0),
  (_gradient_of_a_loop, 2.0, 12.0),
  (_gradient_of_a_users_own, 2.0, 6.0),
  (_variable_with_a_first_value_of_no_seed, 2.0, 4.0),
)


def _canonical(computation):
  return canonical.without_process(computation.to_compiled_building_block()).proto.tensorflow


class WithoutProcessTest(parameterized.TestCase):
  @parameterized.named_parameters((each[0].__name__, *each) for each in _COMPUTATIONS)
  def test_traced_again(self, make, argument, expected):
    first, second = make(), make()
    parts = [each.to_compiled_building_block().proto.tensorflow for each in (first, second)]
    self.assertNotEqual(*(part.SerializeToString(deterministic=True) for part in parts))
    contents = [_canonical(each).SerializeToString(deterministic=True) for each in (first, second)]
    self.assertEqual(*contents)
    with testing.installed(_OURS):
      self.assertEqual([first(argument), second(argument)], [expected, expected])

  def test_other_functions_and_values_differ(self):
    def add(value):
      return tff.tensorflow.computation(tf.function(lambda x: x + value), np.float32)

    self.assertNotEqual(_canonical(add(1.0)), _canonical(add(2.0)))

  def test_first_value_that_is_read_keeps_its_seed(self):
    @tff.tensorflow.computation
    def draw():
      return tf.Variable(tf.keras.initializers.GlorotUniform(seed=1)([2, 2])).read_value()

    part = draw.to_compiled_building_block()
    graphs = [tf.compat.v1.GraphDef(), tf.compat.v1.GraphDef()]
    for graph_def, each in zip(graphs, (part, canonical.without_process(part)), strict=True):
      each.proto.tensorflow.graph_def.Unpack(graph_def)
    seeds = [
      [node.attr['value'].tensor for node in each.node if 'seed' in node.name] for each in graphs
    ]
    self.assertNotEmpty(seeds[0])
    self.assertEqual(*seeds)

  def test_part_without_functions_is_left_alone(self):
    add = tff.tensorflow.computation(lambda x: x + 1, np.int32).to_compiled_building_block()
    self.assertIs(canonical.without_process(add), add)


class NumberFunctionsTest(absltest.TestCase):
  def test_by_first_call(self):
    graph_def = tf.compat.v1.GraphDef()
    for name, called in (('f_7', 'g_3'), ('g_3', ''), ('unused_5', '')):
      function = graph_def.library.function.add()
      function.signature.name = name
      for argument in ('x_1', 'unused_0', 'y_2'):
        function.signature.input_arg.add(name=argument)
      if called:
        function.node_def.add(name='call', op=called, input=['unused_0'])
      graph_def.library.gradient.add(function_name=name, gradient_func='g_3')
    node = graph_def.node.add(name='call', op='PartitionedCall')
    node.attr['f'].func.name = 'f_7'
    canonical.number_functions(graph_def)
    self.assertEqual([each.signature.name for each in graph_def.library.function], ['f_0', 'g_1'])
    first, second = graph_def.library.function
    self.assertEqual(first.node_def[0].op, 'g_1')
    # A name that is used is not given to another argument.
    arguments = [[each.name for each in f.signature.input_arg] for f in (first, second)]
    self.assertEqual(
      arguments, [['unused_1', 'unused_0', 'unused_2'], ['unused_0', 'unused_1', 'unused_2']]
    )
    gradients = [(each.function_name, each.gradient_func) for each in graph_def.library.gradient]
    self.assertEqual(gradients, [('f_0', 'g_1'), ('g_1', 'g_1')])
    self.assertEqual(node.attr['f'].func.name, 'f_0')


if __name__ == '__main__':
  absltest.main()
