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
) -> None:
  """Makes a runtime run all computations.

  Args:
    name: `local` for this process, `tff` for TFF's own worker process, which ends with
      the program: left alone it can outlive it and hold its output open.
    devices: of the local runtime; `auto`, `cpu`, or names such as `gpu:0`.
    clients_per_device: of the local runtime; clients that a device runs at a time.
    stacked_clients: of the local runtime; clients of equal shape that run in one call, 0 to
      measure.

  Raises:
    ValueError: an unknown runtime, or a device that is not there.
  """
  if name == 'local':
    chosen = devices[0] if tuple(devices) in (('auto',), ('cpu',)) else devices
    runtime.set_local_execution_context(
      devices=chosen, clients_per_device=clients_per_device, stacked_clients=stacked_clients
    )
  elif name == 'tff':
    _end()  # An earlier worker, which TFF might wait for.
    tff.backends.native.set_sync_local_cpp_execution_context()
    end_worker_at_exit()
  else:
    raise ValueError(f'runtime is {name}, expected local or tff.')


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
