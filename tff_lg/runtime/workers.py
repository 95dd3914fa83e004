"""Workers: threads that each run clients on one device."""

import atexit
import concurrent.futures
import os
import queue
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

_POOLS: weakref.WeakSet['WorkerPool'] = weakref.WeakSet()


def choose_devices(devices: str | Sequence[str]) -> tuple[str, ...]:
  """Names the devices that clients run on.

  Args:
    devices: `auto` for all GPUs, or the CPU if there is none; `cpu`; or names such as
      `gpu:0` and `cpu:1`.

  Returns:
    Names for `tf.device`.

  Raises:
    ValueError: there is no such device.
  """
  known = [
    device.name.removeprefix('/physical_device:').lower()
    for device in tf.config.list_logical_devices()
  ]
  known = [name.removeprefix('/device:') for name in known]
  gpus = tuple(name for name in known if name.startswith('gpu'))
  if devices == 'auto':
    return gpus or ('cpu:0',)
  if devices == 'cpu':
    return ('cpu:0',)
  chosen = tuple(device.lower() for device in ([devices] if isinstance(devices, str) else devices))
  for device in chosen:
    if device not in known:
      raise ValueError(
        f'devices: there is no {device} on this machine, expected auto, cpu or some of '
        f'{", ".join(known)}.'
      )
  if not chosen:
    raise ValueError('devices: an empty list found, expected at least one device.')
  return chosen


def configure_tensorflow(devices: str | Sequence[str]) -> None:
  """Lets GPU memory grow and, on the CPU, gives each operation one thread.

  Workers fill the cores by clients, which on small models is faster than by operations.
  Nothing changes once TensorFlow has started.
  """
  try:
    for gpu in tf.config.list_physical_devices('GPU'):
      tf.config.experimental.set_memory_growth(gpu, True)
    if devices == 'cpu' or not tf.config.list_physical_devices('GPU'):
      tf.config.threading.set_intra_op_parallelism_threads(1)
  except RuntimeError:
    pass  # TensorFlow has started: results are the same, only slower.


class WorkerPool:
  """Threads, each bound to a device, that clients are spread over."""

  def __init__(self, devices: Sequence[str], clients_per_device: int | None) -> None:
    """Starts no thread before the first client.

    Args:
      devices: names for `tf.device`.
      clients_per_device: clients that run on a device at the same time; by default as
        many as there are cores on the CPU, and four on a GPU.
    """
    self.devices = tuple(devices)
    self._free: queue.SimpleQueue[str] = queue.SimpleQueue()
    self._size = 0
    cpus = sum(device.startswith('cpu') for device in devices)
    for device in devices:
      is_cpu = device.startswith('cpu')
      default = max((os.cpu_count() or 1) // cpus, 1) if is_cpu else 4
      for _ in range(clients_per_device or default):
        self._free.put(device)
        self._size += 1
    self._threads = concurrent.futures.ThreadPoolExecutor(self._size, 'tff_lg_client')
    _POOLS.add(self)

  def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Applies a function to each item, several at a time; results in the items' order.

    Raises:
      What the function raises for the first item, in order, for which it does.
    """
    if len(items) == 1 or self._size == 1:
      with tf.device(self.devices[0]):
        return [function(item) for item in items]

    def on_free_device(item: Any) -> Any:
      device = self._free.get()
      try:
        with tf.device(device):
          return function(item)
      finally:
        self._free.put(device)

    futures = [self._threads.submit(on_free_device, item) for item in items]
    try:
      return [future.result() for future in futures]
    finally:
      for future in futures:
        future.cancel()

  def close(self) -> None:
    """Waits for what runs and ends the threads."""
    self._threads.shutdown(wait=True, cancel_futures=True)


def _close_all() -> None:
  # TensorFlow must not be taken down under a running computation.
  for pool in list(_POOLS):
    pool.close()


atexit.register(_close_all)
