"""Where a computation would hang or say nothing useful: an error, or the default context.

The cases are a process that was forked, a computation called inside `tf.py_function` of another,
and a thread that has set no context. TFF's contexts are set for one thread each.
"""

import os
import sys
import threading
import types
import weakref
from typing import Any

from tff_lg.compatibility import tff

# The file of TensorFlow in which Python functions are called from graphs.
_PY_FUNCTIONS = os.path.join('tensorflow', 'python', 'ops', 'script_ops.py')

_has_started = False
_is_forked = False


def tensorflow_has_started() -> None:
  """Notes that TensorFlow's threads run; a process that is forked from now on lacks them."""
  global _has_started
  _has_started = True


def check_process() -> None:
  """Refuses a process that was forked after TensorFlow had started.

  Raises:
    RuntimeError: it would wait forever for threads that it does not have.
  """
  if _is_forked:
    raise RuntimeError(
      'This process was forked from one in which TensorFlow runs, whose threads it does not have: '
      "start it by multiprocessing.get_context('spawn'), or fork before a context is made."
    )


def check_not_within_clients() -> None:
  """Refuses a call from a Python function that TensorFlow calls while clients run.

  Raises:
    RuntimeError: it would wait for a device that its own caller occupies.
  """
  frame: types.FrameType | None = sys._getframe()
  while frame is not None:
    if frame.f_code.co_filename.endswith(_PY_FUNCTIONS):
      raise RuntimeError(
        'A TFF computation is called inside tf.py_function or tf.numpy_function of a client, where '
        'none can run: call it before or after, and pass its result in.'
      )
    frame = frame.f_back


def serve_other_threads(context: tff.framework.SyncContext | None) -> None:
  """Makes threads that set no context use one, as long as somebody else holds it.

  Args:
    context: safe to call from several threads; None for an error that says what to do.
  """
  reference = None if context is None else weakref.ref(context)

  def invoke(comp: Any, arg: Any) -> Any:
    held = None if reference is None else reference()
    if held is None:
      raise RuntimeError(
        'TFF has no context in this thread: contexts are set for each thread; call '
        'tff.framework.set_default_context or tff_lg.runtime.set_local_execution_context in it.'
      )
    return held.invoke(comp, arg)

  # All new threads begin with one object, whose `invoke` raises an error that explains nothing.
  found: list[Any] = []
  thread = threading.Thread(
    target=lambda: found.append(tff.framework.get_context_stack().current), daemon=True
  )
  thread.start()
  thread.join()
  found[0].invoke = invoke


def _after_fork() -> None:
  global _is_forked
  _is_forked = _has_started


os.register_at_fork(after_in_child=_after_fork)
