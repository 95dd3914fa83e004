"""Values of the interpreter on their way to another process and back.

Packed, a tensor is an array, a structure a tuple, and a sequence its elements.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.runtime import tff_internals as internals


@dataclasses.dataclass(frozen=True)
class Elements:
  """A packed sequence.

  Attributes:
    columns: its elements' arrays, those of equal shapes in a row stacked.
    specs: of an element's arrays.
  """

  columns: list[list[np.ndarray]]
  specs: list[tf.TensorSpec]


def num_bytes(tensor: tf.Tensor) -> int:
  """Returns a tensor's size, without what strings and sequences hold."""
  return tensor.shape.num_elements() * tensor.dtype.size


def to_array(tensor: tf.Tensor) -> np.ndarray:
  """Returns a tensor's array; strings as objects, as NumPy's own end at a zero byte."""
  return np.asarray(tensor.numpy(), object if tensor.dtype == tf.string else None)


def pack(
  value: Any, value_type: tff.Type, pack_tensor: Callable[[tf.Tensor], Any] = to_array
) -> Any:
  """Packs a value, which is not one at clients.

  Args:
    value: as the interpreter has it.
    value_type: its type.
    pack_tensor: what to make of a tensor.

  Raises:
    ValueError: a sequence without an end.
  """
  if isinstance(value_type, tff.StructType):
    pairs = zip(value, value_type, strict=True)
    return tuple([pack(element, of_type, pack_tensor) for element, of_type in pairs])
  if not isinstance(value_type, tff.SequenceType):
    return pack_tensor(value)
  with tf.device('cpu:0'):
    dataset = internals.dataset_from_variant(value, value_type.element)
    if dataset.cardinality() == tf.data.INFINITE_CARDINALITY:
      raise ValueError(
        "A client's data set has no end, so its elements cannot be sent to a Ray actor: repeat it "
        'a number of times, or give tensors.'
      )
    elements = internals.elements_of_variant(value, value_type.element)
    columns, specs = internals.columns_of_elements(elements, value_type.element)
  return Elements([list(map(to_array, column)) for column in columns], specs)


def to_tensor(array: np.ndarray) -> tf.Tensor:
  """Returns the tensor whose array it is."""
  return tf.convert_to_tensor(array, tf.string if array.dtype == object else None)


def unpack(value: Any, unpack_tensor: Callable[[Any], tf.Tensor] = to_tensor) -> Any:
  """Returns the value that was packed.

  Args:
    value: as `pack` returned it.
    unpack_tensor: makes a tensor again of what `pack_tensor` made of it.
  """
  if isinstance(value, tuple):
    return tuple([unpack(element, unpack_tensor) for element in value])
  if isinstance(value, Elements):
    with tf.device('cpu:0'):
      columns = [list(map(to_tensor, column)) for column in value.columns]
      return internals.variant_of_columns(columns, value.specs)
  return unpack_tensor(value)
