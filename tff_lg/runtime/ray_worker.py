"""A Ray actor: an in-process runtime for a range of clients; `remote` is its other end."""

import dataclasses
from collections.abc import Callable
from typing import Any

import cachetools
import ray
import tensorflow as tf

from tff_lg.compatibility import computation_pb2, tff
from tff_lg.runtime import (
  calls,
  fusion,
  groups,
  interpreter,
  messages,
  packing,
  reduction,
  scheduling,
  workers,
)
from tff_lg.runtime.values import AllEqual, AtClients

# Invocations whose results are kept; they are forgotten before, unless messages get lost.
_RUNS = 8
# Bytes of tensors that came by reference and are kept, those used last.
_KEPT_BYTES = 1 << 30


@dataclasses.dataclass(frozen=True)
class _Group:
  """A group as it is evaluated here, and its results' types at one client."""

  evaluate: scheduling.ClientGroup
  result_types: list[tff.Type]


class ClientWorker:
  """Evaluates groups at clients, and keeps their results for the invocation."""

  def __init__(self, threads: int, devices: str, reproducible_gpus: bool = False) -> None:
    """Sets up TensorFlow, which takes no more than this actor's share of the machine.

    Args:
      threads: clients that run at the same time on a device.
      devices: as `workers.choose_devices` takes them.
      reproducible_gpus: as `workers.configure_tensorflow` takes it.
    """
    # Before `configure_tensorflow`, which starts TensorFlow.
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    workers.configure_tensorflow(devices, reproducible_gpus)
    self._pool = workers.WorkerPool(workers.choose_devices(devices), threads)
    self._loaded: dict[bytes, Any] = {}
    self._results: dict[str, dict[int, list[AtClients] | scheduling.ClientComputationError]] = {}
    self._tensors: cachetools.LRUCache[bytes, tf.Tensor] = cachetools.LRUCache(
      _KEPT_BYTES, getsizeof=packing.num_bytes
    )

  def is_ready(self) -> bool:
    """Answers once the actor has started."""
    return True

  def forget(self, run: str) -> None:
    """Drops what is kept for an invocation."""
    self._results.pop(run, None)

  def evaluate(self, work: messages.Work) -> messages.Failure | None:
    """Does the work, whose results stay here."""
    found = self._answer(self._evaluate, (work,))
    return found if isinstance(found, messages.Failure) else None

  def answer(self, requests: list[tuple[str, tuple]]) -> list[Any]:
    """Returns the results of `fetch` and `reduce`, or a `Failure` for each that fails."""
    return [self._answer(getattr(self, method), arguments) for method, arguments in requests]

  def _answer(self, method: Callable[..., Any], arguments: tuple) -> Any:
    try:
      return method(*arguments)
    except scheduling.ClientComputationError as error:
      return messages.Failure(error.intrinsic, error.client_index, error.__cause__ or error)

  def fetch(self, result: messages.Result) -> list[Any]:
    """Returns the packed values of a result."""
    members = self._evaluate(result.work)[result.index].members
    value_type = self._group(result.work.group).result_types[result.index]
    return [packing.pack(member, value_type) for member in members]

  def reduce(
    self,
    result: messages.Result,
    zero: Any,
    accumulate: messages.Content,
    merge: messages.Content,
    num_clients: int,
  ) -> messages.Reduced:
    """Reduces what is complete here of the tree over all clients, from a packed zero."""
    step = self._function(accumulate)
    steps = reduction.Reduction(
      packing.unpack(zero, _tensor), step, self._function(merge), num_clients
    )
    start, stop = result.work.start, result.work.start + result.work.num_clients
    members = dict(enumerate(self._evaluate(result.work)[result.index].members, start))
    nodes = list(reduction.cover(reduction.root(num_clients), start, stop, num_clients))
    partials = [(node, steps.reduce(node, members)) for node in nodes]
    for node in nodes:
      for client in range(*node.span(num_clients)):
        del members[client]
    _, member_type = step.part.type_signature.parameter
    partial_type = step.part.type_signature.result
    return messages.Reduced(
      [(node, packing.pack(partial, partial_type)) for node, partial in partials],
      [(client, packing.pack(member, member_type)) for client, member in members.items()],
    )

  def _evaluate(self, work: messages.Work) -> list[AtClients]:
    """Returns the work's results, or its failure, from here if it was done before."""
    run, number = work.key
    while run not in self._results and len(self._results) >= _RUNS:
      del self._results[next(iter(self._results))]
    results = self._results.setdefault(run, {})
    if number not in results:
      arguments = self._unpack(ray.get(work.arguments))
      try:
        results[number] = self._group(work.group).evaluate(
          arguments, interpreter.Run(work.num_clients, self._pool)
        )
      except scheduling.ClientComputationError as error:
        cause = error.__cause__ or error
        failure = scheduling.ClientComputationError(
          error.intrinsic, work.start + error.client_index, cause
        )
        failure.__cause__ = cause
        results[number] = failure
    found = results[number]
    if isinstance(found, scheduling.ClientComputationError):
      raise found
    return found

  def _unpack(self, value: Any) -> Any:
    if isinstance(value, tuple):
      return tuple([self._unpack(element) for element in value])
    if isinstance(value, messages.Result):
      return self._evaluate(value.work)[value.index]
    if isinstance(value, messages.Shared):
      return AllEqual(packing.unpack(ray.get(value.reference)))
    leaves = calls.flat(tuple(value.values))
    tensors = self._referred([leaf for leaf in leaves if isinstance(leaf, ray.ObjectRef)])

    def tensor(leaf: Any) -> tf.Tensor:
      return tensors[leaf] if isinstance(leaf, ray.ObjectRef) else packing.to_tensor(leaf)

    return AtClients([packing.unpack(member, tensor) for member in value.values])

  def _referred(self, references: list[ray.ObjectRef]) -> dict[ray.ObjectRef, tf.Tensor]:
    """Returns the tensors of references to arrays.

    They are kept by the references' names, which Ray never gives twice: to keep the
    references would keep what the driver has given up.
    """
    tensors, missing = {}, []
    for reference in dict.fromkeys(references):
      tensor = self._tensors.get(reference.binary())
      if tensor is None:
        missing.append(reference)
      else:
        tensors[reference] = tensor
    for reference, array in zip(missing, ray.get(missing), strict=True):
      tensors[reference] = tensor = packing.to_tensor(array)
      # Of strings the size is not known.
      if tensor.dtype != tf.string and packing.num_bytes(tensor) <= self._tensors.maxsize:
        self._tensors[reference.binary()] = tensor
    return tensors

  def _group(self, content: messages.Content) -> _Group:
    if content.digest not in self._loaded:
      group = groups.from_content(ray.get(content.reference))

      def program(run: interpreter.Run) -> fusion.Program:
        return fusion.Program(group, lambda block: interpreter.build(block)({}, run))

      types = {name: value.type_signature.member for name, value in group.local_values}
      self._loaded[content.digest] = _Group(
        scheduling.ClientGroup(
          lambda: program(interpreter.CLOSED), lambda: program(interpreter.STACKABLE)
        ),
        [types[name] for name in group.results],
      )
    return self._loaded[content.digest]

  def _function(self, content: messages.Content) -> calls.TensorFlowCall:
    if content.digest not in self._loaded:
      proto = computation_pb2.Computation.FromString(ray.get(content.reference))
      part = tff.framework.CompiledComputation.from_proto(proto)
      self._loaded[content.digest] = interpreter.build(part)({}, interpreter.CLOSED)
    return self._loaded[content.digest]


def _tensor(leaf: Any) -> tf.Tensor:
  """Returns the tensor of an array or of a reference to one."""
  return packing.to_tensor(ray.get(leaf) if isinstance(leaf, ray.ObjectRef) else leaf)
