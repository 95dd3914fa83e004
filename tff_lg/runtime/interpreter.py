"""Evaluates compiled TFF computations in this process.

A tree of building blocks becomes a tree of Python closures, once per computation. Each closure
takes the frame of visible names and the run. It returns a value as `tff_lg.runtime.values`
describes.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from tff_lg.compatibility import tff
from tff_lg.runtime import (
  cache,
  calls,
  fusion,
  groups,
  intrinsics,
  remote,
  scheduling,
  stacking,
  values,
  workers,
)
from tff_lg.runtime import tff_internals as internals


@dataclasses.dataclass(frozen=True)
class Run:
  """One invocation.

  Attributes:
    num_clients: of this invocation.
    pool: runs clients; None where there are none.
    stacked_clients: clients that are alike that run in one call; 0 to measure.
    remote_run: runs groups at clients in other processes, if there are such.
  """

  num_clients: int
  pool: workers.WorkerPool | None
  stacked_clients: int = 1
  remote_run: remote.RemoteRun | None = None


# Closed functions need nothing of a run.
CLOSED = Run(0, None)
# Given instead, they are of parts that can be stacked.
STACKABLE = Run(0, None)


Frame = Mapping[str, Any]
Closure = Callable[[Frame, Run], Any]


def build(block: tff.framework.ComputationBuildingBlock) -> Closure:
  """Builds the closure of a building block.

  Args:
    block: what remains after TFF's native compiler.

  Returns:
    (frame, run) -> value.

  Raises:
    NotImplementedError: a kind of building block, or an intrinsic, that is not supported.
  """
  builder = _BUILDERS.get(type(block))
  if builder is None:
    raise NotImplementedError(f'The local runtime has no {type(block).__name__}: {block}.')
  return builder(block)


def _reference(block: tff.framework.Reference) -> Closure:
  name = block.name
  return lambda frame, run: values.settled(frame[name])


def _selection(block: tff.framework.Selection) -> Closure:
  source = build(block.source)
  index = block.index
  if index is None:
    names = [name for name, _ in internals.type_elements(block.source.type_signature)]
    index = names.index(block.name)
  return lambda frame, run: source(frame, run)[index]


def _struct(block: tff.framework.Struct) -> Closure:
  elements = [build(element) for element in block]
  return lambda frame, run: tuple(element(frame, run) for element in elements)


def _call(block: tff.framework.Call) -> Closure:
  call = _pending_call(block)
  return lambda frame, run: values.settled(call(frame, run))


def _pending_call(block: tff.framework.Call) -> Closure:
  """Returns the closure of a call whose value can be `Pending`."""
  function = build(block.function)
  if block.argument is None:
    return lambda frame, run: function(frame, run)(None)
  argument = build(block.argument)
  return lambda frame, run: function(frame, run)(argument(frame, run))


def _lambda(block: tff.framework.Lambda) -> Closure:
  body, name = build(block.result), block.parameter_name

  def closure(frame: Frame, run: Run) -> Callable[[Any], Any]:
    if name is None:
      return lambda argument: body(frame, run)
    return lambda argument: body({**frame, name: argument}, run)

  return closure


def _block(block: tff.framework.Block) -> Closure:
  returned = groups.references(block.result)
  steps = [
    _group(part, returned) if isinstance(part, groups.Group) else _local_value(*part)
    for part in groups.plan(block)
  ]
  result = build(block.result)

  def closure(frame: Frame, run: Run) -> Any:
    frame = dict(frame)
    for step in steps:
      step(frame, run)
    return result(frame, run)

  return closure


def _local_value(
  name: str, block: tff.framework.ComputationBuildingBlock
) -> Callable[[dict[str, Any], Run], None]:
  value = _pending_call(block) if isinstance(block, tff.framework.Call) else build(block)

  def step(frame: dict[str, Any], run: Run) -> None:
    frame[name] = value(frame, run)

  return step


def _group(group: groups.Group, returned: Set[str]) -> Callable[[dict[str, Any], Run], None]:
  def program(run: Run) -> fusion.Program:
    return fusion.Program(group, lambda block: build(block)({}, run))

  blocks = fusion.Program(group, lambda block: lambda value: None).arguments
  arguments = [build(block) for block in blocks]
  types = [block.type_signature for block in blocks]
  at_clients = group.placement is tff.CLIENTS
  evaluate: Callable[[tuple, Run], Sequence[Any]]
  if at_clients:
    evaluate = scheduling.ClientGroup(lambda: program(CLOSED), lambda: program(STACKABLE))
  else:
    evaluate = scheduling.ServerGroup(lambda: program(CLOSED))

  def step(frame: dict[str, Any], run: Run) -> None:
    values = tuple(argument(frame, run) for argument in arguments)
    if at_clients and run.remote_run is not None and run.num_clients:
      results: Sequence[Any] = run.remote_run.evaluate(group, values, types, returned)
    else:
      results = evaluate(values, run)
    frame.update(zip(group.results, results, strict=True))

  return step


def _intrinsic(block: tff.framework.Intrinsic) -> Closure:
  implementation = intrinsics.INTRINSICS.get(block.uri)
  if implementation is None:
    raise NotImplementedError(f'The local runtime has no intrinsic {block.uri}.')
  function_type = block.type_signature
  return lambda frame, run: lambda argument: implementation(argument, run, function_type)


def _literal(block: tff.framework.Literal) -> Closure:
  value = values.build_tensor(block.type_signature)(block.value)
  return lambda frame, run: value


def _compiled(block: tff.framework.CompiledComputation) -> Closure:
  function = cache.import_cached(block)
  call = calls.TensorFlowCall(function, block.type_signature.result, block)

  def closure(frame: Frame, run: Run) -> calls.TensorFlowCall:
    if run is STACKABLE:
      stackable = stacking.import_stackable(block.proto.tensorflow)
      return calls.TensorFlowCall(stackable, block.type_signature.result)
    return call

  return closure


_BUILDERS: Mapping[type, Callable[[Any], Closure]] = {
  tff.framework.Block: _block,
  tff.framework.Call: _call,
  tff.framework.CompiledComputation: _compiled,
  tff.framework.Intrinsic: _intrinsic,
  tff.framework.Lambda: _lambda,
  tff.framework.Literal: _literal,
  tff.framework.Reference: _reference,
  tff.framework.Selection: _selection,
  tff.framework.Struct: _struct,
}
