"""Calls of imported TensorFlow functions with values as the interpreter has them."""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.runtime import tensorflow_functions

# Members that are accumulated in one call of TensorFlow.
_AT_A_TIME = 10


class TensorFlowCall:
  """A TensorFlow computation as a function of one value.

  Attributes:
    part: the building block that the function is of, if it is of one.
  """

  def __init__(
    self,
    function: tensorflow_functions.FlatFunction,
    result_type: tff.Type,
    part: tff.framework.CompiledComputation | None = None,
  ) -> None:
    """Wraps a function of flat tensors, whose results are packed by `result_type`."""
    self.part: Any = part
    self._function = function
    self._result_type = result_type
    self._chain = functools.cache(self._build_chain)

  @functools.cached_property
  def content(self) -> bytes:
    """The part, for another process."""
    return self.part.proto.SerializeToString(deterministic=True)

  def __call__(self, argument: Any) -> Any:
    """Returns the result for an argument, which is None for a function without parameter."""
    return pack(iter(self._function(flat(argument))), self._result_type)

  def accumulate(self, total: Any, members: Sequence[Any]) -> Any:
    """Applies the function to (total, member) for each member in turn.

    It does so in the graph, some members at a time. A call of TensorFlow costs more than
    the sum of a small model's weights, and leaves 16 bytes behind for each result.
    """
    flat_total = flat(total)
    for start in range(0, len(members), _AT_A_TIME):
      chunk = [flat(member) for member in members[start : start + _AT_A_TIME]]
      arguments = [*flat_total, *(tensor for member in chunk for tensor in member)]
      dtypes = tuple(tensor.dtype for tensor in arguments)
      flat_total = self._chain(len(flat_total), len(chunk), dtypes)(arguments)
    return pack(iter(flat_total), self._result_type)

  def _build_chain(
    self, num_totals: int, num_members: int, dtypes: tuple[tf.DType, ...]
  ) -> tensorflow_functions.FlatFunction:
    size = (len(dtypes) - num_totals) // num_members

    def chain(*tensors: tf.Tensor) -> list[tf.Tensor]:
      total, rest = list(tensors[:num_totals]), tensors[num_totals:]
      for index in range(num_members):
        total = self._function([*total, *rest[index * size : (index + 1) * size]])
      return total

    specs = [tf.TensorSpec(None, dtype) for dtype in dtypes]
    return tensorflow_functions.as_flat_function(
      tf.function(chain, autograph=False).get_concrete_function(*specs)
    )


def flat(value: Any) -> list[tf.Tensor]:
  """Returns a value's tensors, in the order of its type."""
  if isinstance(value, tuple):
    return [tensor for element in value for tensor in flat(element)]
  return [] if value is None else [value]


def pack(tensors: Iterator[tf.Tensor], value_type: tff.Type) -> Any:
  """Returns the value of a type whose tensors come next."""
  if isinstance(value_type, tff.StructType):
    return tuple(pack(tensors, element) for element in value_type)
  return next(tensors)
