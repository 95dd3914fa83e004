"""The runtime in this process, on CPU threads or GPUs."""

import contextlib

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
    more='Small networks are faster on the CPU.',
  )
  clients_per_device: int | None = option(
    None,
    'Clients that run on a device at the same time',
    option_check.POSITIVE,
    by_default='as many as there are cores on the CPU, four on a GPU and one on a part of a GPU',
  )
  stacked_clients: int = option(
    1,
    'Clients with equally many examples, and the same share of the work, that are trained in one '
    'call. On a CPU this is faster only for small networks; 0 to measure whether it is',
    option_check.NOT_NEGATIVE,
    more='Results differ by the rounding of floats.',
  )
  reproducible_gpus: bool = option(
    True,
    "Whether GPUs give the same bits in each run, and the CPU's results to the rounding of "
    'float32. Without it, TensorFlow sums in any order and rounds factors to TensorFloat-32',
  )
  gpu_parts: int = option(
    1,
    'Parts that each GPU is split into, with an equal share of its memory. Each runs operations '
    'beside the others',
    option_check.POSITIVE,
    more='This is faster where single operations leave a GPU idle.',
  )


def _set_context(options: Options) -> None:
  from tff_lg import runtime  # It imports TensorFlow.

  devices = options.devices
  if devices == ('cpu',):
    _hide_gpus()
  runtime.set_local_execution_context(
    devices=devices[0] if devices in _ONE_WORD else devices,
    clients_per_device=options.clients_per_device,
    stacked_clients=options.stacked_clients,
    reproducible_gpus=options.reproducible_gpus,
    gpu_parts=options.gpu_parts,
  )


def _hide_gpus() -> None:
  """Keeps on the CPU also what runs outside the context, such as clients' own models."""
  import tensorflow as tf  # It takes seconds to import.

  with contextlib.suppress(RuntimeError):  # TensorFlow has started, on the GPUs.
    tf.config.set_visible_devices([], 'GPU')


entry.register(
  entry.RuntimeEntry(
    name=entry.LOCAL, label='this process', options=Options, set_context=_set_context
  )
)
