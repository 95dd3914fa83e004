"""Data sets whose iterations differ give the same for the same call, as on TFF's own runtime."""

import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg.compatibility import tff
from tff_lg.runtime import sequences

# The second stands for a GPU; TensorFlow must not have started yet.
tf.config.set_logical_device_configuration(
  tf.config.list_physical_devices('CPU')[0], [tf.config.LogicalDeviceConfiguration()] * 2
)

_SEQUENCE = tff.SequenceType(np.int64)
_DATA = tff.FederatedType(_SEQUENCE, tff.CLIENTS)


def setUpModule():
  global _STOCK, _OURS
  _STOCK, _OURS = testing.contexts(clients_per_device=2)


def _shuffled(**options):
  return tf.data.Dataset.range(8).shuffle(8, seed=3, **options)


_DATA_SETS = {
  'shuffled': _shuffled,
  'under_others': lambda: _shuffled().map(lambda x: x + 1).prefetch(2),
  'repeated': lambda: _shuffled().repeat(2),
  'twice': lambda: _shuffled().shuffle(8, seed=4),
  'zipped': lambda: tf.data.Dataset.zip(_shuffled(), _shuffled()).map(lambda x, y: 10 * x + y),
  'same_order': lambda: _shuffled(reshuffle_each_iteration=False),
  'random': lambda: (
    tf.data.Dataset.random(seed=4, rerandomize_each_iteration=True).take(4).map(lambda x: x % 10)
  ),
  'not_shuffled': lambda: tf.data.Dataset.range(3),
}


def _elements(data):
  return data.reduce(np.zeros([0], np.int64), lambda found, x: tf.concat([found, [x]], 0))


def _at_clients(function):
  part = tff.tensorflow.computation(function, _SEQUENCE)
  return tff.federated_computation(lambda data: tff.federated_map(part, data), _DATA)


class SameCallTest(parameterized.TestCase):
  @parameterized.named_parameters(_DATA_SETS.items())
  def test_again(self, build):
    computation, data = _at_clients(_elements), [build(), tf.data.Dataset.range(2), build()]
    for _ in range(3):
      testing.assert_same_on_both(_STOCK, _OURS, computation, data)

  def test_two_parts(self):
    first = tff.tensorflow.computation(_elements, _SEQUENCE)
    second = tff.tensorflow.computation(lambda data: 2 * _elements(data), _SEQUENCE)

    @tff.federated_computation(_DATA)
    def computation(data):
      pairs = tff.federated_zip((data, tff.federated_map(first, data)))
      again = tff.federated_computation(lambda pair: (first(pair[0]), second(pair[0])))
      return tff.federated_map(first, data), tff.federated_map(again, pairs)

    for _ in range(3):
      testing.assert_same_on_both(_STOCK, _OURS, computation, [_shuffled(), _shuffled()])

  def test_iterations_of_one_call_differ(self):
    computation = _at_clients(lambda data: (_elements(data), _elements(data.repeat(3))))
    with testing.installed(_OURS):
      ((once, repeated),) = computation([_shuffled()])
    self.assertCountEqual(once, range(8))
    orders = {tuple(order) for order in np.reshape(repeated, [3, 8])}
    self.assertLen(orders, 3)

  def test_at_the_server_and_as_result(self):
    @tff.tensorflow.computation(_SEQUENCE)
    def squared(data):
      return data.map(lambda x: x * x)

    data = _shuffled()
    with testing.installed(_OURS):
      first, second = (list(squared(data).as_numpy_iterator()) for _ in range(2))
    self.assertEqual(first, second)


class ToDataSetTest(absltest.TestCase):
  def test_the_first_cpu_has_what_another_device_returns(self):
    @tf.function
    def squares():
      return tf.data.experimental.to_variant(tf.data.Dataset.range(3).map(lambda x: x * x))

    with tf.device('cpu:1'):
      variant = squares()
      data = sequences.to_data_set(variant, tf.TensorSpec([], tf.int64))
    self.assertEndsWith(variant.device, 'CPU:1')  # As of a GPU, where no iterator may be.
    self.assertEndsWith(data._variant_tensor.device, 'CPU:0')
    self.assertEqual(list(data.as_numpy_iterator()), [0, 1, 4])

  def test_a_result(self):
    squared = tff.tensorflow.computation(lambda data: data.map(lambda x: x * x), _SEQUENCE)
    with testing.installed(_OURS), tf.device('cpu:1'):
      data = squared([1, 2, 3])
    self.assertEndsWith(data._variant_tensor.device, 'CPU:0')
    self.assertEqual(list(data.as_numpy_iterator()), [1, 4, 9])


class TensorTest(parameterized.TestCase):
  def test_only_what_differs_is_serialized(self):
    unseeded = tf.data.Dataset.range(8).shuffle(8)
    for data in (_DATA_SETS['not_shuffled'](), _DATA_SETS['same_order'](), unseeded):
      self.assertEqual(sequences.to_tensor(data).dtype, tf.variant)
    self.assertEqual(sequences.to_tensor(_shuffled().batch(2)).dtype, tf.string)


if __name__ == '__main__':
  absltest.main()
