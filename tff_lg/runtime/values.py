"""Values on their way into the interpreter and out of it.

Inside, a tensor is an eager tensor, a sequence as `sequences` has it, a structure a plain
tuple, a functional value a callable. A value at the server is itself; values at
clients are `AtClients`, or one `AllEqual` value that all of them share.

Converters are built once per type: a round has hundreds of values.
"""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.runtime import sequences
from tff_lg.runtime import tff_internals as internals


@dataclasses.dataclass(frozen=True)
class AtClients:
  """One value for each client, in their order."""

  members: list[Any]


@dataclasses.dataclass(frozen=True)
class AllEqual:
  """One value that all clients have."""

  value: Any


class Pending:
  """A value that other processes are working out, until it is needed; for one thread."""

  def __init__(self, wait: Callable[[], Any]) -> None:
    """Takes what waits for the value and returns it, or raises what failed."""
    self._wait: Callable[[], Any] | None = wait
    self._value: Any = None

  # No `cached_property`: in Python 3.11 one lock of all threads is held while it waits.
  @property
  def value(self) -> Any:
    """The value; what failed is raised."""
    if self._wait is not None:
      self._value = self._wait()
      self._wait = None  # And what it holds.
    return self._value


def settled(value: Any) -> Any:
  """Returns the value, waited for if it is pending."""
  return value.value if isinstance(value, Pending) else value


def members(value: AtClients | AllEqual, num_clients: int) -> list[Any]:
  """Returns the value at each of `num_clients` clients."""
  return [value.value] * num_clients if isinstance(value, AllEqual) else value.members


Embed = Callable[[tff.framework.ConcreteComputation], Callable]
Ingest = Callable[[Any, Embed], Any]
Release = Callable[[Any], Any]


def build_ingest(value_type: tff.Type) -> Ingest:
  """Builds what takes in Python values of a type.

  Args:
    value_type: what a computation expects.

  Returns:
    A function (value, embed) -> the value as the interpreter has it. The value comes from the
    caller of a computation. `embed` turns a computation that is an argument into a callable. The
    function raises TypeError if the value is not of the type.
  """
  if isinstance(value_type, tff.FederatedType):
    return _build_placed_ingest(value_type)
  if isinstance(value_type, tff.FunctionType):
    return functools.partial(_ingest_function, value_type)
  if isinstance(value_type, tff.SequenceType):
    return lambda value, embed: _ingest_sequence(value, value_type)
  if isinstance(value_type, tff.StructType):
    ingests = [build_ingest(element_type) for element_type in value_type]
    elements_of = _build_elements(value_type)
    return lambda value, embed: tuple(
      [ingest(element, embed) for ingest, element in zip(ingests, elements_of(value), strict=True)]
    )
  if isinstance(value_type, tff.TensorType):
    ingest = build_tensor(value_type)
    return lambda value, embed: ingest(value)
  raise TypeError(f'A value of type {value_type} cannot be an argument.')


def _build_placed_ingest(value_type: tff.FederatedType) -> Ingest:
  member = build_ingest(value_type.member)
  if value_type.all_equal:
    if value_type.placement is tff.CLIENTS:
      return lambda value, embed: AllEqual(member(value, embed))
    return member

  def ingest(value: Any, embed: Embed) -> AtClients:
    if not isinstance(value, (list, tuple)):
      raise TypeError(f'Expected a list of values of type {value_type}, found {type(value)}.')
    return AtClients([member(element, embed) for element in value])

  return ingest


def _ingest_function(function_type: tff.FunctionType, value: Any, embed: Embed) -> Callable:
  if not isinstance(value, tff.framework.ConcreteComputation):
    raise TypeError(f'Expected a computation of type {function_type}, found {type(value)}.')
  function_type.check_assignable_from(value.type_signature)
  return embed(value)


def build_tensor(tensor_type: tff.TensorType) -> Callable[[Any], tf.Tensor]:
  """Builds what makes an eager tensor of the type; it raises TypeError for another one."""
  dtype, shape = tf.as_dtype(tensor_type.dtype.type), tf.TensorShape(tensor_type.shape)

  def tensor(value: Any) -> tf.Tensor:
    if isinstance(value, tf.Variable):
      value = value.read_value()
    if isinstance(value, tf.Tensor):
      if value.dtype == dtype and shape.is_compatible_with(value.shape):
        return value
      value = value.numpy()
    return tf.convert_to_tensor(internals.check_array(value, tensor_type), dtype)

  return tensor


def _build_elements(struct_type: tff.StructType) -> Callable[[Any], Sequence[Any]]:
  """Builds what lists a container's elements in the order of the type's, names checked."""
  expected = [name for name, _ in internals.type_elements(struct_type)]
  fields = tuple(expected)

  def elements_of(value: Any) -> Sequence[Any]:
    if isinstance(value, tuple) and getattr(value, '_fields', None) == fields:
      return value
    container = internals.from_container(value)
    if len(container) != len(expected):
      raise TypeError(
        f'Value {value} does not match type {struct_type}: it has {len(container)} elements, '
        f'expected {len(expected)}.'
      )
    for (name, _), expected_name in zip(container, expected, strict=True):
      if name not in (None, expected_name):
        raise TypeError(
          f'Value {value} does not match type {struct_type}: element {name} found, expected '
          f'{expected_name}.'
        )
    return [element for _, element in container]

  return elements_of


def _ingest_sequence(value: Any, sequence_type: tff.SequenceType) -> tf.Tensor:
  """Returns the variant tensor of a data set, or of a list of elements."""
  with tf.device('cpu:0'):
    if isinstance(value, list):
      value = internals.dataset_from_elements(value, sequence_type.element)
    if not isinstance(value, tf.data.Dataset):
      raise TypeError(f'Expected a data set or a list for {sequence_type}, found {type(value)}.')
    found = tff.SequenceType(tff.types.tensorflow_to_type(value.element_spec))
    sequence_type.check_assignable_from(found)
    return sequences.to_tensor(value)


def build_release(value_type: tff.Type) -> Release:
  """Builds what gives out values of a type.

  Args:
    value_type: of a computation's result.

  Returns:
    (value as the interpreter has it) -> NumPy arrays and data sets in the containers that
    the caller expects.
  """
  if isinstance(value_type, tff.FederatedType):
    member = build_release(value_type.member)
    if value_type.all_equal:
      return lambda value: member(value.value if isinstance(value, AllEqual) else value)
    return lambda value: [member(element) for element in value.members]
  if isinstance(value_type, tff.SequenceType):
    return lambda value: _release_sequence(value, value_type)
  if isinstance(value_type, tff.StructType):
    releases = [build_release(element_type) for element_type in value_type]
    contain = internals.build_container(value_type)
    return lambda value: contain(
      [release(element) for release, element in zip(releases, value, strict=True)]
    )
  if isinstance(value_type, tff.TensorType):
    return lambda value: value.numpy()
  raise TypeError(f'A value of type {value_type} cannot be a result.')


def _release_sequence(variant: tf.Tensor, sequence_type: tff.SequenceType) -> tf.data.Dataset:
  with tf.device('cpu:0'):
    return internals.dataset_from_variant(variant, sequence_type.element)
