"""TFF's own runtime: a worker process, which ends with the program."""

from tff_lg import entries
from tff_lg.execution import entry


def _set_context(options: entries.NoOptions) -> None:
  del options
  from tff_lg.execution import worker  # It imports TensorFlow.

  worker.set_worker_context()


entry.register(
  entry.RuntimeEntry(
    name='tff',
    label="TFF's own worker process, whose results differ by the rounding of floats at most",
    set_context=_set_context,
  )
)
