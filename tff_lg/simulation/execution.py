"""Which runtime runs the computations, and that it ends with the program."""

import atexit
import gc
from collections.abc import Sequence

import psutil
import tensorflow_federated as tff

from tff_lg import runtime

_WORKER = 'worker_binary'


def set_execution_context(
  name: str = 'local',
  devices: Sequence[str] = ('auto',),
  clients_per_device: int | None = None,
  stacked_clients: int = 1,
  *,
  ray_address: str = '',
  ray_actors: int = 1,
  ray_actor_cpus: float = 1.0,
  ray_actor_gpus: float = 0.0,
) -> None:
  """Makes a runtime run all computations.

  Args:
    name: `local` for this process, `tff` for TFF's own worker process, which ends with
      the program: left alone it can outlive it and hold its output open; `ray` for Ray actors.
    devices: of the local runtime; `auto`, `cpu`, or names such as `gpu:0`.
    clients_per_device: of the local runtime; clients that a device runs at a time.
    stacked_clients: of the local runtime; clients of equal shape that run in one call, 0 to
      measure.
    ray_address: of Ray; `auto`, HOST:PORT, or empty to start Ray on this machine.
    ray_actors: of Ray; processes that clients are spread over.
    ray_actor_cpus: of each actor; it runs as many clients at a time, at least one.
    ray_actor_gpus: of each actor, perhaps a share of one.

  Raises:
    ValueError: an unknown runtime, a device that is not there, or a Ray cluster without room.
    ClusterError: no Ray cluster that works.
  """
  if name == 'ray':
    tff.test.set_no_default_context()
    gc.collect()  # Ends what an earlier one has started.
    runtime.set_ray_execution_context(
      ray_address=ray_address,
      ray_actors=ray_actors,
      ray_actor_cpus=ray_actor_cpus,
      ray_actor_gpus=ray_actor_gpus,
    )
  elif name == 'local':
    chosen = devices[0] if tuple(devices) in (('auto',), ('cpu',)) else devices
    runtime.set_local_execution_context(
      devices=chosen, clients_per_device=clients_per_device, stacked_clients=stacked_clients
    )
  elif name == 'tff':
    _end()  # An earlier worker, which TFF might wait for.
    tff.backends.native.set_sync_local_cpp_execution_context()
    end_worker_at_exit()
  else:
    raise ValueError(f'runtime is {name}, expected local, tff or ray.')


def end_worker_at_exit() -> None:
  """Ends TFF's worker, if there is one, when Python ends; calling it again changes nothing."""
  atexit.unregister(_end)
  atexit.register(_end)


def _end() -> None:
  """Ends the worker, then lets TFF see that it has ended.

  TFF itself interrupts the worker and waits for it, forever where interrupts are
  ignored, as they are in what a shell script runs in the background.
  """
  for child in psutil.Process().children():
    if child.name() == _WORKER:
      child.kill()
  tff.test.set_no_default_context()
  gc.collect()
