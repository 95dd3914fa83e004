"""Which TFF runtime runs the computations, and that it ends with the program."""

import atexit
import gc

import tensorflow_federated as tff


def set_execution_context() -> None:
  """Makes TFF's own runtime run all computations, and end when Python does.

  TFF's runtime is a worker process; left alone it can outlive the program and hold
  its output open. Calling this again ends that worker and starts another at need.
  """
  tff.backends.native.set_sync_local_cpp_execution_context()
  atexit.unregister(_end)
  atexit.register(_end)


def _end() -> None:
  tff.test.set_no_default_context()
  gc.collect()
