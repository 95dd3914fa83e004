"""The runtime in this process and, for the work at clients, on Ray actors."""

import gc

import attrs

from tff_lg import option_check
from tff_lg.entries import option
from tff_lg.execution import entry


@attrs.frozen
class Options:
  """Which cluster, and what of it."""

  ray_address: str = option(
    '',
    'Ray cluster: auto for the one of this machine, HOST:PORT for one of several',
    by_default='a Ray on this machine that ends with the run',
  )
  ray_actors: int = option(1, 'Processes that clients are spread over', option_check.POSITIVE)
  ray_actor_cpus: float = option(
    1.0,
    'CPUs of each Ray actor; it runs as many clients at a time, at least one',
    option_check.POSITIVE,
  )
  ray_actor_gpus: float = option(
    0.0, 'GPUs of each Ray actor; 0.5 for two actors that share one', option_check.NOT_NEGATIVE
  )


def _set_context(options: Options) -> None:
  from tff_lg import runtime  # It imports TensorFlow.
  from tff_lg.compatibility import tff

  tff.test.set_no_default_context()
  gc.collect()  # Ends what an earlier one has started.
  runtime.set_ray_execution_context(**attrs.asdict(options), reproducible_gpus=True)


entry.register(
  entry.RuntimeEntry(
    name='ray',
    label='this process and Ray actors with the work at clients, with the same results as this '
    'process alone',
    options=Options,
    set_context=_set_context,
    options_change_no_bit=True,
    is_on_ray=True,
  )
)
