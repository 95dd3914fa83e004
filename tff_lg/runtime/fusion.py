"""A group of local processing as one TensorFlow function."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.runtime import calls, groups, tensorflow_functions

# (value) -> value, as the interpreter has them.
Function = Callable[[Any], Any]


class Program:
  """The work of a group, as a function of tensors to trace.

  Attributes:
    arguments: building blocks of what the group needs from elsewhere, each a value at its
      placement or a structure of such values.
    specs: of the arguments' tensors.
    shared: for each of them, whether all clients have the same.
    num_results: of the group.
  """

  def __init__(self, group: groups.Group, build: Callable[[groups.Block], Function]) -> None:
    """Prepares the steps.

    Args:
      group: the group.
      build: makes a function of values of a building block that refers to nothing else.
    """
    self._results = group.results
    self.num_results = len(group.results)
    self._steps: list[tuple[str, Function, Any]] = []
    paths: dict[str, groups.Block] = {}
    inside: set[str] = set()
    function: Function
    for name, call in group.local_values:
      if call.function.uri in groups.ZIPS:
        function, value = _identity, call.argument
      else:
        function, value = build(call.argument[0]), call.argument[1]
      self._steps.append((name, function, _keys(value)))
      paths.update((key, path) for key, path in _paths(value) if key not in inside)
      inside.add(name)
    self._argument_keys, self.arguments = list(paths), list(paths.values())
    self._types = [_at_one(argument.type_signature) for argument in self.arguments]
    described = [
      (spec, shared)
      for argument in self.arguments
      for spec, shared in _specs(argument.type_signature, False)
    ]
    self.specs = [spec for spec, _ in described]
    self.shared = [shared for _, shared in described]
    self._places: Any = None

  def outputs(self, tensors: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    """Computes the group's results from its arguments' tensors, without those passed through."""
    remaining = iter(tensors)
    arguments = [calls.pack(remaining, value_type) for value_type in self._types]
    values = dict(zip(self._argument_keys, arguments, strict=True))
    for name, function, keys in self._steps:
      values[name] = function(_replace(keys, values.__getitem__))
    known = list(tensors)
    place_of = {id(tensor): index for index, tensor in enumerate(known)}

    def place(tensor: tf.Tensor) -> int:
      if id(tensor) not in place_of:
        place_of[id(tensor)] = len(known)
        known.append(tensor)
      return place_of[id(tensor)]

    self._places = _replace(tuple(values[name] for name in self._results), place)
    return known[len(tensors) :]

  def results(self, tensors: Sequence[tf.Tensor]) -> tuple:
    """Returns the group's results, given its arguments' tensors followed by the outputs."""
    return _replace(self._places, tensors.__getitem__)


class FusedFunction:
  """A group's function for one client, or the server.

  Attributes:
    program: what it does.
  """

  def __init__(self, program: Program) -> None:
    """Traces nothing before the tensors' kinds are known."""
    self.program = program
    self._sequences = [
      index for index, spec in enumerate(program.specs) if spec.dtype == tf.variant
    ]
    self._traced: dict[tuple[int, ...], tensorflow_functions.FlatFunction | None] = {}

  def calls_tensorflow(self, tensors: Sequence[tf.Tensor]) -> bool:
    """Returns whether it does more than to put values together; traces it, in one thread at a time.

    Args:
      tensors: the arguments', of which only the kinds of sequences matter.
    """
    serialized = self._serialized(tensors)
    if serialized not in self._traced:
      self._traced[serialized] = self._trace(serialized)
    return self._traced[serialized] is not None

  def __call__(self, tensors: Sequence[tf.Tensor]) -> tuple:
    """Returns the results for the arguments' tensors; `calls_tensorflow` comes first."""
    function = self._traced[self._serialized(tensors)]
    outputs = function(tensors) if function is not None else []
    return self.program.results([*tensors, *outputs])

  def _serialized(self, tensors: Sequence[tf.Tensor]) -> tuple[int, ...]:
    """Returns which sequences are strings, see `sequences`."""
    return tuple([index for index in self._sequences if tensors[index].dtype == tf.string])

  def _trace(self, serialized: tuple[int, ...]) -> tensorflow_functions.FlatFunction | None:
    specs = list(self.program.specs)
    for index in serialized:
      specs[index] = tf.TensorSpec([], tf.string)
    concrete = tf.function(
      lambda *tensors: self.program.outputs(tensors), autograph=False
    ).get_concrete_function(*specs)
    return tensorflow_functions.as_flat_function(concrete) if concrete.outputs else None


def _identity(value: Any) -> Any:
  return value


def _keys(path: groups.Block) -> Any:
  """Returns the names of what a building block puts together, in tuples like its structures."""
  if isinstance(path, tff.framework.Struct):
    return tuple(map(_keys, path))
  return path.compact_representation()


def _paths(block: groups.Block) -> Iterator[tuple[str, groups.Block]]:
  """Yields the parts that a building block puts together, by name."""
  if isinstance(block, tff.framework.Struct):
    for element in block:
      yield from _paths(element)
  else:
    yield _keys(block), block


def _replace(structure: Any, function: Callable[[Any], Any]) -> Any:
  """Applies a function to the leaves of nested tuples."""
  if isinstance(structure, tuple):
    return tuple([_replace(element, function) for element in structure])
  return function(structure)


def _at_one(value_type: tff.Type) -> tff.Type:
  """Returns the type of a placed value, or structure of such, at one client or the server."""
  if isinstance(value_type, tff.FederatedType):
    return value_type.member
  return tff.StructType([_at_one(element) for element in value_type])


def _specs(value_type: tff.Type, shared: bool) -> Iterator[tuple[tf.TensorSpec, bool]]:
  """Yields the specs of a type's tensors, and whether they are the same for all clients."""
  if isinstance(value_type, tff.FederatedType):
    yield from _specs(value_type.member, value_type.all_equal)
  elif isinstance(value_type, tff.StructType):
    for element in value_type:
      yield from _specs(element, shared)
  elif isinstance(value_type, tff.TensorType):
    yield tf.TensorSpec(value_type.shape, tf.as_dtype(value_type.dtype.type)), shared
  else:
    yield tf.TensorSpec([], tf.variant), shared  # a sequence
