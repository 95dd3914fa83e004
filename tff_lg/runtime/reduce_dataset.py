"""`ReduceDataset`, TFF's default client loop, as a loop over an iterator.

TensorFlow instantiates the reduction's function at every execution of the operation,
and lets it ignore the device of the call: tens of milliseconds a client. A while loop
does the same work in a function that is instantiated once and follows the device.
"""

from collections.abc import Sequence

import tensorflow as tf
from tensorflow.core.framework import function_pb2

from tff_lg.runtime import graphs, loops


def replace_by_loops(graph_def: tf.compat.v1.GraphDef) -> None:
  """Replaces each `ReduceDataset` by a call of a loop, in place.

  Args:
    graph_def: a graph with its function library, whose functions have unique names.
  """
  nodes = graphs.nodes_to_call(graph_def, lambda node: node.op == 'ReduceDataset')
  known = {function.signature.name for function in graph_def.library.function}
  added: list[function_pb2.FunctionDef] = []
  for node in nodes:
    loop = _build_loop(node, graph_def)
    for function in (*loop.graph.as_graph_def().library.function, loop.function_def):
      if function.signature.name not in known:
        known.add(function.signature.name)
        added.append(function)
    shapes = list(node.attr['output_shapes'].list.shape)
    graphs.call_instead(node, loop.function_def)
    node.attr['_output_shapes'].list.shape.extend(shapes)
  graph_def.library.function.extend(added)


def _build_loop(
  node: tf.compat.v1.NodeDef, graph_def: tf.compat.v1.GraphDef
) -> tf.types.experimental.ConcreteFunction:
  """Builds (data set, state, other arguments) -> state for the node's reduction."""
  library = tf.compat.v1.GraphDef()
  library.library.CopyFrom(graph_def.library)
  library.versions.CopyFrom(graph_def.versions)
  function_name = node.attr['f'].func.name
  signature = next(
    function.signature
    for function in graph_def.library.function
    if function.signature.name == function_name
  )
  state_dtypes = _dtypes(node, 'Tstate')
  argument_dtypes = _dtypes(node, 'Targuments')
  shapes = [tf.TensorShape(shape) for shape in node.attr['output_shapes'].list.shape]
  # What the reduction takes between the state and the other arguments is an element.
  element_dtypes = [tf.as_dtype(argument.type) for argument in signature.input_arg][
    len(state_dtypes) : len(signature.input_arg) - len(argument_dtypes)
  ]
  element_specs = [tf.TensorSpec(None, dtype) for dtype in element_dtypes]

  def loop(variant: tf.Tensor, *tensors: tf.Tensor) -> Sequence[tf.Tensor]:
    tf.graph_util.import_graph_def(library, name='')  # brings the functions, no node
    state, others = tensors[: len(state_dtypes)], tensors[len(state_dtypes) :]
    with tf.device('cpu:0'):
      handle = tf.raw_ops.AnonymousIteratorV3(
        output_types=element_dtypes, output_shapes=[spec.shape for spec in element_specs]
      )
      made = tf.raw_ops.MakeIterator(dataset=variant, iterator=handle)

    def next_element() -> tf.Tensor:
      with tf.device('cpu:0'):
        return tf.raw_ops.IteratorGetNextAsOptional(
          iterator=handle,
          output_types=element_dtypes,
          output_shapes=[spec.shape for spec in element_specs],
        )

    def one_step(*tensors: tf.Tensor) -> tuple:
      optional, *rest = loops.enter_body([*tensors, *others])
      state, constants = rest[: len(state_dtypes)], rest[len(state_dtypes) :]
      with tf.device('cpu:0'):
        element = tf.raw_ops.OptionalGetValue(
          optional=optional,
          output_types=element_dtypes,
          output_shapes=[spec.shape for spec in element_specs],
        )
      state = tf.raw_ops.StatefulPartitionedCall(
        args=[*state, *element, *constants], Tout=state_dtypes, f=_Function(function_name)
      )
      for tensor, shape in zip(state, shapes, strict=True):
        tensor.set_shape(shape)
      with tf.control_dependencies(state):
        return next_element(), *state

    def has_element(optional: tf.Tensor, *state: tf.Tensor) -> tf.Tensor:
      del state
      with tf.device('cpu:0'):
        return tf.raw_ops.OptionalHasValue(optional=optional)

    with tf.control_dependencies([made]):
      first = next_element()
    _, *state = tf.while_loop(
      has_element,
      one_step,
      (first, *state),
      shape_invariants=(tf.TensorShape([]), *shapes),
      parallel_iterations=1,
    )
    return state

  signature_specs = [tf.TensorSpec([], tf.variant)]
  signature_specs += [
    tf.TensorSpec(shape, dtype) for shape, dtype in zip(shapes, state_dtypes, strict=True)
  ]
  signature_specs += [tf.TensorSpec(None, dtype) for dtype in argument_dtypes]
  # tf.function, unlike wrap_function, says in its control outputs what must have run.
  return tf.function(loop, autograph=False).get_concrete_function(*signature_specs)


class _Function:
  """A function of the library, as raw operations take one."""

  def __init__(self, name: str) -> None:
    self.name = name

  def add_to_graph(self, graph: tf.Graph) -> None:
    """Does nothing, as the node is in the graph already."""


def _dtypes(node: tf.compat.v1.NodeDef, name: str) -> list[tf.DType]:
  return [tf.as_dtype(dtype) for dtype in node.attr[name].list.type]
