"""Local processing between communications, in groups.

Between two communications a compiled computation may have dozens of small maps and
zips at the clients, and as many at the server. Each alone would be a call of TensorFlow
for each client. Here the maps and zips at one placement that no communication separates
become a `Group`, which `tff_lg.runtime.fusion` makes one function of.
"""

import dataclasses
import functools
from typing import TypeAlias

from tff_lg.compatibility import computation_pb2, tff

MAPS = ('federated_map', 'federated_apply')
ZIPS = ('federated_zip_at_clients', 'federated_zip_at_server')

Block: TypeAlias = tff.framework.ComputationBuildingBlock


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

  @functools.cached_property
  def content(self) -> bytes:
    """All of the group, for `from_content` in another process."""
    types = {name: value.type_signature for name, value in self.local_values}
    results = tff.framework.Struct(
      [tff.framework.Reference(name, types[name]) for name in self.results]
    )
    block = tff.framework.Block(self.local_values, results)
    return block.proto.SerializeToString(deterministic=True)


def from_content(content: bytes) -> Group:
  """Returns the group at clients whose `content` it is."""
  proto = computation_pb2.Computation.FromString(content)
  block = tff.framework.Block.from_proto(proto)
  return Group(tff.CLIENTS, list(block.locals), [result.name for result in block.result])


def references(block: Block) -> set[str]:
  """Returns all names in a building block; TFF's compiler has made them unique."""
  if isinstance(block, tff.framework.Reference):
    return {block.name}
  return set().union(*map(references, block.children()))


def plan(block: tff.framework.Block) -> list[Group | tuple[str, Block]]:
  """Orders a block's local values into groups and values that are evaluated alone.

  A value waits for the groups that it needs; a group for all that comes before it.
  """
  names = {name for name, _ in block.locals}
  needs = {name: references(value) & names for name, value in block.locals}
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
  in_result = references(block.result)
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


def _placement(value: Block) -> tff.framework.PlacementLiteral | None:
  """Returns where a value that can be part of a group is; None if it cannot."""
  if not isinstance(value, tff.framework.Call):
    return None
  intrinsic, argument, value_type = value.function, value.argument, value.type_signature
  if not isinstance(intrinsic, tff.framework.Intrinsic) or argument is None:
    return None
  if not isinstance(value_type, tff.FederatedType):
    return None
  if value_type.placement is tff.CLIENTS and value_type.all_equal:
    return None  # One value, to be worked out once.
  if intrinsic.uri in ZIPS and _is_path(argument):
    return value_type.placement
  if intrinsic.uri in MAPS and isinstance(argument, tff.framework.Struct):
    function, mapped = argument
    if _is_closed(function, frozenset()) and _is_path(mapped):
      return value_type.placement
  return None


def _is_path(block: Block) -> bool:
  """Returns whether a building block only selects from, and puts together, named values."""
  if isinstance(block, tff.framework.Struct):
    return all(map(_is_path, block))
  if isinstance(block, tff.framework.Selection):
    return not isinstance(block.source, tff.framework.Struct) and _is_path(block.source)
  return isinstance(block, tff.framework.Reference)


def _is_closed(function: Block, bound: frozenset[str]) -> bool:
  """Returns whether a function is of TensorFlow, selections and structures alone."""
  if isinstance(function, tff.framework.CompiledComputation):
    return True
  if isinstance(function, tff.framework.Reference):
    return function.name in bound
  if isinstance(function, tff.framework.Lambda):
    return _is_closed(function.result, bound | {function.parameter_name})
  kinds = (tff.framework.Selection, tff.framework.Struct, tff.framework.Call)
  return isinstance(function, kinds) and all(_is_closed(c, bound) for c in function.children())
