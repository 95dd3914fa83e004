"""Runtime: any TFF computation, in this process, on CPU threads or GPUs, or on Ray actors.

One line makes a TFF program use it:

  tff_lg.runtime.set_local_execution_context()
  tff_lg.runtime.set_ray_execution_context(ray_actors=4)

Comes in: TFF computations and their arguments. Goes out: what TFF's own runtime would
give. May import: TFF and TensorFlow; no room.
"""

from tff_lg.ray_connection import ClusterError
from tff_lg.runtime.context import (
  AsyncLocalExecutionContext,
  LocalExecutionContext,
  RayExecutionContext,
  create_local_execution_context,
  create_ray_execution_context,
  set_local_execution_context,
  set_ray_execution_context,
)
from tff_lg.runtime.scheduling import ClientComputationError

__all__ = [
  'AsyncLocalExecutionContext',
  'ClientComputationError',
  'ClusterError',
  'LocalExecutionContext',
  'RayExecutionContext',
  'create_local_execution_context',
  'create_ray_execution_context',
  'set_local_execution_context',
  'set_ray_execution_context',
]
