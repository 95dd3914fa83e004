"""Initial values of variables that nobody reads.

TFF builds the model at each client. Its variables get random values first, then the weights that
the server sent. The orthogonal matrix of a recurrent layer can take longer than the training.
Unseeded initialisers also make the part another one in each process, unknown to a cache.
"""

import collections
import functools
import graphlib
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import tensorflow as tf

from tff_lg.runtime import graphs

_Nodes = Sequence[tf.compat.v1.NodeDef]
_WRITE = 'AssignVariableOp'
_CALLS = {'PartitionedCall', 'StatefulPartitionedCall'}
_LOOPS = {'Enter', 'RefEnter'}
_BRANCHES = {'Switch', 'RefSwitch'}


def without_unread(
  graph_def: tf.compat.v1.GraphDef, initialize_op: str, needed: Sequence[str]
) -> tf.compat.v1.GraphDef:
  """Returns a graph without first values of variables, where nothing reads them.

  That is so for a variable that is not used, or that a node writes before all other uses. Such a
  node may be in a function that is called, but not after a branch, as it might not run. A graph
  with loops of the old kind stays as it is.

  Args:
    graph_def: may be changed in place.
    initialize_op: name of the node that initialises all variables.
    needed: names of all nodes and tensors that are used later, the one above included.
  """
  graph_def = graphs.cut(graph_def, needed)  # Each variable has a node that reads it.
  for node in list(_list_unread(graph_def, initialize_op)):
    _do_nothing(node)
  return graphs.cut(graph_def, needed)


def _list_unread(
  graph_def: tf.compat.v1.GraphDef, initialize_op: str
) -> Iterator[tf.compat.v1.NodeDef]:
  """Lists the nodes that write a first value which nothing reads."""
  handles = [node.name for node in graph_def.node if node.op == 'VarHandleOp']
  if not handles or any(node.op in _LOOPS for node in graph_def.node):
    return
  initial = graphs.ancestors(graph_def, [initialize_op])
  body = _Body(graph_def.node, handles, _Library(graph_def))
  for handle in handles:
    first = [node for node in body.uses[handle] if node.name in initial]
    later = [node for node in body.uses[handle] if node.name not in initial]
    if [node.op for node in first] == [_WRITE] and (not later or body.is_written(handle, later)):
      yield first[0]


class _Library:
  """The functions of a graph."""

  def __init__(self, graph_def: tf.compat.v1.GraphDef) -> None:
    self._functions = {function.signature.name: function for function in graph_def.library.function}
    self._arguments: dict[str, list[bool]] = {}

  def writes(self, call: tf.compat.v1.NodeDef, index: int) -> bool:
    """Tells whether a call writes the variable of an argument before it uses it otherwise."""
    name = call.attr['f'].func.name
    if name not in self._arguments:
      function = self._functions[name]
      arguments = [argument.name for argument in function.signature.input_arg]
      body = _Body(function.node_def, arguments, self)
      returned = set(map(graphs.node_name, function.ret.values()))
      self._arguments[name] = [
        not body.aliases(argument) & returned and body.is_written(argument, body.uses[argument])
        for argument in arguments
      ]
    return self._arguments[name][index]


class _Body:
  """The nodes of a graph or a function, and how they use variables."""

  def __init__(
    self, nodes: Iterable[tf.compat.v1.NodeDef], handles: Sequence[str], library: _Library
  ) -> None:
    """Finds the uses.

    Args:
      nodes: in any order.
      handles: nodes or arguments that are handles of variables.
      library: the functions that nodes call.
    """
    self._library = library
    self._variables = dict(zip(handles, handles, strict=True))  # By the node that passes it on.
    self.uses: Mapping[str, list[tf.compat.v1.NodeDef]] = collections.defaultdict(list)
    nodes = _in_order(nodes)
    for node in nodes:
      taken = self._taken(node)
      if node.op == 'Identity' and taken[0]:
        self._variables[node.name] = taken[0]
        continue
      for variable in filter(None, dict.fromkeys(taken)):
        self.uses[variable].append(node)
    known = [node for node in nodes if node.op in {_WRITE, *_CALLS, *_BRANCHES}]
    self._branches = [node for node in known if node.op in _BRANCHES]
    self._is_before = _order(nodes, known)

  def aliases(self, handle: str) -> set[str]:
    """Returns the nodes that pass on a handle."""
    return {name for name, variable in self._variables.items() if variable == handle}

  def is_written(self, handle: str, uses: _Nodes) -> bool:
    """Tells whether one of the uses of a variable writes it before all others."""
    return any(
      self._writes(node, handle)
      and all(node is use or self._is_before(node, use) for use in uses)
      and not any(self._is_before(branch, node) for branch in self._branches)
      for node in uses
    )

  def _writes(self, node: tf.compat.v1.NodeDef, handle: str) -> bool:
    taken = self._taken(node)
    if node.op == _WRITE:
      return taken[0] == handle
    once = taken.count(handle) == 1  # Under a second name, the function might read it first.
    return once and node.op in _CALLS and self._library.writes(node, taken.index(handle))

  def _taken(self, node: tf.compat.v1.NodeDef) -> list[str]:
    """Returns for each input the variable whose handle it is, '' if none."""
    return [
      '' if name.startswith('^') else self._variables.get(graphs.node_name(name), '')
      for name in node.input
    ]


def _in_order(nodes: Iterable[tf.compat.v1.NodeDef]) -> _Nodes:
  """Returns the nodes, each after its inputs."""
  by_name = {node.name: node for node in nodes}
  inputs = {name: list(map(graphs.node_name, node.input)) for name, node in by_name.items()}
  order = graphlib.TopologicalSorter(inputs).static_order()
  return [by_name[name] for name in order if name in by_name]  # Arguments are no nodes.


def _order(
  nodes: _Nodes, known: _Nodes
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
      (earlier.get(name, 0) | bits.get(name, 0) for name in map(graphs.node_name, node.input)),
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
