"""The names that the runtime needs of TFF beyond its public ones, in one place.

TFF is pinned to 0.87, its last release; whoever ports this looks here, and in
`tff_lg.compatibility`, where TFF's names come from.
"""

import collections
import itertools
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import (
  SyncExecutionContext,
  array,
  native_compiler,
  secure_compiler,
  structure,
  tensorflow_computation,
  tensorflow_tree_transformations,
  tensorflow_utils,
  tff,
  type_to_py_container,
  type_to_tf_structure,
)
from tff_lg.runtime import batch_norm, sequences


def compile_computation(
  computation: tff.framework.ConcreteComputation,
) -> tff.framework.ComputationBuildingBlock:
  """Brings a computation into TFF's call-dominant form; secure sums become sums with range checks.

  It does what TFF's native compiler does, but for TensorFlow parts. Those are left as they are,
  see `grappler.optimize`, and get no identifiers, which only the worker needs.
  """
  block = computation.to_building_block()
  uris = _intrinsics_in(block)
  # Each replacement goes through the whole tree several times, most often for nothing.
  if any(uri.startswith('federated_secure') for uri in uris):
    block = secure_compiler.replace_secure_intrinsics_with_bodies(computation).to_building_block()
  block = batch_norm.replace_in(block)
  if uris:
    block, _ = tensorflow_tree_transformations.replace_intrinsics_with_bodies(block)
  return tff.framework.to_call_dominant(block)


def _intrinsics_in(block: tff.framework.ComputationBuildingBlock) -> set[str]:
  """Returns the URIs of intrinsics in a tree."""
  uris = set()

  def note(
    part: tff.framework.ComputationBuildingBlock,
  ) -> tuple[tff.framework.ComputationBuildingBlock, bool]:
    if isinstance(part, tff.framework.Intrinsic):
      uris.add(part.uri)
    return part, False

  tff.framework.transform_postorder(block, note)
  return uris


class _WorkerContext(SyncExecutionContext):
  """TFF's own context, with a clear error where its worker lacks an operation."""

  def invoke(self, comp: tff.framework.ConcreteComputation, arg: Any) -> Any:
    """Returns what the worker computes."""
    try:
      return super().invoke(comp, arg)
    except Exception as error:  # TFF's and gRPC's, of several types.
      missing = re.search(r"Op type not registered '(\w+)'", str(error))
      if missing is None:
        raise
      raise NotImplementedError(
        f"TFF's worker is built with TensorFlow 2.14 and has no operation {missing[1]}: run the "
        'computation on the local runtime (--runtime=local).'
      ) from error


def create_worker_context() -> tff.framework.SyncContext:
  """Makes TFF's own context, which runs a worker process, for computations that are made safe.

  It is `tff.backends.native.create_sync_local_cpp_execution_context`, and `batch_norm`.
  """

  def compile_safely(
    computation: tff.framework.ConcreteComputation,
  ) -> tff.framework.ConcreteComputation:
    block = batch_norm.replace_in(computation.to_building_block())
    return native_compiler.desugar_and_transform_to_native(
      tff.framework.ConcreteComputation.from_building_block(block)
    )

  return _WorkerContext(
    executor_fn=tff.framework.local_cpp_executor_factory(),
    compiler_fn=compile_safely,
    transform_args=tensorflow_computation.transform_args,
    transform_result=tensorflow_computation.transform_result,
  )


def check_array(value: Any, tensor_type: tff.TensorType) -> Any:
  """Returns a NumPy value of the type, by the rules of TFF's own context.

  Raises:
    TypeError: the value has another dtype or shape.
  """
  dtype = tensor_type.dtype.type
  if isinstance(value, (list, tuple)):
    flat = tf.nest.flatten(value)
    if not all(array.is_compatible_dtype(element, dtype) for element in flat):
      raise TypeError(f'Expected a value of type {tensor_type}, found {value}.')
    value = np.asarray(value, dtype)
  shape = value.shape if isinstance(value, (np.ndarray, np.generic)) else ()
  if not array.is_compatible_shape(value, tensor_type.shape):
    raise TypeError(f'Expected a value of type {tensor_type}, found one of shape {shape}.')
  if not array.is_compatible_dtype(value, dtype):
    found = value.dtype.type if isinstance(value, (np.ndarray, np.generic)) else type(value)
    raise TypeError(f'Expected a value of type {tensor_type}, found one of dtype {found}.')
  return value


def from_container(value: Any) -> list[tuple[str | None, Any]]:
  """Returns names and elements of a Python container that TFF takes for a structure."""
  return structure.to_elements(structure.from_container(value, recursive=False))


def type_elements(struct_type: tff.StructType) -> list[tuple[str | None, tff.Type]]:
  """Returns names and types of a structure type's elements."""
  return structure.to_elements(struct_type)


def build_container(struct_type: tff.StructType) -> Callable[[list], Any]:
  """Returns a function from a list of elements to the Python container of a structure type."""
  names = [name for name, _ in type_elements(struct_type)]
  container = struct_type.python_container
  if not any(names) and container in (None, tuple, list):
    return container or tuple
  if all(names) and container in (None, dict, collections.OrderedDict):
    container = container or collections.OrderedDict
    return lambda elements: container(zip(names, elements, strict=True))
  if container is not None and getattr(container, '_fields', None) == tuple(names):
    return lambda elements: container(*elements)
  return lambda elements: type_to_py_container(
    structure.Struct(zip(names, elements, strict=True)), struct_type
  )


def dataset_from_elements(elements: list[Any], element_type: tff.Type) -> tf.data.Dataset:
  """Returns a data set of a list's elements."""
  return tensorflow_utils.make_data_set_from_elements(None, elements, element_type)


def dataset_from_variant(variant: tf.Tensor, element_type: tff.Type) -> tf.data.Dataset:
  """Returns a data set of a sequence's tensor, with elements in the containers of the type."""
  spec = type_to_tf_structure(element_type)
  dataset = sequences.to_data_set(variant, spec)
  return tensorflow_utils.coerce_dataset_elements_to_tff_type_spec(dataset, element_type)


def elements_of_variant(variant: tf.Tensor, element_type: tff.Type) -> list[Any]:
  """Returns a sequence's elements, structures as plain tuples in the order of the type."""
  spec = type_to_tf_structure(element_type)
  dataset = sequences.to_data_set(variant, spec)
  return [_to_tuples(element, element_type) for element in dataset]


def _to_tuples(value: Any, value_type: tff.Type) -> Any:
  if not isinstance(value_type, tff.StructType):
    return value
  elements = from_container(value)
  if elements and elements[0][0] is not None:
    # tf.data sorts the names of mappings, types don't.
    named = dict(elements)
    elements = [(name, named[name]) for name, _ in type_elements(value_type)]
  return tuple(
    _to_tuples(element, element_type)
    for (_, element), element_type in zip(elements, value_type, strict=True)
  )


def variant_of_elements(elements: list[Any], element_type: tff.Type) -> tf.Tensor:
  """Returns the variant tensor of a sequence of elements, plain tuples, of any shapes.

  Nothing of Python is left in it: it can be read on any thread, as often as wanted.
  """
  return variant_of_columns(*columns_of_elements(elements, element_type))


def columns_of_elements(
  elements: list[Any], element_type: tff.Type
) -> tuple[list[list[tf.Tensor]], list[tf.TensorSpec]]:
  """Returns the elements' tensors and their specs, as tf.data orders them.

  Elements in a row whose tensors have the same shapes are stacked: each list is of such.
  """
  types = list(_in_tf_order(element_type, element_type))
  if not types:
    raise NotImplementedError('The local runtime makes no sequence of elements without tensors.')
  rows = [list(_in_tf_order(element, element_type)) for element in elements]
  columns = [
    [tf.stack(column) for column in zip(*run, strict=True)]
    for _, run in itertools.groupby(rows, lambda row: [tensor.shape.as_list() for tensor in row])
  ]
  return columns, [tf.TensorSpec(each.shape, tf.as_dtype(each.dtype.type)) for each in types]


def variant_of_columns(columns: list[list[tf.Tensor]], specs: list[tf.TensorSpec]) -> tf.Tensor:
  """Returns the variant tensor of what `columns_of_elements` gives."""
  parts = list(map(_slices, columns)) or [_slices([_no_elements(spec) for spec in specs])]
  while len(parts) > 1:  # In pairs: a chain could be deeper than tf.data's stack.
    pairs = itertools.zip_longest(parts[::2], parts[1::2])
    parts = [
      first if second is None else _concatenate(first, second, specs) for first, second in pairs
    ]
  return parts[0]


def _in_tf_order(value: Any, value_type: tff.Type) -> Iterable[Any]:
  """Yields a structure's leaves as tf.data orders them: mappings by their sorted names."""
  if not isinstance(value_type, tff.StructType):
    yield value
    return
  elements = list(zip(type_elements(value_type), value, strict=True))
  if all(name is not None for (name, _), _ in elements):
    elements.sort(key=lambda element: str(element[0][0]))
  for (_, element_type), element in elements:
    yield from _in_tf_order(element, element_type)


def _no_elements(spec: tf.TensorSpec) -> tf.Tensor:
  return tf.zeros([0, *(size or 0 for size in spec.shape)], spec.dtype)


def _slices(columns: list[tf.Tensor]) -> tf.Tensor:
  shapes = [column.shape[1:] for column in columns]
  return tf.raw_ops.TensorSliceDataset(components=columns, output_shapes=shapes)


def _concatenate(first: tf.Tensor, second: tf.Tensor, specs: list[tf.TensorSpec]) -> tf.Tensor:
  return tf.raw_ops.ConcatenateDataset(
    input_dataset=first,
    another_dataset=second,
    output_types=[spec.dtype for spec in specs],
    output_shapes=[spec.shape for spec in specs],
  )
