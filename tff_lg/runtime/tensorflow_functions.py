"""TFF's TensorFlow computations as functions that this process can call.

A computation is a graph with names for its parameters and results. It is imported
once, cut to what its results need, and becomes a concrete function. The `tf.device` scope of
the call decides where it runs.
"""

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tensorflow as tf
from tensorflow.python.eager import context, execute

from tff_lg.compatibility import computation_pb2
from tff_lg.runtime import (
  cancellation,
  graphs,
  imported_functions,
  loops,
  reduce_dataset,
  sequences,
)

# One thread instantiates all functions: for each operation that its thread has not met, oneDNN's
# pass looks through all kernels that TensorFlow has, which takes a millisecond.
_INSTANTIATION = ThreadPoolExecutor(1, 'tff_lg_instantiation')

# From the parameter's tensors to the list of the result's.
FlatFunction = Callable[[Sequence[tf.Tensor]], list[tf.Tensor]]


def import_computation(computation: computation_pb2.TensorFlow) -> FlatFunction:
  """Imports a TensorFlow computation.

  Args:
    computation: the `tensorflow` part of a computation's proto.

  Returns:
    A function from the parameter's tensors, in the order of its type, to the list of
    the result's. Sequences are as in `sequences`.

  Variables and tables are made again at every call, so that clients that run at the
  same time don't write each other's.
  """
  graph_def = tf.compat.v1.GraphDef()
  computation.graph_def.Unpack(graph_def)
  parameters = graphs.tensor_names(computation.parameter)
  results = graphs.tensor_names(computation.result)
  graphs.rename_functions(graph_def)
  graphs.isolate_resources(graph_def, computation.initialize_op)
  graph_def = graphs.cut(graph_def, [*results, computation.initialize_op])
  graphs.fill_in_session_token(graph_def, parameters)
  loops.order_bodies(graph_def)
  reduce_dataset.replace_by_loops(graph_def)
  specs = graphs.untie_parameters(graph_def, parameters)
  used = [index for index, spec in enumerate(specs) if spec is not None]
  last = [computation.initialize_op] if computation.initialize_op else []
  function = as_flat_function(
    imported_functions.ImportedFunction(
      graph_def, [parameters[index] for index in used], results, last
    )
  )

  def call(arguments: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    return function([give(arguments[index], specs[index]) for index in used])

  def give(argument: tf.Tensor, spec: tf.TensorSpec) -> tf.Tensor:
    return sequences.to_variant(argument) if spec.dtype == tf.variant else argument

  return call


def as_flat_function(function: tf.types.experimental.ConcreteFunction) -> FlatFunction:
  """Returns a concrete function of flat tensors as a function from a list to a list.

  Work in a thread's `cancellation.Cancellation.scope` can be ended.
  """
  options = context.context().function_call_options.as_attrs()
  options['config_proto'] = rewriting_config(options['config_proto'], function)
  attributes = tuple(itertools.chain(*options.items()))
  lock, prepared = threading.Lock(), set()

  def execute_eagerly(inputs: Sequence[tf.Tensor], manager: Any) -> list[tf.Tensor]:
    # Calling the function itself would first try to bind names, and describe every tensor
    # in the error that it then drops: milliseconds a call.
    return execute.execute_with_cancellation(
      function.name,
      num_outputs=len(function.outputs),
      inputs=inputs,
      attrs=attributes,
      ctx=context.context(),
      cancellation_manager=manager,
    )

  def instantiate(inputs: Sequence[tf.Tensor], device: str) -> None:
    with tf.device(device), contextlib.suppress(tf.errors.OpError):
      execute_eagerly(inputs, cancellation.cancelled_manager())

  def prepare(inputs: Sequence[tf.Tensor]) -> None:
    """Lets TensorFlow instantiate the function; each of two threads would do all the work."""
    device = context.context().device_name
    if device in prepared:
      return
    with lock:
      if device not in prepared:
        _INSTANTIATION.submit(instantiate, inputs, device).result()
        prepared.add(device)

  def call(arguments: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    inputs = [*arguments, *function.captured_inputs]
    if not tf.executing_eagerly():
      return _call_in_graph(function, inputs, options)
    prepare(inputs)
    return execute_eagerly(inputs, cancellation.current_manager() or cancellation.idle_manager())

  return call


def rewriting_config(
  config_proto: bytes, function: tf.types.experimental.ConcreteFunction
) -> bytes:
  """Returns options of calls by which Grappler does what pays when a function is instantiated.

  Parts were optimised once, see `grappler.optimize`. Constants are left to be folded, in one
  iteration. Convolutions need it, as do the products of stacked clients, whose steps take up to
  1.7 times as long without. For other functions, also those of perceptrons and recurrent layers,
  it takes longer than it saves in many calls.

  The remapper fuses a product of matrices with an addend that is a vector, or a tensor that
  broadcasts like one. The kernel of oneDNN then refuses all but vectors. The gradient of a layer
  with one input, to which momentum is added, is such a sum.

  Args:
    config_proto: the options so far, a serialized `ConfigProto`.
    function: what is called.

  Returns:
    The options, serialized.
  """
  config = tf.compat.v1.ConfigProto.FromString(config_proto)
  rewriting = config.graph_options.rewrite_options
  rewriting.meta_optimizer_iterations = rewriting.ONE
  rewriting.disable_meta_optimizer = not _is_worth_it(function.graph)
  if _has_rows(function.inputs):
    rewriting.remapping = rewriting.OFF
  return config.SerializeToString(deterministic=True)


def _is_worth_it(graph: tf.Graph) -> bool:
  """Returns whether a graph convolves or multiplies batches of matrices."""
  graph_def = graph.as_graph_def()
  functions = (function.node_def for function in graph_def.library.function)
  nodes = itertools.chain(graph_def.node, *functions)
  return any(name in node.op for node in nodes for name in ('Conv', 'BatchMatMul', 'Einsum'))


def _has_rows(tensors: Iterable[tf.Tensor]) -> bool:
  """Returns whether a tensor is one row of a matrix, by its static shape."""
  return any(
    tensor.shape.rank is not None and tensor.shape.rank > 1 and set(tensor.shape[:-1]) == {1}
    for tensor in tensors
  )


def _call_in_graph(
  function: tf.types.experimental.ConcreteFunction,
  inputs: Sequence[tf.Tensor],
  options: Mapping[str, Any],
) -> list[tf.Tensor]:
  """Adds a call of a function to the graph that is being traced.

  TensorFlow's own calls infer the shapes in the function again. They meet a loop's nodes in an
  order that differs from process to process, and fail at one whose inputs come after it.
  """
  graph = tf.compat.v1.get_default_graph()
  function.add_to_graph(graph)
  outputs = [output.dtype for output in function.outputs]
  is_stateful = function.function_def.signature.is_stateful
  op = 'StatefulPartitionedCall' if is_stateful else 'PartitionedCall'
  attributes = {
    'Tin': graphs.types_attribute(tensor.dtype.as_datatype_enum for tensor in inputs),
    'Tout': graphs.types_attribute(output.as_datatype_enum for output in outputs),
    'f': tf.compat.v1.AttrValue(func=tf.compat.v1.NameAttrList(name=function.name)),
    'config_proto': tf.compat.v1.AttrValue(s=options['config_proto']),
    'executor_type': tf.compat.v1.AttrValue(s=options['executor_type'].encode()),
    '_disable_call_shape_inference': tf.compat.v1.AttrValue(b=True),
  }
  call = graph.create_op(op, inputs, outputs, name=op, attrs=attributes)
  for output, known in zip(call.outputs, function.outputs, strict=True):
    output.set_shape(known.shape)
  return call.outputs
