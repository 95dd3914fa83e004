"""Which runtime runs the computations of a run."""

from tff_lg import config as config_lib
from tff_lg.execution import RUNTIMES
from tff_lg.execution.worker import end_worker_at_exit

__all__ = ['end_worker_at_exit', 'set_execution_context']


def set_execution_context(options: config_lib.RuntimeOptions | None = None) -> None:
  """Makes a runtime run all computations.

  Args:
    options: which runtime, the one in this process by default. Options of others are ignored.

  Raises:
    ValueError: an unknown runtime, a device that is not there, or a Ray cluster without room.
    ClusterError: no Ray cluster that works.
  """
  options = options or config_lib.RuntimeOptions()
  if options.runtime not in RUNTIMES:
    raise ValueError(f'runtime is {options.runtime}, expected one of {", ".join(RUNTIMES)}.')
  of_runtime = config_lib.RUNTIME_OPTIONS.build(options, options.runtime)
  RUNTIMES[options.runtime].set_context(of_runtime)
