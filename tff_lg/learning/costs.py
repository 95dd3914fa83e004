"""Costs of a training step to a client, counted in the graph of the step.

FLOPs are those of matrix products and convolutions, forward and backward, two for each
multiplication; everything else is small beside them. The graph is that of the method itself. It has
a second model if the method trains one, and no gradients of layers that a phase does not train.

Memory is an estimate of what a step holds at once: the weights, the global weights from the server,
gradients, the optimiser's state, and activations. Activations are tensors that are made before the
step's first gradient, are read after that, and grow with the batch. The batch is one of them. A
runtime needs more: for the library, for copies, and for the client's data.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function_def_to_graph

from tff_lg.learning import batches as batches_lib
from tff_lg.learning import client_work
from tff_lg.learning import settings as settings_lib
from tff_lg.models import local_global

_OF_GRADIENT = 'gradient_tape'
# Of a product: the attribute that transposes the first matrix, and its inner dimension with that
# and without.
_INNER = {
  'MatMul': ('transpose_a', 0, 1),
  'BatchMatMul': ('adj_x', -2, -1),
  'BatchMatMulV2': ('adj_x', -2, -1),
}
# Where a convolution or its gradient has its output and its kernel, among inputs and the output.
_CONVOLUTIONS = {'Conv2D': (2, 1), 'Conv2DBackpropInput': (2, 1), 'Conv2DBackpropFilter': (2, -1)}


class StepCost(NamedTuple):
  """The cost of steps; NaN where shapes or loops of the graph depend on the data.

  Attributes:
    flops_per_example: mean over the phases of a round, by their epochs.
    memory_bytes: of the phase that needs most.
  """

  flops_per_example: float
  memory_bytes: float


@dataclasses.dataclass(frozen=True)
class _OneBatch:
  """Batches of which a client has one."""

  x: tf.Tensor
  y: tf.Tensor

  def fold(self, data: Any, state: Any, step: batches_lib.Step, training: bool = False) -> Any:
    """Applies the step once."""
    del data, training
    return step(state, self.x, self.y)

  def step_key(self, data: Any, x: tf.Tensor, num_steps: tf.Tensor) -> tf.Tensor:
    """Returns a key."""
    del data, x, num_steps
    return tf.zeros([2], tf.int64)


def of_steps(
  model: local_global.LocalGlobalModel, settings: settings_lib.ProcessSettings
) -> StepCost:
  """Counts the cost of a client's steps.

  Args:
    model: with the method's split.
    settings: with the method's phases; memory is NaN if a batch has all of a client's examples.

  Returns:
    The cost of a step on a full batch.
  """
  flops, memory, epochs = [], [], []
  for phase in settings.phases:
    batches = phase.batches or settings.batches
    batch_size = getattr(batches, 'batch_size', None)
    # What does not grow with the batch is left out; some methods halve batches.
    small, large = (_of_phase(model, settings, phase, number) for number in (2, 4))
    flops.append((large.flops - small.flops) / 2)
    of_example = (large.activations - small.activations) / 2
    memory.append(small.held + of_example * batch_size if batch_size else math.nan)
    epochs.append(getattr(batches, 'num_epochs', 1))
  return StepCost(float(np.average(flops, weights=epochs)), float(np.max(memory)))


class _Counts(NamedTuple):
  """FLOPs of a step on a batch, bytes held whatever its size, and bytes read by gradients."""

  flops: float
  held: float
  activations: float


def _of_phase(
  model: local_global.LocalGlobalModel,
  settings: settings_lib.ProcessSettings,
  phase: Any,
  batch_size: int,
) -> _Counts:
  """Counts a step of a phase."""
  shapes = [weight.shape for weight in model.initial_weights]
  with tf.Graph().as_default() as graph:
    weights = tuple(tf.compat.v1.placeholder(tf.float32, shape) for shape in shapes)
    received = tuple(tf.compat.v1.placeholder(tf.float32, shape) for shape in shapes)
    x, y = (
      tf.nest.map_structure(
        lambda spec: tf.compat.v1.placeholder(spec.dtype, [batch_size, *spec.shape[1:]]), each
      )
      for each in model.functional.input_spec
    )
    one = dataclasses.replace(phase, batches=_OneBatch(x, y))
    state = client_work.TrainingState(weights, ())
    trained = client_work.run_phase(
      model, settings, one, received, state, None, (), tf.zeros([], tf.int32)
    )
  moved = phase.select(shapes)
  of_server, _ = model.split(shapes)
  of_optimizer = sum(_num_bytes(each) for each in tf.nest.flatten(trained.optimizer_state))
  held = 4 * sum(map(math.prod, (*shapes, *of_server, *moved)))
  operations = graph.get_operations()
  outputs = tf.nest.flatten((trained.weights, trained.optimizer_state, trained.loss_sum))
  return _Counts(count_flops(outputs), held + of_optimizer, _activations(operations))


def count_flops(outputs: Sequence[tf.Tensor]) -> float:
  """Counts FLOPs of the matrix products and convolutions that tensors of a graph need.

  Args:
    outputs: of one graph with static shapes, at least one. Functions that it calls count as often
      as they are called, loops by their static number of steps.

  Returns:
    The number; NaN where a shape or the steps of a loop are not static.
  """
  graph = outputs[0].graph
  library = {each.signature.name: each for each in graph.as_graph_def().library.function}
  return _count(outputs, library, graph)


def _count(outputs: Sequence[tf.Tensor], library: Mapping[str, Any], graph: tf.Graph) -> float:
  needed: dict[tf.Operation, set[int]] = {}
  left = list(outputs)
  while left:
    tensor = left.pop()
    if tensor.op not in needed:
      left.extend(tensor.op.inputs)
    needed.setdefault(tensor.op, set()).add(tensor.value_index)
  return sum([_flops(each, found, library, graph) for each, found in needed.items()], 0.0)


def _flops(
  operation: tf.Operation, needed: set[int], library: Mapping[str, Any], graph: tf.Graph
) -> float:
  """Counts FLOPs of an operation of which some outputs are needed."""
  kind = operation.type

  def of_function(attribute: str, of_outputs: set[int] | None = None) -> float:
    """Counts FLOPs of a function that the operation calls, with the shapes of its inputs."""
    definition = library[operation.get_attr(attribute).name]
    num_inputs = len(definition.signature.input_arg)
    shapes = [tensor.shape for tensor in operation.inputs][len(operation.inputs) - num_inputs :]
    with graph.as_default():
      called = function_def_to_graph.function_def_to_graph(definition, input_shapes=shapes)
    chosen = [
      tensor
      for place, tensor in enumerate(called.outputs)
      if of_outputs is None or place in of_outputs
    ]
    return _count(chosen, library, graph)

  if kind in ('While', 'StatelessWhile'):
    of_body = of_function('body')
    steps = tf.get_static_value(operation.inputs[1])
    return of_body * (math.nan if steps is None or steps < 0 else int(steps)) if of_body else 0.0
  if kind in ('PartitionedCall', 'StatefulPartitionedCall'):
    return of_function('f', needed)
  if kind in ('If', 'StatelessIf'):
    return max(of_function('then_branch'), of_function('else_branch'))
  if kind in _INNER:
    transposed, row, column = _INNER[kind]
    inner = operation.inputs[0].shape[row if operation.get_attr(transposed) else column]
    return 2.0 * _size(operation.outputs[0]) * (math.nan if inner is None else inner)
  if kind in _CONVOLUTIONS:
    output, kernel = _CONVOLUTIONS[kind]
    tensors = [*operation.inputs, operation.outputs[0]]
    return _of_convolution(tensors[output], tensors[kernel].shape)
  return 0.0


def _of_convolution(output: tf.Tensor, kernel: tf.TensorShape) -> float:
  """Returns FLOPs of a convolution with a kernel [height, width, in, out], or of its gradients."""
  if not kernel.is_fully_defined():
    return math.nan
  return 2.0 * _size(output) * math.prod(kernel[:-1])


def _size(tensor: tf.Tensor) -> float:
  number = tensor.shape.num_elements()
  return math.nan if number is None else float(number)


def _num_bytes(tensor: tf.Tensor) -> float:
  return _size(tensor) * tensor.dtype.size


def _activations(operations: Sequence[tf.Operation]) -> float:
  """Returns the bytes of tensors before the first gradient that are read from there on."""
  names = [operation.name for operation in operations]
  first = next((place for place, name in enumerate(names) if _OF_GRADIENT in name), None)
  if first is None:
    return math.nan
  before = set(names[:first])
  read = {tensor.ref() for each in operations[first:] for tensor in each.inputs}
  tensors = [each.deref() for each in read]
  return float(sum(_num_bytes(each) for each in tensors if each.op.name in before))
