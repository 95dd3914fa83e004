"""Which runtime runs the computations, and that it ends with the program."""

import atexit
import gc
import os
import threading

import psutil

from tff_lg import config as config_lib
from tff_lg import orphans, runtime
from tff_lg.compatibility import tff
from tff_lg.runtime import tff_internals

_WORKER = 'worker_binary'

# Of a program that is killed, TFF's worker would live on. Python calls `_end_at_exit` otherwise.
_watch: orphans.Watch | None = None


def set_execution_context(options: config_lib.RuntimeOptions | None = None) -> None:
  """Makes a runtime run all computations.

  Args:
    options: which runtime: `local`, this process, by default; `tff`, TFF's own worker process,
      which ends with the program: left alone it can outlive it and hold its output open; or
      `ray`, Ray actors. The options that are of another runtime are not looked at.

  Raises:
    ValueError: an unknown runtime, a device that is not there, or a Ray cluster without room.
    ClusterError: no Ray cluster that works.
  """
  options = options or config_lib.RuntimeOptions()
  if options.runtime == 'ray':
    tff.test.set_no_default_context()
    gc.collect()  # Ends what an earlier one has started.
    runtime.set_ray_execution_context(
      ray_address=options.ray_address,
      ray_actors=options.ray_actors,
      ray_actor_cpus=options.ray_actor_cpus,
      ray_actor_gpus=options.ray_actor_gpus,
    )
  elif options.runtime == 'local':
    devices = options.devices
    runtime.set_local_execution_context(
      devices=devices[0] if devices in (('auto',), ('cpu',)) else devices,
      clients_per_device=options.clients_per_device,
      stacked_clients=options.stacked_clients,
    )
  elif options.runtime == 'tff':
    _end()  # An earlier worker, which TFF might wait for.
    tff.framework.set_default_context(tff_internals.create_worker_context())
    end_worker_at_exit()
  else:
    raise ValueError(f'runtime is {options.runtime}, expected local, tff or ray.')


def end_worker_at_exit() -> None:
  """Ends TFF's worker, if there is one, with the program; calling it again changes nothing."""
  global _watch
  if _watch is None:
    _watch = orphans.Watch()
    # The worker is started when it is first needed.
    os.environ.update(_watch.environment)
  atexit.unregister(_end_at_exit)
  atexit.register(_end_at_exit)


def _end_at_exit() -> None:
  """Ends the worker, without the traceback of a thread that gRPC would start when it notices.

  Python 3.12 starts no thread any more by then.
  """
  report = threading.excepthook

  def report_others(args: threading.ExceptHookArgs) -> None:
    if 'at interpreter shutdown' not in str(args.exc_value):
      report(args)

  threading.excepthook = report_others
  _end()


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
