"""What the runtime needs of TFF beyond its public names, in one place.

TFF is pinned to 0.87, its last release; whoever ports this looks here.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf
import tensorflow_federated as tff
from tensorflow_federated.python.common_libs import structure
from tensorflow_federated.python.core.backends.native import compiler as native_compiler
from tensorflow_federated.python.core.backends.test import compiler as secure_compiler
from tensorflow_federated.python.core.impl.compiler import array
from tensorflow_federated.python.core.impl.executors import cardinalities_utils
from tensorflow_federated.python.core.impl.types import type_conversions
from tensorflow_federated.python.core.impl.utils import tensorflow_utils

infer_cardinalities = cardinalities_utils.infer_cardinalities
to_python_container = type_conversions.type_to_py_container


def compile_computation(
  computation: tff.framework.ConcreteComputation,
) -> tff.framework.ComputationBuildingBlock:
  """Compiles by TFF's native compiler; secure sums become sums with their range checks."""
  computation = secure_compiler.replace_secure_intrinsics_with_bodies(computation)
  return native_compiler.desugar_and_transform_to_native(computation).to_building_block()


def check_array(value: Any, tensor_type: tff.TensorType) -> Any:
  """A NumPy value of the type, by the rules of TFF's own context.

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
  """Names and elements of a Python container that TFF takes for a structure."""
  return structure.to_elements(structure.from_container(value, recursive=False))


def type_elements(struct_type: tff.StructType) -> list[tuple[str | None, tff.Type]]:
  """Names and types of a structure type's elements."""
  return structure.to_elements(struct_type)


def struct(elements: Iterable[tuple[str | None, Any]]) -> structure.Struct:
  """TFF's own structure, before it is put into the caller's container."""
  return structure.Struct(elements)


def dataset_from_elements(elements: list[Any], element_type: tff.Type) -> tf.data.Dataset:
  """A data set of a list's elements."""
  return tensorflow_utils.make_data_set_from_elements(None, elements, element_type)


def dataset_from_variant(variant: tf.Tensor, element_type: tff.Type) -> tf.data.Dataset:
  """A data set of a variant tensor, with elements in the containers of the type."""
  spec = type_conversions.type_to_tf_structure(element_type)
  dataset = tf.data.experimental.from_variant(variant, spec)
  return tensorflow_utils.coerce_dataset_elements_to_tff_type_spec(dataset, element_type)


def elements_of_variant(variant: tf.Tensor, element_type: tff.Type) -> list[tuple]:
  """A sequence's elements, structures as plain tuples."""
  spec = type_conversions.type_to_tf_structure(element_type)
  dataset = tf.data.experimental.from_variant(variant, spec)

  def to_tuples(value: Any, value_type: tff.Type) -> Any:
    if not isinstance(value_type, tff.StructType):
      return value
    elements = [element for _, element in from_container(value)]
    return tuple(to_tuples(e, t) for e, t in zip(elements, value_type, strict=True))

  return [to_tuples(element, element_type) for element in dataset]


def variant_of_elements(elements: list[Any]) -> tf.Tensor:
  """The variant tensor of a sequence with these elements, plain tuples, of any shapes."""

  def generate() -> Iterable[Any]:
    return iter(elements)

  if not elements:
    raise NotImplementedError('The local runtime makes no empty sequence.')
  spec = tf.nest.map_structure(
    lambda *tensors: tf.TensorSpec(_common_shape(tensors), tensors[0].dtype), *elements
  )
  return tf.data.experimental.to_variant(
    tf.data.Dataset.from_generator(generate, output_signature=spec)
  )


def _common_shape(tensors: tuple[tf.Tensor, ...]) -> tf.TensorShape:
  shape = tensors[0].shape
  for tensor in tensors[1:]:
    shape = shape.most_specific_compatible_shape(tensor.shape)
  return shape
