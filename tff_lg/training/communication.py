"""Traffic: parameters and bytes, up and down, counted from the types that travel."""

import dataclasses

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.learning import process as process_lib


@dataclasses.dataclass(frozen=True)
class RoundTraffic:
  """Communication of one round, over all clients of the cohort.

  Attributes:
    parameters_down: model weights sent to clients.
    parameters_up: model weights sent by clients.
    bytes_down: bytes sent to clients, of everything that the round sends.
    bytes_up: bytes sent by clients, client weights among them.
  """

  parameters_down: int = 0
  parameters_up: int = 0
  bytes_down: int = 0
  bytes_up: int = 0

  @property
  def parameters(self) -> int:
    """Both ways."""
    return self.parameters_down + self.parameters_up

  @property
  def bytes(self) -> int:
    """Both ways."""
    return self.bytes_down + self.bytes_up

  def __add__(self, other: 'RoundTraffic') -> 'RoundTraffic':
    mine, others = dataclasses.astuple(self), dataclasses.astuple(other)
    return RoundTraffic(*(a + b for a, b in zip(mine, others, strict=True)))

  def __sub__(self, other: 'RoundTraffic') -> 'RoundTraffic':
    return self + other * -1

  def __mul__(self, num_rounds: int) -> 'RoundTraffic':
    return RoundTraffic(*(count * num_rounds for count in dataclasses.astuple(self)))


def count_round(
  process: process_lib.LocalGlobalProcess, num_downloads: int, num_uploads: int
) -> RoundTraffic:
  """Counts a round's traffic.

  Args:
    process: tells the types that travel.
    num_downloads: clients that the server sends to. The LG-FedAvg paper counts a
      broadcast to all of them, sampled or not.
    num_uploads: clients that send an update.

  Returns:
    The traffic.
  """
  weights_down, bytes_down = _count(process.download_type)
  weights_up, bytes_up = _count(process.upload_type)
  return RoundTraffic(
    num_downloads * weights_down,
    num_uploads * weights_up,
    num_downloads * bytes_down,
    num_uploads * bytes_up,
  )


def _count(travelling: tff.Type) -> tuple[int, int]:
  """Returns model weights and bytes in a value of type (weights, something) or ()."""
  if not len(travelling):
    return 0, 0
  weights = _specs(travelling[0])
  return (
    sum(spec.shape.num_elements() for spec in weights),
    sum(spec.shape.num_elements() * spec.dtype.size for spec in _specs(travelling)),
  )


def _specs(value_type: tff.Type) -> list[tf.TensorSpec]:
  return tf.nest.flatten(tff.types.type_to_tf_tensor_specs(value_type))
