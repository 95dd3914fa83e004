"""Work at clients, spread over Ray actors; `ray_worker` is its other end.

Each actor has consecutive clients. The result of a group stays in the actor that computed it,
with the request to compute it again. An actor that has died and restarts empty does so. The driver
gets values that are aggregated, returned, or needed for work that only the driver can do.
"""

import hashlib
import itertools
import uuid
import weakref
from collections.abc import Sequence, Set
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.runtime import actor_calls, calls, groups, messages, packing, reduction, scheduling
from tff_lg.runtime.values import AllEqual, AtClients, Pending

# Tensors of so many bytes, that come again or go to all actors, are kept in Ray's object store.
_STORED_BYTES = 1 << 16


class RemoteAtClients:
  """One value for each client, like `AtClients`, in the actors until it is needed here."""

  def __init__(self, run: 'RemoteRun', results: list[messages.Result]) -> None:
    """Takes the result of each range."""
    self.results = results
    self._run = run
    self._packed: Pending | None = None
    self._members: list[Any] | None = None

  def request(self) -> Pending:
    """Asks for the packed values of each range, once."""
    if self._packed is None:
      self._packed = self._run.call('fetch', [(result,) for result in self.results])
    return self._packed

  @property
  def members(self) -> list[Any]:
    """The values, in the clients' order."""
    if self._members is None:
      of_ranges = self.request().value
      self._members = [packing.unpack(value) for values in of_ranges for value in values]
      self._packed = None
    return self._members


class RemoteClients:
  """The actors that work for a context, and what is kept for them in Ray's object store."""

  def __init__(self, actors: Sequence[Any]) -> None:
    """Takes handles of `ray_worker.ClientWorker`."""
    self.actors = list(actors)
    self._contents: dict[bytes, messages.Content] = {}
    # By id: a weak reference, and where the tensor is stored once it has come again.
    self._tensors: dict[int, tuple[weakref.ref, Any]] = {}

  def start_run(self, num_clients: int) -> 'RemoteRun':
    """Begins an invocation, to be ended by its `close`."""
    return RemoteRun(self, num_clients)

  def content(self, content: bytes) -> messages.Content:
    """Returns where the content is stored."""
    if content not in self._contents:
      self._contents[content] = messages.Content(hashlib.sha256(content).digest(), put(content))
    return self._contents[content]

  def pack_tensor(self, tensor: tf.Tensor) -> Any:
    """Returns its array, or a reference if it is large and comes again, as clients' data do."""
    size = packing.num_bytes(tensor)
    if size < _STORED_BYTES:
      return packing.to_array(tensor)
    key = id(tensor)
    if key not in self._tensors:
      forget = weakref.ref(tensor, lambda _: self._tensors.pop(key, None))
      self._tensors[key] = (forget, None)
      return packing.to_array(tensor)
    known, reference = self._tensors[key]
    if reference is None:
      reference = put(packing.to_array(tensor))
      self._tensors[key] = (known, reference)
    return reference


class _Batch:
  """Calls of actors' methods that go in one message, as (method, arguments of each range)."""

  def __init__(self) -> None:
    self.calls: list[tuple[str, Sequence[tuple]]] = []
    self.answers: Pending | None = None


class RemoteRun:
  """One invocation's work at clients."""

  def __init__(self, clients: RemoteClients, num_clients: int) -> None:
    """Sends nothing yet."""
    self._clients = clients
    self._num_clients = num_clients
    self._name = uuid.uuid4().hex
    self._numbers = itertools.count()
    self._shared: dict[int, tuple[AllEqual, messages.Shared]] = {}
    self._ranges: list[tuple[int, int]] = []
    # What was begun and has not been waited for.
    self._evaluations: list[actor_calls.ActorCall] = []
    self._batch = _Batch()

  def evaluate(
    self,
    group: groups.Group,
    arguments: Sequence[Any],
    types: Sequence[tff.Type],
    returned: Set[str],
  ) -> list[RemoteAtClients]:
    """Begins to evaluate a group at the clients; its results stay with the actors.

    Args:
      group: at clients.
      arguments: values at clients, or structures of such.
      types: of the arguments.
      returned: names of results that will be needed here; they are asked for in the next message.

    A failure there is raised when its result is needed here.
    """
    if not self._ranges:
      sizes = _sizes(arguments, self._num_clients)
      self._ranges = split(sizes, len(self._clients.actors))
    content = self._clients.content(group.content)
    key = (self._name, next(self._numbers))
    works = []
    for index, (start, stop) in enumerate(self._ranges):
      packed = tuple(
        self._pack(argument, of_type, index)
        for argument, of_type in zip(arguments, types, strict=True)
      )
      works.append(messages.Work(key, content, put(packed), start, stop - start))
      actor = self._clients.actors[index]
      self._evaluations.append(actor_calls.ActorCall(actor, 'evaluate', works[-1]))
    results = [
      RemoteAtClients(self, [messages.Result(work, index) for work in works])
      for index in range(len(group.results))
    ]
    for name, result in zip(group.results, results, strict=True):
      if name in returned:
        result.request()
    return results

  def reduce(
    self,
    value: RemoteAtClients,
    zero: Any,
    accumulate: calls.TensorFlowCall,
    merge: calls.TensorFlowCall,
  ) -> Pending:
    """Reduces values at clients, each actor what it can, as `reduction.Reduction` does.

    Waiting for it raises what `call` does.
    """
    zero_type, _ = accumulate.part.type_signature.parameter
    packed_zero = packing.pack(zero, zero_type, _put_large)
    contents = [self._clients.content(step.content) for step in (accumulate, merge)]
    answers = self.call(
      'reduce', [(result, packed_zero, *contents, self._num_clients) for result in value.results]
    )
    steps = reduction.Reduction(zero, accumulate, merge, self._num_clients)
    return Pending(lambda: _finish_reduction(steps, value, answers))

  def call(self, method: str, arguments: Sequence[tuple]) -> Pending:
    """Queues a call of a method of each actor; queued calls go out when one is waited for.

    Args:
      method: of `ray_worker.ClientWorker`.
      arguments: of each range.

    Returns:
      What they return, by range. Waiting for it raises
        ClientComputationError: a client's computation failed, in this or in what was begun before;
        ClusterError: actors died, again and again.
    """
    batch, place = self._batch, len(self._batch.calls)
    batch.calls.append((method, arguments))

    def wait() -> list[Any]:
      of_actors = batch.answers or self._send_batch()
      return _unless_failed([answers[place] for answers in of_actors.value])

    return Pending(wait)

  def _send_batch(self) -> Pending:
    batch, self._batch = self._batch, _Batch()
    before, self._evaluations = self._evaluations, []
    answers = [
      actor_calls.ActorCall(
        actor, 'answer', [(method, arguments[index]) for method, arguments in batch.calls]
      )
      for index, actor in enumerate(self._clients.actors[: len(self._ranges)])
    ]

    def wait() -> list[Any]:
      found = actor_calls.wait_all([*before, *answers])
      _unless_failed(found[: len(before)])
      return found[len(before) :]

    batch.answers = Pending(wait)
    return batch.answers

  def close(self) -> None:
    """Lets the actors forget what they keep for the invocation."""
    for actor in self._clients.actors[: len(self._ranges)]:
      actor.forget.remote(self._name)

  def _pack(self, value: Any, value_type: tff.Type, index: int) -> Any:
    """Returns what the `index`-th range needs of a value, or structure of values, at clients."""
    if isinstance(value, tuple):
      pairs = zip(value, value_type, strict=True)
      return tuple([self._pack(element, of_type, index) for element, of_type in pairs])
    if isinstance(value, RemoteAtClients):
      return value.results[index]
    if isinstance(value, AllEqual):
      if id(value) not in self._shared:
        packed = packing.pack(value.value, value_type.member)
        self._shared[id(value)] = (value, messages.Shared(put(packed)))
      return self._shared[id(value)][1]
    start, stop = self._ranges[index]
    pack_tensor = self._clients.pack_tensor
    return messages.Members(
      [packing.pack(each, value_type.member, pack_tensor) for each in value.members[start:stop]]
    )


def _finish_reduction(steps: reduction.Reduction, value: RemoteAtClients, answers: Pending) -> Any:
  """Returns the result at the root, of what the ranges have made of it."""
  root = reduction.root(steps.num_clients)
  try:
    of_ranges = answers.value
  except scheduling.ClientComputationError:
    # Of what is not complete in its range, an earlier client can fail, too: that one is named.
    steps.reduce(root, dict(enumerate(value.members)))
    raise
  partials: dict[reduction.Node, Any] = {}
  members: dict[int, Any] = {}
  for of_range in of_ranges:
    partials |= {node: packing.unpack(partial) for node, partial in of_range.partials}
    members |= {client: packing.unpack(member) for client, member in of_range.members}
  return steps.reduce(root, members, partials)


def _unless_failed(answers: list[Any]) -> list[Any]:
  """Returns the answers, of which none is a failure."""
  for answer in answers:
    if isinstance(answer, messages.Failure):
      raise scheduling.ClientComputationError(
        answer.intrinsic, answer.client_index, answer.cause
      ) from answer.cause
  return answers


def _put_large(tensor: tf.Tensor) -> Any:
  """Returns the tensor's array, or a reference to it, so that it does not travel to each actor."""
  array = packing.to_array(tensor)
  return put(array) if array.nbytes >= _STORED_BYTES else array


def put(value: Any) -> Any:
  """Returns a reference to a value in Ray's object store."""
  import ray

  return ray.put(value)


def _sizes(arguments: Any, num_clients: int) -> np.ndarray:
  """Returns bytes of each client's own tensors, and one more."""
  sizes = np.ones(num_clients, np.int64)
  for value in calls.flat(tuple(arguments)):
    if isinstance(value, AtClients):
      sizes += [sum(map(packing.num_bytes, calls.flat(member))) for member in value.members]
  return sizes


def split(sizes: Sequence[int] | np.ndarray, num_ranges: int) -> list[tuple[int, int]]:
  """Splits clients into ranges of about the same size.

  Args:
    sizes: of each client, more than 0.
    num_ranges: how many at most.

  Returns:
    (first client, the one after the last) of each range, none empty.
  """
  ends = np.cumsum(sizes)
  targets = ends[-1] * np.arange(1, num_ranges) / num_ranges
  bounds = np.searchsorted(ends - np.asarray(sizes) / 2, targets)
  bounds = [0, *bounds.tolist(), len(ends)]
  return [(start, stop) for start, stop in itertools.pairwise(bounds) if start < stop]
