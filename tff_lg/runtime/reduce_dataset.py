"""`ReduceDataset`, TFF's default client loop, as a loop over an iterator.

TensorFlow instantiates the reduction's function at every execution of the operation,
and lets it ignore the device of the call: tens of milliseconds a client. A while loop
does the same work in a function that is instantiated once and follows the device.

The loop is written node by node. To trace it with `tf.while_loop` takes milliseconds at the first
call of each training computation.
"""

from collections.abc import Iterable, Mapping, Sequence

import tensorflow as tf
from tensorflow.core.framework import function_pb2, op_def_pb2

from tff_lg.runtime import graphs, loops

_CPU = '/device:CPU:0'
_VARIANT, _RESOURCE = tf.variant.as_datatype_enum, tf.resource.as_datatype_enum


def replace_by_loops(graph_def: tf.compat.v1.GraphDef) -> None:
  """Replaces each `ReduceDataset` by a call of a loop, in place.

  Args:
    graph_def: a graph with its function library, whose functions have unique names.
  """
  nodes = graphs.nodes_to_call(graph_def, lambda node: node.op == 'ReduceDataset')
  signatures = {each.signature.name: each.signature for each in graph_def.library.function}
  for index, node in enumerate(nodes):
    reduction = signatures[node.attr['f'].func.name]
    shapes = list(node.attr['output_shapes'].list.shape)
    functions = _Loop(node, reduction, f'{reduction.name}_loop_{index}').functions()
    graph_def.library.function.extend(functions)
    graphs.call_instead(node, functions[-1])
    node.attr['_output_shapes'].list.shape.extend(shapes)


class _Loop:
  """The functions that do what one `ReduceDataset` does.

  The loop carries an optional with the next element, the state, the reduction's other arguments
  and the iterator, in this order.
  """

  def __init__(self, node: tf.compat.v1.NodeDef, reduction: op_def_pb2.OpDef, name: str) -> None:
    """Takes what the node says.

    Args:
      node: the `ReduceDataset`.
      reduction: the signature of its function.
      name: of the loop.
    """
    self._reduction, self._name = reduction, name
    self._state = list(node.attr['Tstate'].list.type)
    self._others = list(node.attr['Targuments'].list.type)
    self._shapes = list(map(tf.TensorShape, node.attr['output_shapes'].list.shape))
    self._carried = [_VARIANT, *self._state, *self._others, _RESOURCE]
    # What the reduction takes between the state and the other arguments is an element.
    arguments = [argument.type for argument in reduction.input_arg]
    element = arguments[len(self._state) : len(arguments) - len(self._others)]
    self._elements = {
      'output_types': graphs.types_attribute(element),
      'output_shapes': _shapes_attribute([tf.TensorShape(None)] * len(element)),
    }

  def functions(self) -> list[function_pb2.FunctionDef]:
    """Returns the condition, the body and the loop: (data set, state, others) -> state."""
    condition, body = self._condition(), self._body()
    loop = _Function(self._name, [_VARIANT, *self._state, *self._others], self._state)
    loop.set_shapes([tf.TensorShape([]), *self._shapes])
    dataset, *tensors = loop.arguments
    [iterator] = loop.add('AnonymousIteratorV3', [], ['handle:0'], self._elements, _CPU)
    loop.add('MakeIterator', [dataset, iterator], [], {}, _CPU)
    [first] = self._next_element(loop, iterator, after='MakeIterator')
    called = {
      name: tf.compat.v1.AttrValue(func=tf.compat.v1.NameAttrList(name=function.signature.name))
      for name, function in (('cond', condition), ('body', body))
    }
    scalar, unknown = tf.TensorShape([]), tf.TensorShape(None)
    shapes = [scalar, *self._shapes, *[unknown] * len(self._others), scalar]
    attributes = called | {
      'T': graphs.types_attribute(self._carried),
      'output_shapes': _shapes_attribute(shapes),
      'parallel_iterations': tf.compat.v1.AttrValue(i=1),
      '_lower_using_switch_merge': tf.compat.v1.AttrValue(b=True),
    }
    results = [f'output:{index}' for index in range(1, 1 + len(self._state))]
    return [
      condition,
      body,
      loop.returns(loop.add('While', [first, *tensors, iterator], results, attributes)),
    ]

  def _condition(self) -> function_pb2.FunctionDef:
    condition = _Function(f'{self._name}_condition', self._carried, [tf.bool.as_datatype_enum])
    inputs = [condition.arguments[0]]
    return condition.returns(condition.add('OptionalHasValue', inputs, ['has_value:0'], {}, _CPU))

  def _body(self) -> function_pb2.FunctionDef:
    body = _Function(f'{self._name}_body', self._carried, self._carried)
    body.set_shapes([tf.TensorShape([]), *self._shapes])
    *entering, iterator = body.arguments
    optional, *tensors = entering
    if loops.enter_by_one_node():
      types = {'T': graphs.types_attribute(self._carried[:-1])}
      names = [f'output:{index}' for index in range(len(entering))]
      optional, *tensors = body.add('IdentityN', entering, names, types)
    num_elements = len(self._elements['output_types'].list.type)
    names = [f'components:{index}' for index in range(num_elements)]
    element = body.add('OptionalGetValue', [optional], names, self._elements, _CPU)
    state, others = tensors[: len(self._state)], tensors[len(self._state) :]
    call, reduction = tf.compat.v1.NodeDef(), function_pb2.FunctionDef(signature=self._reduction)
    reduction.signature.is_stateful = True  # It is, if a reduction in it became a loop.
    graphs.call_instead(call, reduction)
    names = [f'output:{index}' for index in range(len(state))]
    new_state = body.add(call.op, [*state, *element, *others], names, call.attr)
    following = self._next_element(body, iterator, after=call.op)
    return body.returns([*following, *new_state, *entering[1 + len(state) :], iterator])

  def _next_element(self, function: '_Function', iterator: str, after: str) -> list[str]:
    inputs = [iterator, f'^{after}']
    return function.add('IteratorGetNextAsOptional', inputs, ['optional:0'], self._elements, _CPU)


class _Function:
  """A function under construction, in which every operation is there once.

  Attributes:
    arguments: their names.
  """

  def __init__(self, name: str, arguments: Sequence[int], results: Sequence[int]) -> None:
    """Begins with the types of arguments and results."""
    self._definition = function_pb2.FunctionDef()
    signature = self._definition.signature
    signature.name = name
    for argument in arguments:
      signature.input_arg.add(name=f'argument_{len(signature.input_arg)}', type=argument)
    for result in results:
      signature.output_arg.add(name=f'result_{len(signature.output_arg)}', type=result)
    self.arguments = [argument.name for argument in signature.input_arg]

  def set_shapes(self, shapes: Sequence[tf.TensorShape]) -> None:
    """Says the shapes of the first arguments."""
    for index, shape in enumerate(shapes):
      self._definition.arg_attr[index].attr['_output_shapes'].list.shape.append(shape.as_proto())

  def add(
    self,
    op: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    attributes: Mapping[str, tf.compat.v1.AttrValue],
    device: str = '',
  ) -> list[str]:
    """Adds a node and returns the names of its outputs, given those within the node."""
    node = self._definition.node_def.add(name=op, op=op, input=inputs, device=device)
    for name, value in attributes.items():
      node.attr[name].CopyFrom(value)
    return [f'{op}:{output}' for output in outputs]

  def returns(self, tensors: Sequence[str]) -> function_pb2.FunctionDef:
    """Returns the definition, whose results are the tensors and whose nodes all run."""
    signature = self._definition.signature
    for result, tensor in zip(signature.output_arg, tensors, strict=True):
      self._definition.ret[result.name] = tensor
    signature.is_stateful = True
    for node in self._definition.node_def:
      signature.control_output.append(node.name)
      self._definition.control_ret[node.name] = node.name
    return self._definition


def _shapes_attribute(shapes: Iterable[tf.TensorShape]) -> tf.compat.v1.AttrValue:
  protos = [shape.as_proto() for shape in shapes]
  return tf.compat.v1.AttrValue(list=tf.compat.v1.AttrValue.ListValue(shape=protos))
