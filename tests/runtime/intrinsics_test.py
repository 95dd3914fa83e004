"""Every intrinsic gives what it gives on TFF's own context."""

import collections

import grpc
import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg import runtime
from tff_lg.compatibility import tff

_INTS = tff.FederatedType(np.int32, tff.CLIENTS)
_FLOATS = tff.FederatedType(np.float32, tff.CLIENTS)
_ROWS = tff.FederatedType(collections.OrderedDict(b=np.int32, a=(np.float32, [2])), tff.CLIENTS)
_SEQUENCES = tff.FederatedType(tff.SequenceType(np.int64), tff.CLIENTS)


def setUpModule():
  global _STOCK, _OURS
  _STOCK, _OURS = testing.contexts(default_num_clients=2)


def _row(number):
  return collections.OrderedDict(b=number, a=np.array([number, 0.5], np.float32))


@tff.tensorflow.computation(np.int32)
def _double(x):
  return 2 * x


@tff.tensorflow.computation(np.int32, np.int32)
def _add(x, y):
  return x + y


@tff.federated_computation(_INTS, tff.FederatedType(np.int32, tff.SERVER))
def _mapped_with_broadcast(values, offset):
  offsets = tff.federated_broadcast(offset)
  return tff.federated_map(_add, (values, offsets)), tff.federated_map(_double, offset)


@tff.federated_computation(_ROWS)
def _sums(values):
  return tff.federated_sum(values), tff.federated_zip((values, values))


@tff.federated_computation(_FLOATS, _FLOATS)
def _means(values, weights):
  return tff.federated_mean(values), tff.federated_mean(values, weights)


@tff.federated_computation(_FLOATS)
def _extrema(values):
  return tff.federated_min(values), tff.federated_max(values)


@tff.federated_computation(_INTS)
def _secure(values):
  return (
    tff.federated_secure_sum(values, 10),
    tff.federated_secure_sum_bitwidth(values, 4),
    tff.backends.mapreduce.federated_secure_modular_sum(values, 7),
  )


@tff.federated_computation
def _values_and_evaluations():
  return (
    tff.federated_value(1, tff.CLIENTS),
    tff.federated_value(2.0, tff.SERVER),
    tff.federated_eval(tff.tensorflow.computation(lambda: 3), tff.CLIENTS),
    tff.federated_eval(tff.tensorflow.computation(lambda: tf.constant('x')), tff.SERVER),
    tff.federated_sum(tff.federated_value(5, tff.CLIENTS)),
  )


@tff.federated_computation(_ROWS)
def _aggregated(values):
  zero = tff.tensorflow.computation(lambda: collections.OrderedDict(n=0, total=tf.zeros([2])))()

  @tff.tensorflow.computation(zero.type_signature, _ROWS.member)
  def accumulate(total, row):
    return collections.OrderedDict(n=total['n'] + row['b'], total=total['total'] + row['a'])

  @tff.tensorflow.computation(zero.type_signature, zero.type_signature)
  def merge(x, y):
    return collections.OrderedDict(n=x['n'] + y['n'], total=x['total'] + y['total'])

  @tff.tensorflow.computation(zero.type_signature)
  def report(total):
    return total['total'], total['n']

  return tff.federated_aggregate(values, zero, accumulate, merge, report)


@tff.federated_computation(_SEQUENCES)
def _sequences(values):
  add = tff.tensorflow.computation(lambda x, y: x + y, (np.int64, np.int64))

  @tff.tensorflow.computation(np.int64)
  def pair(x):
    return collections.OrderedDict(b=x, a=tf.cast(x, tf.float32) / 2)

  @tff.federated_computation(_SEQUENCES.member)
  def at_client(sequence):
    return (
      tff.sequence_map(pair, sequence),
      tff.sequence_reduce(sequence, np.int64(10), add),
      tff.sequence_sum(sequence),
      tff.sequence_sum(tff.sequence_map(pair, sequence)),
    )

  return tff.federated_map(at_client, values)


def _selection(secure):
  intrinsic = tff.federated_secure_select if secure else tff.federated_select
  server_type = collections.OrderedDict(a=(np.float32, [4, 2]), b=(np.int32, [4]))

  @tff.tensorflow.computation(server_type, np.int32)
  def select(server, key):
    return collections.OrderedDict(a=server['a'][key], b=server['b'][key])

  @tff.federated_computation(
    tff.FederatedType((np.int32, [2]), tff.CLIENTS),
    tff.FederatedType(server_type, tff.SERVER),
  )
  def selection(keys, server):
    max_key = tff.federated_value(4, tff.SERVER)
    return intrinsic(keys, max_key, server, select)

  return selection


_CASES = {
  'map': (_mapped_with_broadcast, [1, 2, 3], 10),
  'sums': (_sums, [_row(1), _row(2)]),
  'means': (_means, [1.0, 2.0, 6.0], [1.0, 0.0, 3.0]),
  'mean_without_weight': (_means, [1.0, 2.0], [0.0, 0.0]),
  'extrema': (_extrema, [1.0, -2.0, 6.0]),
  'extrema_without_clients': (_extrema, []),
  'secure': (_secure, [3, 4, 10]),
  'values': (_values_and_evaluations,),
  'aggregate': (_aggregated, [_row(1), _row(2)]),
  'aggregate_without_clients': (_aggregated, []),
}
_SERVER = collections.OrderedDict(
  a=np.arange(8, dtype=np.float32).reshape(4, 2), b=np.arange(4, dtype=np.int32)
)
_KEYS = [np.array(keys, np.int32) for keys in ([3, 1], [0, 2], [1, 1])]


class SameOnBothTest(parameterized.TestCase):
  @parameterized.named_parameters((name, *case) for name, case in _CASES.items())
  def test_same(self, computation, *arguments):
    testing.assert_same_on_both(_STOCK, _OURS, computation, *arguments)

  @parameterized.parameters(False, True)
  def test_select(self, secure):
    testing.assert_same_on_both(_STOCK, _OURS, _selection(secure), _KEYS, _SERVER)

  def test_select_gives_elements_in_any_order_of_names_and_of_different_shapes(self):
    # TFF's own context confuses names out of order, and refuses different shapes.
    @tff.tensorflow.computation((np.int32, [4]), np.int32)
    def select(server, key):
      return collections.OrderedDict(b=server[:key], a=tf.cast(key, tf.float32))

    @tff.federated_computation(
      tff.FederatedType((np.int32, [2]), tff.CLIENTS),
      tff.FederatedType((np.int32, [4]), tff.SERVER),
    )
    def selection(keys, server):
      return tff.federated_select(keys, tff.federated_value(4, tff.SERVER), server, select)

    with testing.installed(_OURS):
      selected = selection(_KEYS[:2], np.array([5, 6, 7, 8], np.int32))
    elements = [[(e['b'].tolist(), e['a']) for e in s.as_numpy_iterator()] for s in selected]
    self.assertEqual(elements, [[([5, 6, 7], 3.0), ([5], 1.0)], [([], 0.0), ([5, 6], 2.0)]])

  @parameterized.named_parameters(
    ('data_sets', lambda *elements: tf.data.Dataset.from_tensor_slices(np.array(elements, int))),
    ('lists', lambda *elements: list(elements)),
  )
  def test_sequences(self, sequence):
    # TFF's own context refuses what `sequence_map` gives.
    with testing.installed(_OURS):
      (mapped, total, plain, named), empty = _sequences([sequence(1, 2), sequence()])
    expected = [collections.OrderedDict(b=b, a=a) for b, a in ((1, 0.5), (2, 1.0))]
    self.assertEqual(list(mapped.as_numpy_iterator()), expected)
    self.assertEqual((total, plain, named), (13, 3, collections.OrderedDict(b=3, a=1.5)))
    self.assertEqual(list(empty[0].as_numpy_iterator()), [])
    self.assertEqual(empty[1:], (10, 0, collections.OrderedDict(b=0, a=0.0)))

  @parameterized.named_parameters(
    ('max_value', lambda x: tff.federated_secure_sum(x, 10)),
    ('bitwidth', lambda x: tff.federated_secure_sum_bitwidth(x, 3)),
  )
  def test_secure_sums_check_the_range(self, secure_sum):
    computation = tff.federated_computation(secure_sum, _INTS)
    with testing.installed(_STOCK), self.assertRaises(grpc.RpcError):
      computation([1, 11])
    with testing.installed(_OURS):
      with self.assertRaisesRegex(
        runtime.ClientComputationError,
        'federated_aggregate failed at client 1: assertion failed: .*larger than maximum',
      ):
        computation([1, 11])

  def test_random_values_differ_by_client(self):
    @tff.federated_computation
    def draw():
      uniform = tff.tensorflow.computation(lambda: tf.random.uniform([4]))
      return tff.federated_map(
        tff.tensorflow.computation(lambda x: x, tff.TensorType(np.float32, [4])),
        tff.federated_eval(uniform, tff.CLIENTS),
      )

    @tff.federated_computation(tff.FederatedType(np.float32, tff.CLIENTS, all_equal=True))
    def noise(value):
      add = tff.tensorflow.computation(lambda x: x + tf.random.normal([]), np.float32)
      return tff.federated_map(add, value)

    with testing.installed(_OURS):
      first, second = draw()
      self.assertNotAllEqual(first, second)
      self.assertLen(set(map(float, noise(1.0))), 2)

  def assertNotAllEqual(self, first, second):  # noqa: N802, as absltest's own
    self.assertFalse(np.array_equal(first, second))


class ClientComputationErrorTest(absltest.TestCase):
  def test_names_intrinsic_client_and_what_tensorflow_says(self):
    @tff.tensorflow.computation(np.int32)
    def positive(x):
      with tf.control_dependencies([tf.debugging.assert_positive(x, message='not so')]):
        return tf.identity(x)

    computation = tff.federated_computation(lambda x: tff.federated_map(positive, x), _INTS)
    with testing.installed(_OURS):
      with self.assertRaises(runtime.ClientComputationError) as raised:
        computation([1, 2, -3, 4, -5])
      self.assertEqual(computation([1, 2]), [1, 2])
    error = raised.exception
    self.assertEqual((error.intrinsic, error.client_index), ('federated_map', 2))
    self.assertRegex(str(error), '^federated_map failed at client 2: assertion failed: .*not so')
    self.assertIsInstance(error.__cause__, tf.errors.InvalidArgumentError)

  def test_of_an_aggregation(self):
    @tff.tensorflow.computation(np.int32, np.int32)
    def accumulate(total, x):
      with tf.control_dependencies([tf.debugging.assert_positive(x, message='not so')]):
        return total + x

    @tff.federated_computation(_INTS)
    def computation(values):
      identity = tff.tensorflow.computation(lambda x: x, np.int32)
      return tff.federated_aggregate(values, 0, accumulate, _add, identity)

    with testing.installed(_OURS):
      with self.assertRaises(runtime.ClientComputationError) as raised:
        computation([1, -2])
    self.assertRegex(
      str(raised.exception), '^federated_aggregate failed at client 1: assertion failed: .*not so'
    )


if __name__ == '__main__':
  absltest.main()
