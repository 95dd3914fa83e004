"""Ending TensorFlow computations that run, from another thread.

Python alone cannot: a thread that waits for TensorFlow hears nothing. A call within `scope` on a
thread ends, with an error, soon after `Cancellation.cancel`.
"""

import contextlib
import threading
from collections.abc import Iterator

from tensorflow.python.eager import cancellation

_THREAD = threading.local()


class Cancellation:
  """Ends the computations that run within its scope, and those that start there later."""

  def __init__(self) -> None:
    self._manager = cancellation.CancellationManager()

  def cancel(self) -> None:
    """Ends them; returns at once."""
    self._manager.start_cancel()

  @contextlib.contextmanager
  def scope(self) -> Iterator[None]:
    """Lets computations that this thread calls in this block be ended."""
    outer = current_manager()
    _THREAD.manager = self._manager
    try:
      yield
    finally:
      _THREAD.manager = outer


def current_manager() -> cancellation.CancellationManager | None:
  """Returns TensorFlow's own object for what this thread calls, None outside of scopes."""
  return getattr(_THREAD, 'manager', None)


def idle_manager() -> cancellation.CancellationManager:
  """Returns a manager by which nobody ends a call."""
  return cancellation.CancellationManager()


def cancelled_manager() -> cancellation.CancellationManager:
  """Returns a manager that ends a call before it starts, when its function is instantiated."""
  manager = cancellation.CancellationManager()
  manager.start_cancel()
  return manager
