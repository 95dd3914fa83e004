"""TensorFlow parts without what differs from process to process and does not matter.

So the cache on disk knows a part that another process made, and two parts of one process that do
the same are imported once.
"""

import collections
import itertools
import re
from collections.abc import Iterator

import tensorflow as tf
from tensorflow.core.framework import function_pb2

from tff_lg.compatibility import tff
from tff_lg.runtime import graphs, initial_values

# The number of a Python function that makes a gradient; a part's gradients have been made.
_GRADIENT = '_gradient_op_type'


def without_process(
  part: tff.framework.CompiledComputation,
) -> tff.framework.CompiledComputation:
  """Returns a part without seeds of unread first values, and without numbers of functions."""
  computation = part.proto.tensorflow
  graph_def = tf.compat.v1.GraphDef()
  computation.graph_def.Unpack(graph_def)
  if computation.initialize_op:
    bindings = (computation.parameter, computation.result)
    needed = [name for binding in bindings for name in graphs.tensor_names(binding)]
    needed += [computation.initialize_op, computation.session_token_tensor_name]
    graph_def = initial_values.without_unread(graph_def, computation.initialize_op, needed)
  elif not graph_def.library.function and _GRADIENT.encode() not in computation.graph_def.value:
    return part
  number_functions(graph_def)
  return graphs.replace_in(part, graph_def)


def number_functions(graph_def: tf.compat.v1.GraphDef) -> None:
  """Numbers library functions in the order in which the graph calls them, and drops all others.

  TensorFlow numbers them by all that its process traced before. Its names of arguments that a
  function does not use have such numbers, too.
  """
  functions = list(_in_order(graph_def))
  names = [function.signature.name for function in functions]
  gradients = [each for each in graph_def.library.gradient if each.function_name in names]
  graph_def.library.Clear()
  graph_def.library.function.extend(functions)
  graph_def.library.gradient.extend(gradients)
  bases = [re.sub(r'_\d+', '', name) for name in names]
  graphs.rename(
    graph_def,
    {name: f'{base}_{at}' for at, (name, base) in enumerate(zip(names, bases, strict=True))},
  )
  for function in graph_def.library.function:
    _number_unused_arguments(function)
  for nodes in (graph_def.node, *(function.node_def for function in graph_def.library.function)):
    for node in nodes:
      node.attr.pop(_GRADIENT, None)


def _in_order(graph_def: tf.compat.v1.GraphDef) -> Iterator[function_pb2.FunctionDef]:
  """Yields the functions that the graph calls, in the order in which it does."""
  functions = {function.signature.name: function for function in graph_def.library.function}
  gradients = {each.function_name: each.gradient_func for each in graph_def.library.gradient}
  bodies = collections.deque([graph_def.node])
  while bodies:
    for node in bodies.popleft():
      # An operation can be a function, too.
      called = [node.op, *(function.name for function in graphs.functions_of(node))]
      for name in [*called, *(gradients.get(name, '') for name in called)]:
        if function := functions.pop(name, None):
          bodies.append(function.node_def)
          yield function


def _number_unused_arguments(function: function_pb2.FunctionDef) -> None:
  used = {graphs.node_name(name) for node in function.node_def for name in node.input}
  used.update(map(graphs.node_name, function.ret.values()))
  unused = [each for each in function.signature.input_arg if each.name not in used]
  names = (name for name in map('unused_{}'.format, itertools.count()) if name not in used)
  for argument, name in zip(unused, names, strict=False):
    argument.name = name
