"""Values on their way into the interpreter and out of it.

Inside, a tensor is an eager tensor, a sequence its variant tensor, a structure a plain
tuple, a functional value a callable. A value at the server is itself; values at
clients are `AtClients`, or one `AllEqual` value that all of them share.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff

from tff_lg.runtime import tff_internals as internals


@dataclasses.dataclass(frozen=True)
class AtClients:
  """One value for each client, in their order."""

  members: list[Any]


@dataclasses.dataclass(frozen=True)
class AllEqual:
  """One value that all clients have."""

  value: Any


def members(value: AtClients | AllEqual, num_clients: int) -> list[Any]:
  """The value at each of `num_clients` clients."""
  return [value.value] * num_clients if isinstance(value, AllEqual) else value.members


def ingest(
  value: Any, value_type: tff.Type, embed: Callable[[tff.framework.ConcreteComputation], Callable]
) -> Any:
  """Takes a Python value in.

  Args:
    value: as given by the caller of a computation.
    value_type: what the computation expects.
    embed: turns a computation, as argument, into a callable.

  Returns:
    The value as the interpreter has it.

  Raises:
    TypeError: the value is not of the type.
  """
  if isinstance(value_type, tff.FederatedType):
    if value_type.all_equal:
      member = ingest(value, value_type.member, embed)
      return AllEqual(member) if value_type.placement is tff.CLIENTS else member
    if not isinstance(value, (list, tuple)):
      raise TypeError(f'Expected a list of values of type {value_type}, found {type(value)}.')
    return AtClients([ingest(element, value_type.member, embed) for element in value])
  if isinstance(value_type, tff.FunctionType):
    if not isinstance(value, tff.framework.ConcreteComputation):
      raise TypeError(f'Expected a computation of type {value_type}, found {type(value)}.')
    value_type.check_assignable_from(value.type_signature)
    return embed(value)
  if isinstance(value_type, tff.SequenceType):
    return _sequence(value, value_type)
  if isinstance(value_type, tff.StructType):
    elements = _elements(value, value_type)
    return tuple(
      ingest(element, element_type, embed)
      for element, element_type in zip(elements, value_type, strict=True)
    )
  if isinstance(value_type, tff.TensorType):
    return tensor(value, value_type)
  raise TypeError(f'A value of type {value_type} cannot be an argument.')


def tensor(value: Any, tensor_type: tff.TensorType) -> tf.Tensor:
  """An eager tensor of the type.

  Raises:
    TypeError: the value has another dtype or shape.
  """
  if isinstance(value, tf.Variable):
    value = value.read_value()
  if isinstance(value, tf.Tensor):
    dtype, shape = tf.as_dtype(tensor_type.dtype.type), tf.TensorShape(tensor_type.shape)
    if value.dtype == dtype and shape.is_compatible_with(value.shape):
      return value
    value = value.numpy()
  array = internals.check_array(value, tensor_type)
  if tensor_type.dtype.type is np.str_:
    return tf.constant(array, tf.string)
  return tf.convert_to_tensor(array, tf.as_dtype(tensor_type.dtype.type))


def _elements(value: Any, struct_type: tff.StructType) -> list[Any]:
  """A container's elements in the order of the type's, names checked."""
  container = internals.from_container(value)
  expected = internals.type_elements(struct_type)
  if len(container) != len(expected):
    raise TypeError(
      f'Value {value} does not match type {struct_type}: it has {len(container)} elements, '
      f'expected {len(expected)}.'
    )
  for (name, _), (expected_name, _) in zip(container, expected, strict=True):
    if name not in (None, expected_name):
      raise TypeError(
        f'Value {value} does not match type {struct_type}: element {name} found, expected '
        f'{expected_name}.'
      )
  return [element for _, element in container]


def _sequence(value: Any, sequence_type: tff.SequenceType) -> tf.Tensor:
  """The variant tensor of a data set, or of a list of elements."""
  with tf.device('cpu:0'):
    if isinstance(value, list):
      value = internals.dataset_from_elements(value, sequence_type.element)
    if not isinstance(value, tf.data.Dataset):
      raise TypeError(f'Expected a data set or a list for {sequence_type}, found {type(value)}.')
    found = tff.SequenceType(tff.types.tensorflow_to_type(value.element_spec))
    sequence_type.check_assignable_from(found)
    return tf.data.experimental.to_variant(value)


def release(value: Any, value_type: tff.Type) -> Any:
  """Gives a value out: NumPy arrays, data sets, and structures of TFF's own kind.

  Args:
    value: as the interpreter has it.
    value_type: its type.

  Returns:
    The value, for `type_to_py_container` to put into the caller's containers.
  """
  if isinstance(value_type, tff.FederatedType):
    if value_type.all_equal:
      return release(value.value if isinstance(value, AllEqual) else value, value_type.member)
    return [release(member, value_type.member) for member in value.members]
  if isinstance(value_type, tff.SequenceType):
    with tf.device('cpu:0'):
      return internals.dataset_from_variant(value, value_type.element)
  if isinstance(value_type, tff.StructType):
    return internals.struct(
      (name, release(element, element_type))
      for element, (name, element_type) in zip(
        value, internals.type_elements(value_type), strict=True
      )
    )
  if isinstance(value_type, tff.TensorType):
    return value.numpy()
  raise TypeError(f'A value of type {value_type} cannot be a result.')
