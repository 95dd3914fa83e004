"""Aggregates clients' values in a tree over the clients in their order.

A leaf is a block of consecutive clients, accumulated one after the other; a node merges its
two halves. The tree depends on the number of clients alone. A process with consecutive clients can
therefore reduce the complete nodes among them, and the result has the same bits.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import tensorflow as tf

from tff_lg.runtime import calls, scheduling

# Leaves are of so many clients at least, and there are so many at most: a leaf of ten is one call
# (`calls.TensorFlowCall.accumulate`), merging is another one, and a pass over the values.
_LEAF_CLIENTS, _LEAVES = 10, 16


def leaf_size(num_clients: int) -> int:
  """Returns the clients of a leaf; the last one may have fewer."""
  return max(_LEAF_CLIENTS, -(-num_clients // _LEAVES))


@dataclasses.dataclass(frozen=True)
class Node:
  """A node of the tree: the `index`-th one that spans 2 ** `level` leaves."""

  level: int
  index: int

  def span(self, num_clients: int) -> tuple[int, int]:
    """Returns the first client under it, and the one after the last."""
    size = leaf_size(num_clients) << self.level
    return self.index * size, min((self.index + 1) * size, num_clients)

  def halves(self, num_clients: int) -> list['Node']:
    """Returns the nodes that it merges, only one if there are no clients for the other."""
    both = [Node(self.level - 1, 2 * self.index), Node(self.level - 1, 2 * self.index + 1)]
    return both if both[1].span(num_clients)[0] < num_clients else both[:1]


def root(num_clients: int) -> Node:
  """Returns the node of all clients."""
  num_leaves = -(-num_clients // leaf_size(num_clients))
  return Node((num_leaves - 1).bit_length(), 0)


def cover(node: Node, start: int, stop: int, num_clients: int) -> Iterator[Node]:
  """Yields the largest nodes at or under `node` whose clients are all in [start, stop)."""
  first, end = node.span(num_clients)
  if start <= first and end <= stop:
    yield node
  elif first < stop and start < end and node.level:
    for half in node.halves(num_clients):
      yield from cover(half, start, stop, num_clients)


@dataclasses.dataclass(frozen=True)
class Reduction:
  """The operations of `federated_aggregate` on the clients' values.

  Attributes:
    zero: what the first client of a leaf is accumulated into.
    accumulate: ((partial result, value)) -> partial result.
    merge: ((partial result, partial result)) -> partial result.
    num_clients: all clients.
  """

  zero: Any
  accumulate: Callable[[Any], Any]
  merge: Callable[[Any], Any]
  num_clients: int

  def reduce(
    self, node: Node, members: Mapping[int, Any], partials: Mapping[Node, Any] | None = None
  ) -> Any:
    """Returns the result of a node.

    Args:
      node: of the tree over all clients.
      members: values by client, of those under the node that no partial result is of.
      partials: what is already known of nodes under it.

    Raises:
      ClientComputationError: a client's value could not be accumulated.
    """
    if partials and node in partials:
      return partials[node]
    if node.level == 0:
      first, end = node.span(self.num_clients)
      return self._accumulate(first, [members[client] for client in range(first, end)])
    halves = [self.reduce(half, members, partials) for half in node.halves(self.num_clients)]
    return halves[0] if len(halves) == 1 else self.merge(tuple(halves))

  def _accumulate(self, first: int, members: Sequence[Any]) -> Any:
    if isinstance(self.accumulate, calls.TensorFlowCall):
      try:
        return self.accumulate.accumulate(self.zero, members)
      except tf.errors.OpError:
        pass  # One at a time, the failing client is found.
    total = self.zero
    for index, member in enumerate(members):
      try:
        total = self.accumulate((total, member))
      except tf.errors.OpError as error:
        raise scheduling.ClientComputationError(
          'federated_aggregate', first + index, error
        ) from error
    return total
