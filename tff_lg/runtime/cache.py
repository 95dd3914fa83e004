"""Imported TensorFlow functions by their content: the same part is imported once."""

import functools
import hashlib
from collections.abc import Callable

from tensorflow_federated.proto.v0 import computation_pb2

from tff_lg.runtime import tensorflow_functions

# Functions kept; each holds a graph. A process has a few dozen.
_CAPACITY = 512


class _ByContent:
  """A computation's proto that is equal to another of the same content."""

  def __init__(self, computation: computation_pb2.TensorFlow) -> None:
    self.computation = computation
    content = computation.SerializeToString(deterministic=True)
    self._digest = hashlib.sha256(content).digest()

  def __hash__(self) -> int:
    return hash(self._digest)

  def __eq__(self, other: object) -> bool:
    return isinstance(other, _ByContent) and self._digest == other._digest


@functools.lru_cache(_CAPACITY)
def _import(key: _ByContent) -> Callable:
  return tensorflow_functions.import_computation(key.computation)


def import_cached(computation: computation_pb2.TensorFlow) -> Callable:
  """The function of a TensorFlow computation, from the cache if it was imported before."""
  return _import(_ByContent(computation))
