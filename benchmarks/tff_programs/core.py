"""Programs about TFF's language: intrinsics, sequences and structures."""

import collections
from typing import NamedTuple

import attrs
import numpy as np
import tensorflow as tf

from benchmarks.tff_programs import program
from tff_lg.compatibility import tff

FEDERATED = program.Programs('tff')
TENSORFLOW = program.Programs('tff.tensorflow')

_INTS = tff.FederatedType(np.int32, tff.CLIENTS)
_FLOATS = tff.FederatedType(np.float32, tff.CLIENTS)
_AT_SERVER = tff.FederatedType(np.int32, tff.SERVER)
_ROW = tff.to_type(collections.OrderedDict(b=np.int32, a=(np.float32, [2])))
_ROWS = tff.FederatedType(_ROW, tff.CLIENTS)
_NUMBERS = tff.TensorType(np.float32, [2])


def _row(number: int) -> collections.OrderedDict:
  return collections.OrderedDict(b=number, a=np.array([number, 0.5], np.float32))


def _data(*numbers: int) -> tf.data.Dataset:
  return tf.data.Dataset.from_tensor_slices(np.array(numbers, np.int64))


@tff.tensorflow.computation(np.int32, np.int32)
def _add(x, y):
  return x + y


@FEDERATED.add(([11, 12, 13], 20))
def federated_map_and_broadcast():
  @tff.federated_computation(_INTS, _AT_SERVER)
  def computation(values, offset):
    double = tff.tensorflow.computation(lambda x: 2 * x, np.int32)
    offsets = tff.federated_broadcast(offset)
    return tff.federated_map(_add, (values, offsets)), tff.federated_map(double, offset)

  return lambda: computation([1, 2, 3], 10)


@FEDERATED.add({'b': 3, 'a': [3.0, 1.0]})
def federated_sum():
  computation = tff.federated_computation(tff.federated_sum, _ROWS)
  return lambda: computation([_row(1), _row(2)])


@FEDERATED.add((3.0, 4.75))
def federated_mean():
  @tff.federated_computation(_FLOATS, _FLOATS)
  def computation(values, weights):
    return tff.federated_mean(values), tff.federated_mean(values, weights)

  return lambda: computation([1.0, 2.0, 6.0], [1.0, 0.0, 3.0])


@FEDERATED.add((-2.0, 6.0))
def federated_min_and_max():
  @tff.federated_computation(_FLOATS)
  def computation(values):
    return tff.federated_min(values), tff.federated_max(values)

  return lambda: computation([1.0, -2.0, 6.0])


@FEDERATED.add((17, 17, 17 % 7))
def secure_sums():
  @tff.federated_computation(_INTS)
  def computation(values):
    return (
      tff.federated_secure_sum(values, 10),
      tff.federated_secure_sum_bitwidth(values, 4),
      tff.backends.mapreduce.federated_secure_modular_sum(values, 7),
    )

  return lambda: computation([3, 4, 10])


@FEDERATED.add((2.0, [3, 3], 'x', 10))
def federated_value_and_eval():
  @tff.federated_computation(_INTS)
  def computation(values):
    three = tff.federated_eval(tff.tensorflow.computation(lambda: 3), tff.CLIENTS)
    add = tff.federated_map(_add, (values, tff.federated_value(5, tff.CLIENTS)))
    return (
      tff.federated_value(2.0, tff.SERVER),
      three,
      tff.federated_eval(tff.tensorflow.computation(lambda: tf.constant('x')), tff.SERVER),
      tff.federated_sum(add),
    )

  return lambda: computation([0, 0])


@FEDERATED.add([({'b': 1, 'a': [1.0, 0.5]}, 4), ({'b': 2, 'a': [2.0, 0.5]}, 5)])
def federated_zip():
  @tff.federated_computation(_ROWS, _INTS)
  def computation(rows, numbers):
    return tff.federated_zip((rows, numbers))

  return lambda: computation([_row(1), _row(2)], [4, 5])


@FEDERATED.add(([3.0, 1.0], 3))
def federated_aggregate():
  zero_type = tff.to_type(collections.OrderedDict(n=np.int32, total=(np.float32, [2])))

  @tff.tensorflow.computation
  def zero():
    return collections.OrderedDict(n=0, total=tf.zeros([2]))

  @tff.tensorflow.computation(zero_type, _ROW)
  def accumulate(total, row):
    return collections.OrderedDict(n=total['n'] + row['b'], total=total['total'] + row['a'])

  @tff.tensorflow.computation(zero_type, zero_type)
  def merge(x, y):
    return collections.OrderedDict(n=x['n'] + y['n'], total=x['total'] + y['total'])

  @tff.tensorflow.computation(zero_type)
  def report(total):
    return total['total'], total['n']

  @tff.federated_computation(_ROWS)
  def computation(rows):
    return tff.federated_aggregate(rows, zero(), accumulate, merge, report)

  return lambda: computation([_row(1), _row(2)])


_TABLE = np.arange(8, dtype=np.float32).reshape(4, 2)
_SELECTED = [[[6.0, 7.0], [2.0, 3.0]], [[0.0, 1.0], [4.0, 5.0]]]


def _selection(intrinsic):
  @tff.tensorflow.computation((np.float32, [4, 2]), np.int32)
  def select(table, key):
    return tf.gather(table, key)

  @tff.federated_computation(
    tff.FederatedType((np.int32, [2]), tff.CLIENTS),
    tff.FederatedType((np.float32, [4, 2]), tff.SERVER),
  )
  def computation(keys, table):
    return intrinsic(keys, tff.federated_value(4, tff.SERVER), table, select)

  return lambda: computation([np.array(keys, np.int32) for keys in ([3, 1], [0, 2])], _TABLE)


@FEDERATED.add(_SELECTED)
def federated_select():
  return _selection(tff.federated_select)


@FEDERATED.add(_SELECTED)
def federated_secure_select():
  return _selection(tff.federated_secure_select)


@FEDERATED.add([13, 10])
def sequence_reduce():
  numbers = tff.SequenceType(np.int64)
  add = tff.tensorflow.computation(lambda x, y: x + y, (np.int64, np.int64))

  @tff.federated_computation(numbers)
  def at_client(sequence):
    return tff.sequence_reduce(sequence, np.int64(10), add)

  @tff.federated_computation(tff.FederatedType(numbers, tff.CLIENTS))
  def computation(sequences):
    return tff.federated_map(at_client, sequences)

  return lambda: computation([_data(1, 2), _data()])


@FEDERATED.add([{'b': 3, 'a': 1.5}, {'b': 0, 'a': 0.0}])
def sequence_map_and_sum():
  numbers = tff.SequenceType(np.int64)

  @tff.tensorflow.computation(np.int64)
  def pair(x):
    return collections.OrderedDict(b=x, a=tf.cast(x, tf.float32) / 2)

  @tff.federated_computation(numbers)
  def at_client(sequence):
    return tff.sequence_sum(tff.sequence_map(pair, sequence))

  @tff.federated_computation(tff.FederatedType(numbers, tff.CLIENTS))
  def computation(sequences):
    return tff.federated_map(at_client, sequences)

  return lambda: computation([_data(1, 2), _data()])


@FEDERATED.add([[2, 4], []])
def sequence_map_of_a_list():
  numbers = tff.SequenceType(np.int64)
  double = tff.tensorflow.computation(lambda x: 2 * x, np.int64)

  @tff.federated_computation(tff.FederatedType(numbers, tff.CLIENTS))
  def computation(sequences):
    at_client = tff.federated_computation(lambda x: tff.sequence_map(double, x), numbers)
    return tff.federated_map(at_client, sequences)

  return lambda: computation([[1, 2], []])


@FEDERATED.add((0, [], 0.0))
def no_clients():
  @tff.federated_computation(_INTS, _FLOATS)
  def computation(numbers, floats):
    return tff.federated_sum(numbers), numbers, tff.federated_sum(floats)

  return lambda: computation([], [])


@FEDERATED.add((5, (7, 12)))
def computations_call_computations():
  @tff.federated_computation(tff.FunctionType((np.int32, np.int32), np.int32), np.int32)
  def twice(function, x):
    return function(x, function(x, 2))

  @tff.federated_computation(np.int32)
  def computation(x):
    return x, (_add(x, 2), twice(_add, x))

  return lambda: computation(5)


@FEDERATED.add((3, [1.5, 2.5]))
def values_of_python():
  @tff.federated_computation(np.int32)
  def computation(x):
    constant = tff.to_value(np.array([1.5, 2.5], np.float32), type_spec=_NUMBERS)
    return x, constant

  return lambda: computation(3)


@TENSORFLOW.add({'sum': 6.0, 'rows': [[1, 2], [3, 4]]})
def computation_with_a_data_set():
  @tff.tensorflow.computation(tff.SequenceType(np.float32), (np.int32, [None, 2]))
  def computation(data, rows):
    total = data.reduce(0.0, lambda x, y: x + y)
    return collections.OrderedDict(sum=total, rows=rows)

  data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])
  return lambda: computation(data, np.array([[1, 2], [3, 4]], np.int32))


@TENSORFLOW.add([1, 4, 9])
def computation_gives_a_data_set():
  computation = tff.tensorflow.computation(
    lambda data: data.map(lambda x: x * x), tff.SequenceType(np.int64)
  )
  return lambda: computation(_data(1, 2, 3))


@TENSORFLOW.add((True, 2, 2, 2.5, 1 + 2j, 'ü'.encode()))
def types_of_numbers():
  types = (np.bool_, np.uint8, np.int64, np.float64, np.complex64, np.str_)
  computation = tff.tensorflow.computation(lambda a, b, c, d, e, f: (a, b, c, d, e, f), *types)
  return lambda: computation(True, 2, 2, 2.5, 1 + 2j, 'ü')


@TENSORFLOW.add([10, 45])
def loops_and_variables():
  @tff.tensorflow.computation(np.int32)
  def count(limit):
    @tf.function
    def add_up(limit):
      total = 0
      for number in tf.range(limit):
        total += number
      return total

    total = tf.Variable(0)
    with tf.control_dependencies([total.assign(add_up(limit))]):
      return total.read_value()

  computation = tff.federated_computation(lambda x: tff.federated_map(count, x), _INTS)
  return lambda: computation([5, 10])


class _Point(NamedTuple):
  x: float
  y: float


@attrs.define
class _Line:
  start: float
  end: float


@TENSORFLOW.add((3.0, 4.0, ['_Point', '_Line', 'OrderedDict']))
def structures_of_python():
  @tff.tensorflow.computation(np.float32)
  def computation(x):
    return _Point(x, x + 1), _Line(x, x), collections.OrderedDict(empty=(), x=x)

  def call():
    point, line, named = computation(3.0)
    return point.x, point.y, [type(each).__name__ for each in (point, line, named)]

  return call


@TENSORFLOW.add(([[0.0, 2.0], [0.0, 0.0]], [[1, 2], [3]]))
def sparse_and_ragged_tensors():
  @tff.tensorflow.computation(np.float32)
  def computation(x):
    sparse = tf.SparseTensor([[0, 1]], [x], [2, 2])
    ragged = tf.RaggedTensor.from_row_lengths(tf.constant([1, 2, 3]), [2, 1])
    return tf.sparse.to_dense(sparse), ragged.to_tensor()

  def call():
    dense, ragged = computation(2.0)
    return dense, [[number for number in row if number] for row in ragged.tolist()]

  return call


@TENSORFLOW.add([[0.0, 0.0], [1.0, 1.0]])
def keras_layer():
  @tff.tensorflow.computation((np.float32, [None, 1]))
  def computation(x):
    layer = tf.keras.layers.Dense(2, kernel_initializer='ones', activation='relu')
    return layer(x)

  return lambda: computation(np.array([[-1.0], [1.0]], np.float32))
