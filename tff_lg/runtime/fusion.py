"""Local processing between communications as one TensorFlow function.

Between two communications a compiled computation may have dozens of small maps and
zips at the clients, and as many at the server. Each alone would be a call of TensorFlow
for each client. Here the maps and zips at one placement that no communication separates
become a `Group`, and a group one function of what it needs from elsewhere.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from tff_lg.runtime import calls, tensorflow_functions

_MAPS = ('federated_map', 'federated_apply')
_ZIPS = ('federated_zip_at_clients', 'federated_zip_at_server')

Block = tff.framework.ComputationBuildingBlock
# Inside of the interpreter.
Function = Callable[[Any], Any]


@dataclasses.dataclass(frozen=True)
class Group:
  """Maps and zips at one placement that can be evaluated one after the other.

  Attributes:
    placement: clients or server.
    local_values: names and calls of intrinsics, each after those that it needs.
    results: names of those that are needed elsewhere.
  """

  placement: tff.framework.PlacementLiteral
  local_values: list[tuple[str, tff.framework.Call]]
  results: list[str]


def plan(block: tff.framework.Block) -> list[Group | tuple[str, Block]]:
  """Orders a block's local values into groups and values that are evaluated alone.

  A value waits for the groups that it needs; a group for all that comes before it.
  """
  names = {name for name, _ in block.locals}
  needs = {name: _references(value) & names for name, value in block.locals}
  placements = {name: _placement(value) for name, value in block.locals}
  stages: dict[str, int] = {}
  for name, _ in block.locals:
    stages[name] = max(
      (
        stages[needed] + (placements[needed] is not None and placements[name] is None)
        for needed in needs[name]
      ),
      default=0,
    )
  in_result = _references(block.result)
  ordered: list[Group | tuple[str, Block]] = []
  for stage in range(max(stages.values(), default=0) + 1):
    of_stage = [(name, value) for name, value in block.locals if stages[name] == stage]
    ordered += [(name, value) for name, value in of_stage if placements[name] is None]
    for placement in (tff.CLIENTS, tff.SERVER):
      members = [(name, value) for name, value in of_stage if placements[name] is placement]
      if members:
        inside = {name for name, _ in members}
        elsewhere = in_result.union(*(needs[name] for name in names - inside))
        results = [name for name, _ in members if name in elsewhere]
        ordered.append(Group(placement, members, results))
  return ordered


def _references(block: Block) -> set[str]:
  """All names in a building block; TFF's compiler has made them unique."""
  if isinstance(block, tff.framework.Reference):
    return {block.name}
  return set().union(*map(_references, block.children()))


def _placement(value: Block) -> tff.framework.PlacementLiteral | None:
  """Where a value that can be part of a group is; None if it cannot."""
  if not isinstance(value, tff.framework.Call):
    return None
  intrinsic, argument, value_type = value.function, value.argument, value.type_signature
  if not isinstance(intrinsic, tff.framework.Intrinsic) or argument is None:
    return None
  if not isinstance(value_type, tff.FederatedType):
    return None
  if value_type.placement is tff.CLIENTS and value_type.all_equal:
    return None  # One value, to be worked out once.
  if intrinsic.uri in _ZIPS and _is_path(argument):
    return value_type.placement
  if intrinsic.uri in _MAPS and isinstance(argument, tff.framework.Struct):
    function, mapped = argument
    if _is_closed(function, frozenset()) and _is_path(mapped):
      return value_type.placement
  return None


def _is_path(block: Block) -> bool:
  """Whether a building block only selects from, and puts together, named values."""
  if isinstance(block, tff.framework.Struct):
    return all(map(_is_path, block))
  if isinstance(block, tff.framework.Selection):
    return not isinstance(block.source, tff.framework.Struct) and _is_path(block.source)
  return isinstance(block, tff.framework.Reference)


def _is_closed(function: Block, bound: frozenset[str]) -> bool:
  """Whether a function is of TensorFlow, selections and structures alone."""
  if isinstance(function, tff.framework.CompiledComputation):
    return True
  if isinstance(function, tff.framework.Reference):
    return function.name in bound
  if isinstance(function, tff.framework.Lambda):
    return _is_closed(function.result, bound | {function.parameter_name})
  kinds = (tff.framework.Selection, tff.framework.Struct, tff.framework.Call)
  return isinstance(function, kinds) and all(_is_closed(c, bound) for c in function.children())


class FusedFunction:
  """A group as one function from what it needs from elsewhere to its results.

  Attributes:
    arguments: building blocks of what it needs, each a value at the group's placement or a
      structure of such values.
    num_results: of the group.
    calls_tensorflow: whether it does more than to put values together.
  """

  def __init__(self, group: Group, build: Callable[[Block], Function]) -> None:
    """Traces the group.

    Args:
      group: the group.
      build: makes a function of values of a building block that refers to nothing else.
    """
    self._results = group.results
    self.num_results = len(group.results)
    self._steps: list[tuple[str, Function, Any]] = []
    paths: dict[str, Block] = {}
    inside: set[str] = set()
    for name, call in group.local_values:
      if call.function.uri in _ZIPS:
        function, value = _identity, call.argument
      else:
        function, value = build(call.argument[0]), call.argument[1]
      self._steps.append((name, function, _keys(value)))
      paths.update((key, path) for key, path in _paths(value) if key not in inside)
      inside.add(name)
    self._argument_keys, self.arguments = list(paths), list(paths.values())
    self._function, self._places = self._trace()
    self.calls_tensorflow = self._function is not None

  def __call__(self, arguments: Sequence[Any]) -> Any:
    """The results, a tuple, for values of `arguments` at one client or the server."""
    tensors = calls.flat(tuple(arguments))
    if self._function is not None:
      tensors += self._function(tensors)
    return _replace(self._places, tensors.__getitem__)

  def _trace(self) -> tuple[tensorflow_functions.FlatFunction | None, Any]:
    """The TensorFlow function, and each result's place among its arguments and outputs."""
    types = [_at_one(argument.type_signature) for argument in self.arguments]
    places: Any = None

    def traced(*tensors: tf.Tensor) -> list[tf.Tensor]:
      nonlocal places
      remaining = iter(tensors)
      values = [calls.pack(remaining, value_type) for value_type in types]
      known = list(tensors)  # What only passes through is no output.
      place_of = {id(tensor): index for index, tensor in enumerate(known)}

      def place(tensor: tf.Tensor) -> int:
        if id(tensor) not in place_of:
          place_of[id(tensor)] = len(known)
          known.append(tensor)
        return place_of[id(tensor)]

      places = _replace(self._evaluate(values), place)
      return known[len(tensors) :]

    specs = [spec for value_type in types for spec in _specs(value_type)]
    concrete = tf.function(traced, autograph=False).get_concrete_function(*specs)
    function = tensorflow_functions.as_flat_function(concrete) if concrete.outputs else None
    return function, places

  def _evaluate(self, arguments: Sequence[Any]) -> tuple:
    values = dict(zip(self._argument_keys, arguments, strict=True))
    for name, function, keys in self._steps:
      values[name] = function(_replace(keys, values.__getitem__))
    return tuple(values[name] for name in self._results)


def _identity(value: Any) -> Any:
  return value


def _keys(path: Block) -> Any:
  """The names of what a building block puts together, in tuples like its structures."""
  if isinstance(path, tff.framework.Struct):
    return tuple(map(_keys, path))
  return path.compact_representation()


def _paths(block: Block) -> Iterator[tuple[str, Block]]:
  """The parts that a building block puts together, by name."""
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
  """The type of a placed value, or structure of such, as one client or the server has it."""
  if isinstance(value_type, tff.FederatedType):
    return value_type.member
  return tff.StructType([_at_one(element) for element in value_type])


def _specs(value_type: tff.Type) -> Iterator[tf.TensorSpec]:
  if isinstance(value_type, tff.StructType):
    for element in value_type:
      yield from _specs(element)
  elif isinstance(value_type, tff.TensorType):
    yield tf.TensorSpec(value_type.shape, tf.as_dtype(value_type.dtype.type))
  else:
    yield tf.TensorSpec([], tf.variant)  # a sequence
