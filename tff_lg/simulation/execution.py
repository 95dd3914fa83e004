"""Which TFF runtime runs the computations, and that it ends with the program."""

import atexit
import gc

import psutil
import tensorflow_federated as tff

_WORKER = 'worker_binary'


def set_execution_context() -> None:
  """Makes TFF's own runtime run all computations, and end when Python does.

  TFF's runtime is a worker process; left alone it can outlive the program and hold
  its output open. Calling this again changes nothing.
  """
  tff.backends.native.set_sync_local_cpp_execution_context()
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
