"""Changes to graphs before they are imported."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import function_pb2
from tensorflow.python.framework import op_def_registry

from tff_lg.compatibility import computation_pb2, tff

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
# Attributes by which a function names the one of its gradient, and the other way round.
_PARTNERS = ('forward_function_name', 'backward_function_name')
_NAMES = ('container', 'shared_name', 'use_node_name_sharing')


def fill_in_session_token(graph_def: tf.compat.v1.GraphDef, parameters: Sequence[str]) -> None:
  """Makes the session token a constant.

  Not by `session_token_tensor_name`: TFF's compiler forgets it, and its own worker then
  fails. The token is the only placeholder of a string that is not a parameter.
  """
  fed = set(map(node_name, parameters))
  for node in graph_def.node:
    is_string = node.op == 'Placeholder' and node.attr['dtype'].type == tf.string.as_datatype_enum
    if is_string and node.name not in fed:
      node.op = 'Const'
      node.attr.pop('shape', None)
      node.attr['value'].tensor.CopyFrom(tf.make_tensor_proto('tff_lg'))


def tensor_names(binding: computation_pb2.TensorFlow.Binding) -> list[str]:
  """Returns names of a binding's tensors, in the order of its type."""
  kind = binding.WhichOneof('binding')
  if kind == 'struct':
    return [name for element in binding.struct.element for name in tensor_names(element)]
  if kind == 'tensor':
    return [binding.tensor.tensor_name]
  return [binding.sequence.variant_tensor_name] if kind == 'sequence' else []


def replace_in(
  part: tff.framework.CompiledComputation, graph_def: tf.compat.v1.GraphDef
) -> tff.framework.CompiledComputation:
  """Returns the TensorFlow part with another graph."""
  proto = computation_pb2.Computation()
  proto.CopyFrom(part.proto)
  proto.tensorflow.graph_def.Pack(graph_def, deterministic=True)
  return tff.framework.CompiledComputation(proto, type_signature=part.type_signature)


def node_name(name: str) -> str:
  """Returns the node of an input or a tensor: of `^a`, `a:0` and `a` it is `a`."""
  return name.removeprefix('^').split(':')[0]


def rename_functions(graph_def: tf.compat.v1.GraphDef) -> None:
  """Gives library functions names that no other graph has: eager TensorFlow knows one library."""
  if not graph_def.library.function:
    return
  digest = hashlib.sha256(graph_def.SerializeToString(deterministic=True)).hexdigest()[:16]
  names = [function.signature.name for function in graph_def.library.function]
  rename(graph_def, {name: f'{name}_{digest}' for name in names})


def rename(graph_def: tf.compat.v1.GraphDef, names: Mapping[str, str]) -> None:
  """Gives all library functions other names."""
  for function in graph_def.library.function:
    function.signature.name = names[function.signature.name]
    rename_called(function.node_def, names)
    for partner in filter(function.attr.__contains__, _PARTNERS):
      if name := names.get(function.attr[partner].s.decode()):
        function.attr[partner].s = name.encode()
      else:
        del function.attr[partner]
  for gradient in graph_def.library.gradient:
    gradient.function_name = names.get(gradient.function_name, gradient.function_name)
    gradient.gradient_func = names.get(gradient.gradient_func, gradient.gradient_func)
  rename_called(graph_def.node, names)


def rename_called(nodes: Iterable[tf.compat.v1.NodeDef], names: Mapping[str, str]) -> None:
  """Lets nodes call functions by other names."""
  for node in nodes:
    node.op = names.get(node.op, node.op)
    for called in functions_of(node):
      called.name = names.get(called.name, called.name)


def functions_of(node: tf.compat.v1.NodeDef) -> Iterator[tf.compat.v1.NameAttrList]:
  """Yields the functions that a node's attributes name, in an order that is always the same."""
  for name in sorted(node.attr):
    value = node.attr[name]
    kind = value.WhichOneof('value')
    if kind == 'func':
      yield value.func
    elif kind == 'list':
      yield from value.list.func


def types_attribute(types: Iterable[int]) -> tf.compat.v1.AttrValue:
  """Returns a list of types, each the number of TensorFlow's `DataType`, as an attribute."""
  return tf.compat.v1.AttrValue(list=tf.compat.v1.AttrValue.ListValue(type=types))


def nodes_to_call(
  graph_def: tf.compat.v1.GraphDef, is_wanted: Callable[[tf.compat.v1.NodeDef], bool]
) -> list[tf.compat.v1.NodeDef]:
  """Finds nodes, in the graph and in its library, each to be replaced by `call_instead`."""
  nodes = list(filter(is_wanted, graph_def.node))
  for function in graph_def.library.function:
    of_function = list(filter(is_wanted, function.node_def))
    _rename_outputs(function, {node.name: node.op for node in of_function})
    nodes.extend(of_function)
  return nodes


def _rename_outputs(function: function_pb2.FunctionDef, kinds: Mapping[str, str]) -> None:
  """Renames outputs in a function's body: there they have names, where a call has indices."""

  def renamed(tensor: str) -> str:
    node, *output = tensor.split(':')
    if not output or node not in kinds:
      return tensor
    name, index = output
    names = [argument.name for argument in op_def_registry.get(kinds[node]).output_arg]
    return f'{node}:output:{names.index(name) + int(index)}'

  if not kinds:
    return
  for node in function.node_def:
    inputs = list(map(renamed, node.input))
    del node.input[:]
    node.input.extend(inputs)
  for result, tensor in list(function.ret.items()):
    function.ret[result] = renamed(tensor)


def call_instead(node: tf.compat.v1.NodeDef, function: function_pb2.FunctionDef) -> None:
  """Makes the node a call of the function, with the same inputs and outputs."""
  signature = function.signature
  node.op = 'StatefulPartitionedCall' if signature.is_stateful else 'PartitionedCall'
  node.attr.clear()
  node.attr['Tin'].list.type.extend(argument.type for argument in signature.input_arg)
  node.attr['Tout'].list.type.extend(argument.type for argument in signature.output_arg)
  node.attr['f'].func.name = signature.name
  node.attr['config_proto'].s = b''  # TFF's compiler looks for it.


def isolate_resources(graph_def: tf.compat.v1.GraphDef, initialize_op: str) -> None:
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
  before = ancestors(graph_def, [initialize_op])
  for node in graph_def.node:
    if node.name not in before and any(node_name(name) in resources for name in node.input):
      node.input.append(f'^{initialize_op}')


def ancestors(graph_def: tf.compat.v1.GraphDef, names: Sequence[str]) -> set[str]:
  """Returns the nodes, and all that they depend on."""
  inputs = {node.name: node.input for node in graph_def.node}
  found: set[str] = set()
  waiting = [node_name(name) for name in names if name]
  while waiting:
    name = waiting.pop()
    if name not in found:
      found.add(name)
      waiting.extend(map(node_name, inputs[name]))
  return found


def cut(graph_def: tf.compat.v1.GraphDef, results: Sequence[str]) -> tf.compat.v1.GraphDef:
  """Returns the graph without what its results don't need."""
  for node in graph_def.node:
    if node.op == 'Placeholder':
      # Grappler leaves control inputs on placeholders, which a fed tensor cannot have.
      del node.input[:]
  needed = ancestors(graph_def, results)
  cut = tf.compat.v1.GraphDef()
  cut.versions.CopyFrom(graph_def.versions)
  cut.library.CopyFrom(graph_def.library)
  cut.node.extend(node for node in graph_def.node if node.name in needed)
  return cut


def untie_parameters(
  graph_def: tf.compat.v1.GraphDef, parameters: Sequence[str]
) -> list[tf.TensorSpec | None]:
  """Frees nodes of all that ties them to parameters' placeholders but their inputs.

  They no longer wait for them, and are no longer placed with them, nor with nodes that were cut.

  Args:
    graph_def: is changed in place.
    parameters: names of the placeholders' tensors.

  Returns:
    For each parameter what is to be given, None if the graph does not use it.
  """
  placeholders = {node.name: node for node in graph_def.node if node.op == 'Placeholder'}
  given = list(map(node_name, parameters))
  specs = [spec_of(placeholders[name]) if name in placeholders else None for name in given]
  names = {node.name for node in graph_def.node}.difference(given)
  for node in graph_def.node:
    _keep(node.input, lambda name: not (name.startswith('^') and name[1:] in given))
    _keep(node.attr['_class'].list.s, lambda at: at.decode().removeprefix('loc:@') in names)
    if not node.attr['_class'].list.s:
      del node.attr['_class']
  return specs


def spec_of(placeholder: tf.compat.v1.NodeDef) -> tf.TensorSpec:
  """Returns the shape and type of what a placeholder is given."""
  attributes = placeholder.attr
  return tf.TensorSpec(tf.TensorShape(attributes['shape'].shape), attributes['dtype'].type)


def _keep(values: MutableSequence, condition: Callable[[Any], bool]) -> None:
  values[:] = [value for value in values if condition(value)]
