"""TensorFlow parts give the same once imported, and clients don't touch each other's state."""

import collections

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg.compatibility import tff
from tff_lg.runtime import cancellation, tensorflow_functions


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

  def test_variables_are_initial_at_every_call(self):
    part = tff.tensorflow.computation(_count_in_variable, np.int32)
    with testing.installed(_OURS):
      self.assertEqual([part(2), part(2)], [6, 6])


def _token():
  """Returns the string by which TensorFlow code that TFF traces knows its session."""
  return tff.framework.get_context_stack().current.session_token


def _token_in_data_set(x):
  token = _token()
  dataset = tf.data.Dataset.range(tf.cast(x, tf.int64))
  return dataset.map(lambda y: tf.strings.join([token, tf.strings.as_string(y)])).reduce(
    '', lambda text, more: tf.strings.join([text, more])
  )


def _token_in_variable(x):
  token = tf.Variable(_token)
  with tf.control_dependencies([token.assign(tf.strings.join([token, tf.strings.as_string(x)]))]):
    return token.read_value()


_TOKENS = {
  'result': (lambda x: (_token(), x), (b'tff_lg', 2)),
  'in_data_set': (_token_in_data_set, b'tff_lg0tff_lg1'),
  'in_variable': (_token_in_variable, b'tff_lg2'),
  'not_used': (lambda x: x, 2),
}


def _with_callers(part):
  """Returns the part, one that calls it, and a computation that maps it over clients."""
  part = tff.tensorflow.computation(part, np.int32)
  return (
    part,
    tff.tensorflow.computation(lambda x: part(x), np.int32),
    tff.federated_computation(
      lambda values: tff.federated_map(part, values), tff.FederatedType(np.int32, tff.CLIENTS)
    ),
  )


class LoopTest(absltest.TestCase):
  """Loops that make tensors of a computed shape, in parts that are called in a graph."""

  def test_conditional_rounding(self):
    inner = tff.aggregators.SumFactory()
    # Private in TFF; after `tff`, which it needs.
    from tensorflow_federated.python.aggregators import discretization

    factory = discretization.DiscretizationFactory(
      inner, scale_factor=1e4, stochastic=True, beta=0.6, prior_norm_bound=10.0
    )
    process = factory.create(tff.TensorType(np.float32, [2]))
    with testing.installed(_OURS):
      output = process.next(process.initialize(), [np.float32([1, 2]), np.float32([2, 3])])
    np.testing.assert_allclose(output.result, [3, 5], atol=1e-3)

  def test_heavy_hitters(self):
    # Whether it failed was by chance, so three.
    for capacity in (100, 101, 102):
      computation = tff.analytics.heavy_hitters.iblt.build_iblt_computation(
        capacity=capacity, string_max_bytes=8, repetitions=3, max_words_per_user=10, seed=capacity
      )
      words = [['hello', 'world'], ['hello'], ['x', 'hello']]
      data = [tf.data.Dataset.from_tensor_slices(of_client).batch(1) for of_client in words]
      with testing.installed(_OURS):
        output = computation(data)
      counts = dict(zip(output.heavy_hitters, output.heavy_hitters_counts, strict=True))
      self.assertEqual(counts, {b'hello': 3, b'world': 1, b'x': 1})


class InstantiationTest(absltest.TestCase):
  def test_runs_only_when_it_is_called(self):
    seen = []

    @tf.function
    def noted(x):
      return tf.numpy_function(lambda value: (seen.append(float(value)), value)[1], [x], tf.float32)

    concrete = noted.get_concrete_function(tf.TensorSpec([], tf.float32))
    function = tensorflow_functions.as_flat_function(concrete)
    with cancellation.Cancellation().scope():
      results = [float(function([tf.constant(x)])[0]) for x in (2.0, 3.0)]
    self.assertEqual((results, seen), ([2.0, 3.0], [2.0, 3.0]))


def _square(x):
  return tf.einsum('ij,jk->ik', x, x)


class RewritingTest(parameterized.TestCase):
  @parameterized.parameters(
    (lambda x: x + x, True),
    (lambda x: tf.nn.relu(x @ x), True),
    (lambda x: tf.scan(lambda state, row: tf.tanh(state @ x + row), x, tf.zeros([1, 2])), True),
    (lambda x: x[tf.newaxis] @ x[tf.newaxis], False),
    (lambda x: tf.nn.conv2d(x[tf.newaxis, ..., tf.newaxis], [[[[1.0]]]], 1, 'SAME'), False),
    (lambda x: tf.while_loop(lambda x: x[0, 0] < 9, _square, [x]), False),
  )
  def test_only_convolutions_and_batches_of_products_are_rewritten_again(self, function, expected):
    spec = tf.TensorSpec([2, 2], tf.float32)
    concrete = tf.function(function).get_concrete_function(spec)
    serialized = tensorflow_functions.rewriting_config(b'', concrete)
    config = tf.compat.v1.ConfigProto.FromString(serialized)
    rewriting = config.graph_options.rewrite_options
    self.assertEqual(rewriting.disable_meta_optimizer, expected)
    self.assertEqual(rewriting.meta_optimizer_iterations, rewriting.ONE)


class RowTest(absltest.TestCase):
  """Momentum of a weight of one row: TensorFlow takes it for a bias of the gradient."""

  def test_momentum_with_and_without_a_scope(self):
    x, y = np.float32([[1], [2], [3], [4]]), np.ones([4, 3], np.float32)
    weights, accumulator = np.float32([[0, 1, 2]]), np.float32([[4, 5, 6]])

    @tff.tensorflow.computation(
      *(tff.TensorType(np.float32, z.shape) for z in (weights, accumulator))
    )
    def train(weights, accumulator):
      def step(weights, batch):
        of_batch, labels = batch
        with tf.GradientTape() as tape:
          tape.watch(weights)
          loss = tf.reduce_sum(tf.square(tf.matmul(of_batch, weights) - labels))
        return weights - 0.01 * (0.5 * accumulator + tape.gradient(loss, weights))

      return tf.data.Dataset.from_tensor_slices((x, y)).batch(2).reduce(weights, step)

    expected = weights
    for half in (slice(2), slice(2, 4)):
      gradient = 2 * x[half].T @ (x[half] @ expected - y[half])
      expected = expected - 0.01 * (0.5 * accumulator + gradient)
    with testing.installed(_OURS):
      np.testing.assert_allclose(train(weights, accumulator), expected, rtol=1e-6)
    part = train.to_compiled_building_block().proto.tensorflow
    function = tensorflow_functions.import_computation(part)
    (result,) = function([tf.constant(weights), tf.constant(accumulator)])
    np.testing.assert_allclose(result, expected, rtol=1e-6)


class SessionTokenTest(parameterized.TestCase):
  @parameterized.named_parameters((name, *case) for name, case in _TOKENS.items())
  def test_of_a_part(self, part, expected):
    part = tff.tensorflow.computation(part, np.int32)
    proto = part.to_compiled_building_block().proto.tensorflow
    self.assertNotEmpty(proto.session_token_tensor_name)
    result = tensorflow_functions.import_computation(proto)([tf.constant(2)])
    self.assertEqual([x.numpy() for x in result], list(np.atleast_1d(np.array(expected, object))))

  # TFF's compiler drops the token's name, with which its own context fails.
  def test_of_a_compiled_part(self):
    for part, expected in _TOKENS.values():
      part, outer, at_clients = _with_callers(part)
      with testing.installed(_OURS):
        self.assertEqual((part(2), outer(2)), (expected, expected))
        self.assertEqual(at_clients([2, 2]), [expected, expected])


if __name__ == '__main__':
  absltest.main()
