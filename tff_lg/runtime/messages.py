"""Messages between `remote`, in the driver, and `ray_worker`, in an actor."""

import dataclasses
from typing import Any

from tff_lg.runtime import reduction


@dataclasses.dataclass(frozen=True)
class Members:
  """Packed values of a range of clients, in place of tensors perhaps references to arrays."""

  values: list[Any]


@dataclasses.dataclass(frozen=True)
class Shared:
  """A reference to the packed value that all clients have."""

  reference: Any


@dataclasses.dataclass(frozen=True)
class Content:
  """Content sent to an actor once: its digest, and a reference to its bytes."""

  digest: bytes
  reference: Any


@dataclasses.dataclass(frozen=True)
class Work:
  """A group's work at a range of clients.

  Attributes:
    key: of the invocation, and of the work in it.
    group: the group's content.
    arguments: reference to `Members`, `Shared` and `Result` in tuples.
    start: the first client.
    num_clients: of the range.
  """

  key: tuple[str, int]
  group: Content
  arguments: Any
  start: int
  num_clients: int


@dataclasses.dataclass(frozen=True)
class Result:
  """A value at the clients after some work: the group's `index`-th result."""

  work: Work
  index: int


@dataclasses.dataclass(frozen=True)
class Failure:
  """The parts of a `ClientComputationError`; tracebacks do not travel."""

  intrinsic: str
  client_index: int
  cause: BaseException


@dataclasses.dataclass(frozen=True)
class Reduced:
  """The part of an aggregation that a range computes, packed.

  Attributes:
    partials: the largest nodes of the tree that are just of clients of the range.
    members: clients, and their values, of nodes that are of another range as well.
  """

  partials: list[tuple[reduction.Node, Any]]
  members: list[tuple[int, Any]]
