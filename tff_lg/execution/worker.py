"""TFF's worker process, and that it ends with the program."""

import atexit
import gc
import os
import threading

import psutil

from tff_lg import garbage, orphans
from tff_lg.compatibility import tff
from tff_lg.runtime import tff_internals

_WORKER = 'worker_binary'

# Of a program that is killed, TFF's worker would live on. Python calls `_end_at_exit` otherwise.
_watch: orphans.Watch | None = None


def set_worker_context() -> None:
  """Makes TFF's own worker process run all computations.

  It ends with the program: left alone it can outlive it and hold its output open.
  """
  _end()  # An earlier worker, which TFF might wait for.
  tff.framework.set_default_context(tff_internals.create_worker_context())
  garbage.set_aside()
  end_worker_at_exit()


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

  TFF itself interrupts the worker and waits for it. It waits forever where interrupts are
  ignored, as in a program that a shell script runs in the background.
  """
  for child in psutil.Process().children():
    if child.name() == _WORKER:
      child.kill()
  tff.test.set_no_default_context()
  gc.collect()
