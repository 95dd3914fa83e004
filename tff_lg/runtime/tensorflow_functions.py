"""TFF's TensorFlow computations as functions that this process can call.

A computation is a graph with names for its parameters and results. It is imported
once, cut to what its results need, and becomes a concrete function; where it runs is
decided by the `tf.device` scope of the call.
"""

import itertools
from collections.abc import Callable, Sequence

import tensorflow as tf
from tensorflow.python.eager import context, execute

from tff_lg.compatibility import computation_pb2
from tff_lg.runtime import cancellation, graphs, loops, reduce_dataset

# From the parameter's tensors to the list of the result's.
FlatFunction = Callable[[Sequence[tf.Tensor]], list[tf.Tensor]]


def import_computation(computation: computation_pb2.TensorFlow) -> FlatFunction:
  """Imports a TensorFlow computation.

  Args:
    computation: the `tensorflow` part of a computation's proto.

  Returns:
    A function from the parameter's tensors, in the order of its type, to the list of
    the result's; a sequence is its variant tensor.

  Variables and tables are made anew at every call, so that clients that run at the
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
  present = {node.name for node in graph_def.node}

  def import_graph() -> None:
    tf.graph_util.import_graph_def(graph_def, name='')

  wrapped = tf.compat.v1.wrap_function(import_graph, [])
  graph = wrapped.graph
  with graph.as_default():
    fetches = [tf.identity(graph.get_tensor_by_name(name)) for name in results]
    if computation.initialize_op:
      initialize = graph.get_operation_by_name(computation.initialize_op)
      with tf.control_dependencies([initialize]):
        fetches = [tf.identity(fetch) for fetch in fetches]
  used = [index for index, name in enumerate(parameters) if graphs.node_name(name) in present]
  feeds = [graph.get_tensor_by_name(parameters[index]) for index in used]
  function = as_flat_function(wrapped.prune(feeds, fetches))

  def call(arguments: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    return function([arguments[index] for index in used])

  return call


def as_flat_function(function: tf.types.experimental.ConcreteFunction) -> FlatFunction:
  """A concrete function of flat tensors as a function from a list to a list.

  What runs in a thread's `cancellation.Cancellation.scope` can be ended.
  """
  options = context.context().function_call_options.as_attrs()
  attributes = tuple(itertools.chain(*options.items()))

  def call(arguments: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    manager = cancellation.current_manager()
    if manager is None or not tf.executing_eagerly():
      # Calling the function itself would first try to bind names, and describe every tensor
      # in the error that it then drops: milliseconds a call.
      return function._call_flat(list(arguments), function.captured_inputs)
    return execute.execute_with_cancellation(
      function.name,
      num_outputs=len(function.outputs),
      inputs=[*arguments, *function.captured_inputs],
      attrs=attributes,
      ctx=context.context(),
      cancellation_manager=manager,
    )

  return call
