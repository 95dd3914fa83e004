"""Arguments come in and results go out as with TFF's own context."""

import collections
from typing import NamedTuple

import attrs
import numpy as np
import tensorflow as tf
from absl.testing import absltest, parameterized

from tests.runtime import testing
from tff_lg.compatibility import tff


class _Point(NamedTuple):
  y: object
  x: object


@attrs.define
class _Pair:
  y: object
  x: object


def setUpModule():
  global _STOCK, _OURS
  _STOCK, _OURS = testing.contexts(default_num_clients=2)


def _identity(type_spec):
  """Returns a computation that gives its argument back, through TensorFlow where it can."""
  return tff.federated_computation(lambda argument: argument, tff.to_type(type_spec))


def _through_tensorflow(type_spec):
  if type(type_spec) is tff.StructType:
    return _identity(type_spec)  # In TensorFlow it has no container.

  def identity(argument):
    return tf.nest.map_structure(
      lambda leaf: leaf if isinstance(leaf, tf.data.Dataset) else tf.identity(leaf), argument
    )

  return tff.tensorflow.computation(identity, tff.to_type(type_spec), unpack=False)


_NAMED = collections.OrderedDict(b=np.int32, a=np.float32)

# Name: (type, value).
_VALUES = {
  'bool': (np.bool_, True),
  'int8': (np.int8, np.int8(-3)),
  'uint8': (np.uint8, np.uint8(200)),
  'int16': (np.int16, np.int16(-300)),
  'uint16': (np.uint16, np.uint16(300)),
  'uint32': (np.uint32, np.uint32(3)),
  'uint64': (np.uint64, np.uint64(2**63)),
  'int64': (np.int64, 2**40),
  'int_as_python': (np.int32, 5),
  'float_as_python': (np.float32, 0.5),
  'float16': (np.float16, np.float16(0.5)),
  'float64': (np.float64, 1 / 3),
  'bfloat16': (tf.bfloat16.as_numpy_dtype, tf.bfloat16.as_numpy_dtype(0.5)),
  'complex64': (np.complex64, np.complex64(1 + 2j)),
  'complex128': (np.complex128, 1 + 2j),
  'array': ((np.float32, [2, 2]), np.array([[1, 2], [3, 4]], np.float32)),
  'list_as_array': ((np.int32, [3]), [1, 2, 3]),
  'unknown_length': ((np.int32, [None]), np.array([1, 2], np.int32)),
  'no_elements': ((np.int32, [0]), np.zeros([0], np.int32)),
  'smaller_dtype': (np.int64, np.int32(7)),
  'eager_tensor': (np.float32, tf.constant(2.0)),
  'eager_tensor_of_smaller_dtype': (np.int64, tf.constant(2, tf.int32)),
  'string': (np.str_, 'abc'),
  'bytes': (np.str_, b'ab\x00\xff'),
  'numpy_string': (np.str_, np.str_('abc')),
  'string_array': ((np.str_, [2]), np.array(['a', 'bcd'])),
  'bytes_array': ((np.str_, [2]), np.array([b'a', b'bcd'])),
  'object_array': ((np.str_, [2]), np.array([b'a\x00', b'bcd'], object)),
  'string_list': ((np.str_, [2]), ['a', 'b']),
  'tuple': ((np.int32, np.float32), (1, 2.0)),
  'list': ([np.int32, np.float32], [1, 2.0]),
  'ordered_dict': (_NAMED, collections.OrderedDict(b=1, a=2.0)),
  'named_tuple': (_Point(np.int32, np.float32), _Point(1, 2.0)),
  'attrs': (
    tff.StructWithPythonType([('y', np.int32), ('x', np.float32)], _Pair),
    _Pair(1, 2.0),
  ),
  'named_struct': (tff.StructType([('b', np.int32), ('a', np.float32)]), {'b': 1, 'a': 2.0}),
  'unnamed_struct': (tff.StructType([np.int32, np.float32]), (1, 2.0)),
  'nested': (
    collections.OrderedDict(b=(np.int32, [_NAMED]), a=np.str_),
    collections.OrderedDict(b=(1, [collections.OrderedDict(b=1, a=2.0)]), a='x'),
  ),
  'empty_inside': (tff.StructType([np.int32, tff.StructType([])]), (1, ())),
  'sequence': (tff.SequenceType(np.int64), tf.data.Dataset.range(3)),
  'sequence_as_list': (tff.SequenceType(np.int32), [1, 2, 3]),
  'empty_sequence_as_list': (tff.SequenceType((np.int32, [2])), []),
  'sequence_of_batches': (tff.SequenceType((np.int64, [None])), tf.data.Dataset.range(3).batch(2)),
  'sequence_of_tuples': (
    tff.SequenceType((np.int64, np.int64)),
    tf.data.Dataset.range(3).map(lambda x: (x, 2 * x)),
  ),
  'sequence_of_named': (
    tff.SequenceType(collections.OrderedDict(b=np.int64, a=np.int64)),
    tf.data.Dataset.range(3).map(lambda x: collections.OrderedDict(b=x, a=2 * x)),
  ),
  'sequence_of_strings': (
    tff.SequenceType(np.str_),
    tf.data.Dataset.from_tensor_slices(['a', 'b']),
  ),
  'sequence_in_struct': (
    collections.OrderedDict(b=tff.SequenceType(np.int64), a=np.int32),
    collections.OrderedDict(b=tf.data.Dataset.range(3), a=1),
  ),
}


class SameOnBothTest(parameterized.TestCase):
  @parameterized.named_parameters((name, *case) for name, case in _VALUES.items())
  def test_alone(self, value_type, value):
    testing.assert_same_on_both(_STOCK, _OURS, _through_tensorflow(value_type), value)

  @parameterized.named_parameters((name, *case) for name, case in _VALUES.items())
  def test_placed(self, value_type, value):
    value_type = tff.to_type(value_type)
    for federated_type, argument in (
      (tff.FederatedType(value_type, tff.SERVER), value),
      (tff.FederatedType(value_type, tff.CLIENTS), [value, value]),
    ):
      testing.assert_same_on_both(_STOCK, _OURS, _identity(federated_type), argument)

  def test_structure_without_elements(self):
    testing.assert_same_on_both(_STOCK, _OURS, _identity(tff.StructType([])), ())

  def test_strings_are_utf8(self):
    # TFF's own context takes ASCII only.
    with testing.installed(_OURS):
      self.assertEqual(_through_tensorflow(np.str_)('é€').decode(), 'é€')

  def test_all_equal_at_clients(self):
    computation = _identity(tff.FederatedType(np.int32, tff.CLIENTS, all_equal=True))
    testing.assert_same_on_both(_STOCK, _OURS, computation, 3)

  def test_struct_of_placed(self):
    computation = _identity(
      collections.OrderedDict(
        b=tff.FederatedType(np.int32, tff.CLIENTS), a=tff.FederatedType(np.int32, tff.SERVER)
      )
    )
    testing.assert_same_on_both(_STOCK, _OURS, computation, collections.OrderedDict(b=[1, 2], a=3))


_WRONG = {
  'dtype': (np.int32, 1.5),
  'bool_for_int': (np.int32, True),
  'int_for_float': (np.float32, np.int32(1)),
  'too_big': (np.int8, 1000),
  'string_for_int': (np.int32, 'a'),
  'shape': ((np.int32, [2]), np.array([1, 2, 3], np.int32)),
  'rank': ((np.int32, [2]), np.int32(1)),
  'list_dtype': ((np.int32, [2]), [1.5, 2.5]),
  'few_elements': ((np.int32, np.int32), (1,)),
  'no_structure': ((np.int32, np.int32), 1),
  'sequence': (tff.SequenceType(np.int32), 3),
  'element': (tff.SequenceType(np.int32), tf.data.Dataset.range(3)),
  'clients': (tff.FederatedType(np.int32, tff.CLIENTS), 3),
  'member': (tff.FederatedType(np.int32, tff.CLIENTS), [1, 2.5]),
  'tensor_dtype': (np.int32, tf.constant(1.5)),
  'nothing': (np.int32, None),
}


class ErrorsTest(parameterized.TestCase):
  @parameterized.named_parameters((name, *case) for name, case in _WRONG.items())
  def test_type_error_as_tffs(self, value_type, value):
    computation = _identity(value_type)
    errors = []
    for context in (_STOCK, _OURS):
      with testing.installed(context):
        with self.assertRaises(Exception) as raised:
          computation(value)
      errors.append(raised.exception)
    theirs, ours = errors
    if not isinstance(ours, TypeError):
      self.assertIs(type(ours), type(theirs))

  def test_names_must_be_the_types(self):
    # TFF's own context would take the elements by their order.
    computation = _identity((tff.to_type(_NAMED), np.int32))
    with testing.installed(_OURS), self.assertRaisesRegex(TypeError, 'element a found'):
      computation(collections.OrderedDict(a=2.0, b=1), 1)


if __name__ == '__main__':
  absltest.main()
