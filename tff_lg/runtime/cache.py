"""Products of computations, cached by content: the same part is made once.

Optimised graphs are kept on disk as well, see `graph_cache`.
"""

import functools
import hashlib
import threading
from collections.abc import Callable
from typing import Any

from tff_lg.compatibility import computation_pb2, tff
from tff_lg.runtime import canonical, graph_cache, grappler, tensorflow_functions

# Computations kept by a context.
_COMPUTATIONS = 128
# Functions kept; each holds a graph. A process has a few dozen.
_FUNCTIONS = 512


class _ByIdentity:
  """A computation that is equal to itself only; it is kept, so that its id stays its own."""

  def __init__(self, computation: tff.framework.ConcreteComputation) -> None:
    self.computation = computation

  def __hash__(self) -> int:
    return id(self.computation)

  def __eq__(self, other: object) -> bool:
    return isinstance(other, _ByIdentity) and self.computation is other.computation


class ComputationCache:
  """A cache of what functions make of computations; the least recently used are dropped."""

  def __init__(
    self,
    make: Callable[[tff.framework.ConcreteComputation], Any],
    finish: Callable[[tff.framework.ConcreteComputation, Any], Any],
    capacity: int = _COMPUTATIONS,
  ) -> None:
    """Keeps `capacity` results of each function.

    Args:
      make: is called once for computations that are equal.
      finish: is called with each computation and the result of `make`. Computations are
        equal even if they take and give different Python containers.
      capacity: how many are kept.
    """
    # One thread at a time, so that no two make the same; TFF's compiler is Python anyway.
    self._lock = threading.Lock()
    self._by_content = functools.lru_cache(capacity)(make)
    # A computation's hash is that of its serialized content: milliseconds for large ones.
    self._by_identity = functools.lru_cache(capacity)(
      lambda key: finish(key.computation, self._by_content(key.computation))
    )

  def __call__(self, computation: tff.framework.ConcreteComputation) -> Any:
    """Returns the product of the computation, from the cache if it was made before."""
    with self._lock:
      return self._by_identity(_ByIdentity(computation))

  def __len__(self) -> int:
    """Returns how many computations are kept."""
    return max(self._by_content.cache_info().currsize, self._by_identity.cache_info().currsize)


class _ByContent:
  """A TensorFlow part that is equal to another of the same content."""

  def __init__(self, part: tff.framework.CompiledComputation) -> None:
    self.part = canonical.without_process(part)
    content = self.part.proto.tensorflow.SerializeToString(deterministic=True)
    self.digest = hashlib.sha256(content).digest()

  def __hash__(self) -> int:
    return hash(self.digest)

  def __eq__(self, other: object) -> bool:
    return isinstance(other, _ByContent) and self.digest == other.digest


@functools.lru_cache(_FUNCTIONS)
def _import(key: _ByContent) -> tensorflow_functions.FlatFunction:
  return tensorflow_functions.import_computation(_optimize(key))


def _optimize(key: _ByContent) -> computation_pb2.TensorFlow:
  kept = graph_cache.of_user()
  if kept is None:
    return grappler.optimize(key.part)
  content = kept.get_or_make(
    graph_cache.surroundings() + key.digest,
    lambda: grappler.optimize(key.part).SerializeToString(deterministic=True),
  )
  return computation_pb2.TensorFlow.FromString(content)


def import_cached(part: tff.framework.CompiledComputation) -> tensorflow_functions.FlatFunction:
  """Returns the optimised function of a TensorFlow part, from the cache if it is there."""
  return _import(_ByContent(part))
