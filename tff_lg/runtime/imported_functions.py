"""Graphs as functions of TensorFlow, without an object of Python for every node.

`tf.compat.v1.wrap_function` with `tf.graph_util.import_graph_def` does the same. It makes objects
of Python for all nodes, which takes half of the time, and Python's garbage collector then looks
through them.
"""

import itertools
from collections.abc import Iterator, Sequence

import tensorflow as tf
from tensorflow.core.framework import function_pb2
from tensorflow.python.client import pywrap_tf_session as c_api
from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function import atomic_function
from tensorflow.python.framework import c_api_util, ops

from tff_lg.runtime import graphs

# A name that no graph has: Python does not see the names in what is imported.
_RESULT = 'tff_lg_result'

_numbers = itertools.count()


class ImportedFunction:
  """A function with what `tensorflow_functions` asks of a concrete one.

  Attributes:
    name: in TensorFlow's library of functions.
    graph: its operations, of which Python knows only those that give results.
    inputs: the arguments' specs.
    outputs: the results' tensors in the graph.
    captured_inputs: none.
  """

  captured_inputs: Sequence[tf.Tensor] = ()

  def __init__(
    self,
    graph_def: tf.compat.v1.GraphDef,
    parameters: Sequence[str],
    results: Sequence[str],
    before: Sequence[str] = (),
  ) -> None:
    """Imports the graph, and has TensorFlow know its functions.

    Args:
      graph_def: the graph; its library functions have names that no other content has.
      parameters: names of placeholders' tensors.
      results: names of tensors.
      before: names of operations that end before there are results.
    """
    nodes = {node.name: node for node in graph_def.node}
    self.inputs = [graphs.spec_of(nodes[graphs.node_name(name)]) for name in parameters]
    self.graph = tf.Graph()
    options = c_api_util.ScopedTFImportGraphDefOptions()
    for name in (*parameters, *results):
      node, index = name.split(':')
      c_api.TF_ImportGraphDefOptionsAddReturnOutput(options.options, node, int(index))
    for name in before:
      c_api.TF_ImportGraphDefOptionsAddReturnOperation(options.options, name)
    buffer = c_api_util.ScopedTFBuffer(graph_def.SerializeToString())
    with self.graph._c_graph.get() as c_graph:
      made = c_api_util.ScopedTFImportGraphDefResults(
        c_api.TF_GraphImportGraphDefWithResults(c_graph, buffer.buffer, options.options)
      )
      tensors = c_api.TF_ImportGraphDefResultsReturnOutputs(made.results)
      last = c_api.TF_ImportGraphDefResultsReturnOperations(made.results)
      with self.graph.as_default(), tf.control_dependencies(map(self._operation, last)):
        self.outputs = [
          tf.identity(self._operation(tensor.oper).outputs[tensor.index], name=_RESULT)
          for tensor in tensors[len(parameters) :]
        ]
      name = f'part_{next(_numbers)}'
      given = [output._as_tf_output() for output in self.outputs]
      function = c_api.TF_GraphToFunction_wrapper(
        c_graph, name, False, None, tensors[: len(parameters)], given, [], [], [], None, ''
      )
    eager = context.context()
    eager.ensure_initialized()
    eager.add_c_function(function)
    c_api.TF_DeleteFunction(function)
    self._function = atomic_function.AtomicFunction(
      name.encode(), eager, None, list(_in_library(graph_def.library.function))
    )
    self.name = self._function.name

  def _operation(self, operation: c_api.TF_Operation) -> tf.Operation:
    return ops.Operation._from_c_op(operation, self.graph)

  @property
  def function_def(self) -> function_pb2.FunctionDef:
    """Returns the definition."""
    return self._function.cached_definition

  def add_to_graph(self, graph: tf.Graph) -> None:
    """Lets a graph's nodes call the function."""
    graph._add_function_recursive(self._function)


def _in_library(
  functions: Sequence[function_pb2.FunctionDef],
) -> Iterator[atomic_function.AtomicFunction]:
  """Has TensorFlow know functions, as long as somebody refers to what is yielded."""
  eager = context.context()
  for function in functions:
    name = function.signature.name.encode()
    if not eager.has_function(name):
      eager.add_function_def(function)
    yield atomic_function.AtomicFunction(name, eager, None)
