"""The runtime in this process, on CPU threads or GPUs."""

import attrs

from tff_lg import option_check
from tff_lg.entries import option
from tff_lg.execution import entry

_ONE_WORD = (('auto',), ('cpu',))


@attrs.frozen
class Options:
  """Where clients run, and how many at a time."""

  devices: tuple[str, ...] = option(
    ('auto',),
    'Devices that clients run on: auto for all GPUs, else the CPU; cpu; or names such as '
    'gpu:0,gpu:1',
  )
  clients_per_device: int | None = option(
    None,
    'Clients that run on a device at the same time',
    option_check.POSITIVE,
    by_default='as many as there are cores on the CPU and four on a GPU',
  )
  stacked_clients: int = option(
    1,
    'Clients with equally many examples, and the same share of the work, that are trained in one '
    'call. On a CPU this is faster only for small networks; 0 to measure whether it is',
    option_check.NOT_NEGATIVE,
    more='Results differ by the rounding of floats.',
  )


def _set_context(options: Options) -> None:
  from tff_lg import runtime  # It imports TensorFlow.

  devices = options.devices
  runtime.set_local_execution_context(
    devices=devices[0] if devices in _ONE_WORD else devices,
    clients_per_device=options.clients_per_device,
    stacked_clients=options.stacked_clients,
  )


entry.register(
  entry.RuntimeEntry(
    name=entry.LOCAL, label='this process', options=Options, set_context=_set_context
  )
)
