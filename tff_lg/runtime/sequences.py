"""Data sets on their way in, as the tensors that stand for them.

A data set is a variant tensor, which refers to it. All its iterations share the generator
of a seeded `shuffle`, so each has another order. On TFF's own runtime each TensorFlow part
gets a copy, whose iterations start again. A data set for which this matters is therefore a
string here, its serialized graph. Each part makes a data set of its own from it.
"""

from collections.abc import Iterator
from typing import Any

import tensorflow as tf
from tensorflow.python.data.ops import random_op, shuffle_op

# Their generators are inputs; a dummy makes the operation create one of its own.
_WITH_GENERATORS = ('ShuffleDatasetV3', 'RandomDatasetV2')


def to_tensor(dataset: tf.data.Dataset) -> tf.Tensor:
  """Returns the tensor that stands for a data set."""
  with tf.device('cpu:0'):
    if any(map(_changes, _inputs(dataset))):
      serialized = tf.raw_ops.DatasetToGraphV2(input_dataset=dataset._variant_tensor)
      return tf.constant(_without_generators(serialized.numpy()))
    return tf.data.experimental.to_variant(dataset)


def to_variant(tensor: tf.Tensor) -> tf.Tensor:
  """Returns the variant of a tensor that stands for a data set, which starts again."""
  if tensor.dtype != tf.string:
    return tensor
  with tf.device('cpu:0'):
    variant = tf.raw_ops.DatasetFromGraph(graph_def=tensor)
  if not tf.executing_eagerly():
    # Or Grappler would make one of two that are made of the same string.
    name = variant.op.name.encode()
    variant.op._set_attr('_tff_lg_data_set', tf.compat.v1.AttrValue(s=name))
  return variant


def to_data_set(tensor: tf.Tensor, element_spec: Any) -> tf.data.Dataset:
  """Returns the data set that a tensor stands for.

  TensorFlow keeps data sets in the CPU's memory, also those that a function on a GPU returns. Their
  variant is still said to be the GPU's, and would have its iterators there. Their elements, in the
  CPU's memory, would be read as the GPU's.

  Args:
    tensor: as `to_tensor` returns it, or the variant that a function returns.
    element_spec: type of the elements, as TensorFlow has it.
  """
  with tf.device('cpu:0'):
    variant = tf.identity(to_variant(tensor))
  return tf.data.experimental.from_variant(variant, element_spec)


def _inputs(dataset: tf.data.Dataset) -> Iterator[tf.data.Dataset]:
  """Yields the data set and all that it is made of."""
  waiting = [dataset]
  while waiting:
    yield (found := waiting.pop())
    waiting.extend(found._inputs())


def _changes(dataset: tf.data.Dataset) -> bool:
  """Returns whether its iterations differ, by a seed. Without one they differ on any runtime."""
  if isinstance(dataset, shuffle_op._ShuffleDataset):
    reshuffles = dataset._reshuffle_each_iteration
    return reshuffles is not False and any(map(bool, (dataset._seed, dataset._seed2)))
  return isinstance(dataset, random_op._RandomDataset)


def _without_generators(serialized: bytes) -> bytes:
  """Returns a data set's graph with a generator of its own for each operation that has one."""
  graph_def = tf.compat.v1.GraphDef.FromString(serialized)
  fed = {name for node in graph_def.node if node.op in _WITH_GENERATORS for name in node.input}
  for node in graph_def.node:
    resource = node.attr['dtype'].type == tf.resource.as_datatype_enum
    if node.op == 'Const' and node.name in fed and resource:
      node.op = 'DummySeedGenerator'
      node.attr.clear()
  return graph_def.SerializeToString()
