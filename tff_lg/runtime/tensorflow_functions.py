"""TFF's TensorFlow computations as functions that this process can call.

A computation is a graph with names for its parameters and results. It is imported
once, cut to what its results need, and becomes a concrete function; where it runs is
decided by the `tf.device` scope of the call.
"""

import hashlib
import itertools
from collections.abc import Callable, Sequence

import tensorflow as tf
from tensorflow.python.eager import context, execute
from tensorflow_federated.proto.v0 import computation_pb2

from tff_lg.runtime import cancellation, loops, reduce_dataset

# TensorFlow makes a new resource at every call for a handle of this name
# (tensorflow::ResourceHandle::ANONYMOUS_NAME).
_ANONYMOUS = b'cd2c89b7-88b7-44c8-ad83-06c2a9158347'
# Tables have operations of their own for that, with all but the names as attributes.
_ANONYMOUS_TABLES = {
  'HashTableV2': 'AnonymousHashTable',
  'MutableHashTableV2': 'AnonymousMutableHashTable',
  'MutableHashTableOfTensorsV2': 'AnonymousMutableHashTableOfTensors',
  'MutableDenseHashTableV2': 'AnonymousMutableDenseHashTable',
}
# From the parameter's tensors to the list of the result's.
FlatFunction = Callable[[Sequence[tf.Tensor]], list[tf.Tensor]]

_NAMES = ('container', 'shared_name', 'use_node_name_sharing')


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
  parameters = _tensor_names(computation.parameter)
  results = _tensor_names(computation.result)
  _rename_functions(graph_def)
  _isolate_resources(graph_def, computation.initialize_op)
  graph_def = _cut(graph_def, [*results, computation.initialize_op])
  loops.order_bodies(graph_def)
  reduce_dataset.replace_by_loops(graph_def)
  present = {node.name for node in graph_def.node}
  token = computation.session_token_tensor_name
  with_token = bool(token) and _node(token) in present

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
  used = [index for index, name in enumerate(parameters) if _node(name) in present]
  feeds = [graph.get_tensor_by_name(parameters[index]) for index in used]
  if with_token:
    feeds.append(graph.get_tensor_by_name(token))
  function = as_flat_function(wrapped.prune(feeds, fetches))

  def call(arguments: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    fed = [arguments[index] for index in used]
    if with_token:
      fed.append(tf.constant('tff_lg'))
    return function(fed)

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


def _tensor_names(binding: computation_pb2.TensorFlow.Binding) -> list[str]:
  """Names of a binding's tensors, in the order of its type."""
  kind = binding.WhichOneof('binding')
  if kind == 'struct':
    return [name for element in binding.struct.element for name in _tensor_names(element)]
  if kind == 'tensor':
    return [binding.tensor.tensor_name]
  return [binding.sequence.variant_tensor_name] if kind == 'sequence' else []


def _node(name: str) -> str:
  """The node of an input or a tensor: of `^a`, `a:0` and `a` it is `a`."""
  return name.removeprefix('^').split(':')[0]


def _rename_functions(graph_def: tf.compat.v1.GraphDef) -> None:
  """Gives library functions names that no other graph has: eager TensorFlow knows one library."""
  functions = graph_def.library.function
  if not functions:
    return
  digest = hashlib.sha256(graph_def.SerializeToString(deterministic=True)).hexdigest()[:16]
  names = {function.signature.name: f'{function.signature.name}_{digest}' for function in functions}

  def rename(nodes: Sequence[tf.compat.v1.NodeDef]) -> None:
    for node in nodes:
      node.op = names.get(node.op, node.op)
      for attribute in node.attr.values():
        for called in (attribute.func, *attribute.list.func):
          if called.name:
            called.name = names.get(called.name, called.name)

  for function in functions:
    function.signature.name = names[function.signature.name]
    rename(function.node_def)
  for gradient in graph_def.library.gradient:
    gradient.function_name = names.get(gradient.function_name, gradient.function_name)
    gradient.gradient_func = names.get(gradient.gradient_func, gradient.gradient_func)
  rename(graph_def.node)


def _isolate_resources(graph_def: tf.compat.v1.GraphDef, initialize_op: str) -> None:
  """Makes resources anonymous; what uses one waits until it is initialised."""
  resources = set()
  for node in graph_def.node:
    if node.op == 'VarHandleOp':
      resources.add(node.name)
      node.attr['shared_name'].s = _ANONYMOUS
    elif node.op in _ANONYMOUS_TABLES:
      resources.add(node.name)
      node.op = _ANONYMOUS_TABLES[node.op]
      for name in _NAMES:
        node.attr.pop(name, None)
  if not initialize_op:
    return
  before = _ancestors(graph_def, [initialize_op])
  for node in graph_def.node:
    if node.name not in before and any(_node(name) in resources for name in node.input):
      node.input.append(f'^{initialize_op}')


def _ancestors(graph_def: tf.compat.v1.GraphDef, names: Sequence[str]) -> set[str]:
  """The nodes, and all that they depend on."""
  inputs = {node.name: node.input for node in graph_def.node}
  found: set[str] = set()
  waiting = [_node(name) for name in names if name]
  while waiting:
    name = waiting.pop()
    if name not in found:
      found.add(name)
      waiting.extend(map(_node, inputs[name]))
  return found


def _cut(graph_def: tf.compat.v1.GraphDef, results: Sequence[str]) -> tf.compat.v1.GraphDef:
  """The graph without what its results don't need."""
  for node in graph_def.node:
    if node.op == 'Placeholder':
      # Grappler leaves control inputs on placeholders, which a fed tensor cannot have.
      del node.input[:]
  needed = _ancestors(graph_def, results)
  cut = tf.compat.v1.GraphDef()
  cut.versions.CopyFrom(graph_def.versions)
  cut.library.CopyFrom(graph_def.library)
  cut.node.extend(node for node in graph_def.node if node.name in needed)
  return cut
