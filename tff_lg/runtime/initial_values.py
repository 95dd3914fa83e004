"""Initial values of variables that nobody reads.

TFF builds the model at each client. Its variables get random values first, then the weights that
the server sent. The orthogonal matrix of a recurrent layer can take longer than the training.
"""

import collections
import functools
import graphlib
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence

import tensorflow as tf

from tff_lg.runtime import graphs

_WRITE = 'AssignVariableOp'
_LOOPS = {'Enter', 'RefEnter'}
_BRANCHES = {'Switch', 'RefSwitch'}


def drop_unread(graph_def: tf.compat.v1.GraphDef, initialize_op: str) -> None:
  """Leaves variables without a first value, where nothing reads it.

  That is so for a variable that is not used, or that a node writes before all other uses. A node
  after a branch does not count, as it might not run.

  Args:
    graph_def: is changed in place: nodes that write such values do nothing. Those that make them
      are left for `graphs.cut`. A graph with loops of the old kind stays as it is.
    initialize_op: name of the node that initialises all variables; empty if there are none.
  """
  operations = {node.op for node in graph_def.node}
  if not initialize_op or 'VarHandleOp' not in operations or operations & _LOOPS:
    return
  nodes = _in_order(graph_def)
  uses = _uses(nodes)
  writes = [node for each in uses.values() for node in each if node.op == _WRITE]
  branches = [node for node in nodes if node.op in _BRANCHES]
  is_before = _order(nodes, [*writes, *branches])
  initial = graphs.ancestors(graph_def, [initialize_op])

  def comes_first(node: tf.compat.v1.NodeDef, uses: Iterable[tf.compat.v1.NodeDef]) -> bool:
    return (
      node.op == _WRITE
      and all(node is use or is_before(node, use) for use in uses)
      and not any(is_before(branch, node) for branch in branches)
    )

  for each in uses.values():
    first = [node for node in each if node.name in initial]
    later = [node for node in each if node.name not in initial]
    is_unread = not later or any(comes_first(node, later) for node in later)
    if is_unread and [node.op for node in first] == [_WRITE]:
      _do_nothing(first[0])


def _in_order(graph_def: tf.compat.v1.GraphDef) -> list[tf.compat.v1.NodeDef]:
  """Returns the nodes, each after its inputs."""
  nodes = {node.name: node for node in graph_def.node}
  inputs = {name: list(map(graphs.node_name, node.input)) for name, node in nodes.items()}
  return [nodes[name] for name in graphlib.TopologicalSorter(inputs).static_order()]


def _uses(
  nodes: Iterable[tf.compat.v1.NodeDef],
) -> Mapping[str, Sequence[tf.compat.v1.NodeDef]]:
  """Returns, for each variable, the nodes that take its handle, in their order."""
  variables: dict[str, str] = {}  # By the node that passes on the handle.
  uses = collections.defaultdict(list)
  for node in nodes:
    taken = [variables.get(name.removesuffix(':0'), '') for name in node.input]
    if node.op == 'VarHandleOp':
      variables[node.name] = node.name
    elif node.op == 'Identity' and taken[0]:
      variables[node.name] = taken[0]
    else:
      for variable in filter(None, dict.fromkeys(taken)):
        uses[variable].append(node)
  return uses


def _order(
  nodes: Iterable[tf.compat.v1.NodeDef], known: Sequence[tf.compat.v1.NodeDef]
) -> Callable[[tf.compat.v1.NodeDef, tf.compat.v1.NodeDef], bool]:
  """Returns the function that tells whether a known node runs before another.

  Args:
    nodes: of the graph, each after its inputs.
    known: those that it can tell of.
  """
  bits = {node.name: 1 << index for index, node in enumerate(known)}
  earlier: dict[str, int] = {}  # The bits of what runs before each node.
  for node in nodes:
    earlier[node.name] = functools.reduce(
      operator.or_,
      (earlier[name] | bits.get(name, 0) for name in map(graphs.node_name, node.input)),
      0,
    )
  return lambda node, other: bool(earlier[other.name] & bits[node.name])


def _do_nothing(node: tf.compat.v1.NodeDef) -> None:
  """Leaves only the order: what waits for the node, and what it waits for."""
  waits = [name for name in node.input if name.startswith('^')]
  node.op = 'NoOp'
  node.attr.clear()
  del node.input[:]
  node.input.extend(waits)
