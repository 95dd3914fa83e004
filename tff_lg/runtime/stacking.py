"""Several clients that are alike in one call of TensorFlow, along a stacked client axis.

A round of small models is thousands of small operations. With `tf.vectorized_map` an
operation on one client's tensors becomes one on the tensors of several: fewer and larger
operations, which fills a GPU. TensorFlow loops over clients for work that cannot be vectorised in
this way, for example a convolution with filters of each client's own.

Clients are alike if their tensors have the same shapes and their scalars have the same values. The
share of the work that they do is such a scalar. A scalar is passed once for all clients. If each
client had its own, and the number of steps depended on it, `tf.vectorized_map` would check after
every step who has finished. It would then copy all weights and examples of the others.
"""

import collections
from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from tensorflow.core.function.polymorphism import function_type
from tensorflow.python.eager.polymorphic_function import concrete_function
from tensorflow.python.saved_model import function_deserialization

from tff_lg.compatibility import computation_pb2
from tff_lg.runtime import fusion, graphs, tensorflow_functions


def import_stackable(computation: computation_pb2.TensorFlow) -> tensorflow_functions.FlatFunction:
  """Imports a TensorFlow computation so that `tf.vectorized_map` can look into it.

  Args:
    computation: the `tensorflow` part of a computation's proto, its loops still functions.

  Returns:
    As `tensorflow_functions.import_computation`, to be called while a graph is traced.

  Raises:
    NotImplementedError: the computation has state of its own, which clients cannot share.
  """
  if computation.initialize_op:
    raise NotImplementedError('Computations with variables cannot be stacked.')
  graph_def = tf.compat.v1.GraphDef()
  computation.graph_def.Unpack(graph_def)
  parameters = graphs.tensor_names(computation.parameter)
  results = graphs.tensor_names(computation.result)
  graph_def = graphs.cut(graph_def, results)
  graphs.fill_in_session_token(graph_def, parameters)
  present = {node.name for node in graph_def.node}
  used = [index for index, name in enumerate(parameters) if graphs.node_name(name) in present]
  for function in graph_def.library.function:
    for node in function.node_def:
      node.attr.pop('config_proto', None)  # With it, TFF turns Grappler off.
  functions = function_deserialization.load_function_def_library(
    graph_def.library, wrapper_function=_with_flat_outputs
  )
  graphs.rename_called(
    graph_def.node, {name: function.name for name, function in functions.items()}
  )
  del graph_def.library.function[:]

  def call(arguments: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    graph = tf.compat.v1.get_default_graph()
    for function in functions.values():
      function.add_to_graph(graph)
    fed = {f'{graphs.node_name(parameters[index])}:0': arguments[index] for index in used}
    return tf.graph_util.import_graph_def(
      graph_def, input_map=fed, return_elements=results, name='stackable'
    )

  return call


def _with_flat_outputs(
  function: tf.types.experimental.ConcreteFunction,
) -> tf.types.experimental.ConcreteFunction:
  """Returns the loaded function, whose type lacks its outputs, with them."""
  graph = function.graph
  graph.structured_outputs = list(graph.outputs)
  flat_type = function_type.from_structured_signature(
    graph.structured_input_signature,
    graph.structured_outputs,
    graph.function_captures.capture_types,
  )
  return concrete_function.ConcreteFunction.from_func_graph(graph, flat_type, attrs={})


class StackedFunction:
  """A group's function for several clients at a time, which are alike."""

  def __init__(self, program: fusion.Program, size: int) -> None:
    """Traces it.

    Args:
      program: of the group, with parts made by `import_stackable`.
      size: how many clients a call is for.

    Raises:
      NotImplementedError: the group takes sequences, or nothing of each client's own.
    """
    if any(spec.dtype == tf.variant for spec in program.specs):
      raise NotImplementedError('Sequences cannot be stacked.')
    scalars = set(scalar_indices(program))
    shared = [is_shared or index in scalars for index, is_shared in enumerate(program.shared)]
    if all(shared):
      raise NotImplementedError('Only tensors of the clients can be stacked.')
    self.size = size
    self._program = program
    self._own = [index for index, is_shared in enumerate(shared) if not is_shared]
    self._common = [index for index, is_shared in enumerate(shared) if is_shared]

    def stacked(*tensors: tf.Tensor) -> list[tf.Tensor]:
      common = dict(zip(self._common, tensors, strict=False))
      columns = [tensors[start : start + size] for start in range(len(common), len(tensors), size)]

      def one_client(own: Sequence[tf.Tensor]) -> list[tf.Tensor]:
        values = common | dict(zip(self._own, own, strict=True))
        return program.outputs([values[index] for index in range(len(shared))])

      outputs = tf.vectorized_map(one_client, [tf.stack(column) for column in columns], warn=False)
      return [member for output in outputs for member in tf.unstack(output, num=size)]

    specs = [program.specs[index] for index in self._common]
    specs += [program.specs[index] for index in self._own for _ in range(size)]
    self._function = tensorflow_functions.as_flat_function(
      tf.function(stacked, autograph=False).get_concrete_function(*specs)
    )

  def __call__(self, rows: Sequence[Sequence[tf.Tensor]]) -> list[tuple]:
    """Returns the group's results for `size` clients that are alike."""
    tensors = [rows[0][index] for index in self._common]
    tensors += [row[index] for index in self._own for row in rows]
    outputs = self._function(tensors)
    return [
      self._program.results([*row, *outputs[client :: self.size]])
      for client, row in enumerate(rows)
    ]


def scalar_indices(program: fusion.Program) -> list[int]:
  """Returns which of a program's arguments are scalars of each client's own."""
  return [
    index
    for index, (spec, is_shared) in enumerate(zip(program.specs, program.shared, strict=True))
    if not is_shared and spec.shape.rank == 0 and spec.dtype != tf.variant
  ]


def chunks(
  rows: Sequence[Sequence[tf.Tensor]], size: int, scalars: Sequence[int] = ()
) -> list[list[int]]:
  """Puts clients that are alike together.

  Args:
    rows: each client's tensors.
    size: how many clients a stack has.
    scalars: which of the tensors are scalars, whose values count, too.

  Returns:
    Lists of `size` clients, the rest in lists of their own; by index.
  """
  alike = collections.defaultdict(list)
  for index, row in enumerate(rows):
    shapes = tuple(tuple(tensor.shape) for tensor in row)
    values = tuple(np.asarray(row[scalar].numpy()).tobytes() for scalar in scalars)
    alike[shapes, values].append(index)
  found = []
  for clients in alike.values():
    num_full = len(clients) // size * size
    found += [clients[start : start + size] for start in range(0, num_full, size)]
    found += [[index] for index in clients[num_full:]]
  return sorted(found)
