"""The runtimes that programs run on."""

import functools
import signal
from collections.abc import Callable, Mapping

from tff_lg import runtime
from tff_lg.compatibility import tff
from tff_lg.simulation import execution


def _worker() -> tff.framework.SyncContext:
  execution.end_worker_at_exit()
  # TFF interrupts its worker and waits for it: for ever if a shell in the background ignores that.
  signal.signal(signal.SIGINT, signal.default_int_handler)
  # The one for tests has secure sums, as plain ones; TFF's default context has none.
  return tff.backends.test.create_sync_test_cpp_execution_context()


# What makes the context of each, by its name.
RUNTIMES: Mapping[str, Callable[[], tff.framework.SyncContext]] = {
  'local': functools.partial(runtime.create_local_execution_context, devices='cpu'),
  'tff': _worker,
}


def asynchronous() -> tff.framework.AsyncContext:
  """Returns the context that is installed for programs that await."""
  context = tff.framework.get_context_stack().current
  if isinstance(context, runtime.LocalExecutionContext):
    return runtime.AsyncLocalExecutionContext(context)
  return _asynchronous_worker()


@functools.cache
def _asynchronous_worker() -> tff.framework.AsyncContext:
  execution.end_worker_at_exit()
  return tff.backends.test.create_async_test_cpp_execution_context()
