"""Workers: threads that each run clients on one device."""

import contextlib
import os
import queue
import threading
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures.thread import ThreadPoolExecutor
from typing import Any

import tensorflow as tf

from tff_lg.runtime import cancellation, gpus

# Attributes that a class sets aside places for in CPython 3.11; each instance takes one off.
_SHARED_ATTRIBUTES = 30

# How long a Ctrl-C may go unheard, in seconds.
_LONGEST_WAIT = 0.5

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
    device.name.lower().removeprefix('/device:') for device in tf.config.list_logical_devices()
  ]
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


def configure_tensorflow(
  devices: str | Sequence[str], reproducible_gpus: bool = False, gpu_parts: int = 1
) -> None:
  """Lets GPU memory grow and, on the CPU, gives each operation one thread.

  Workers fill the cores by clients, which on small models is faster than by operations.
  It starts TensorFlow. If it has started before, only `reproducible_gpus` has an effect.

  Args:
    devices: as `choose_devices` takes them.
    reproducible_gpus: has GPUs take sums in a fixed order, and products of float32 in full,
      instead of as TensorFloat-32. On a machine without GPUs it changes nothing.
    gpu_parts: parts that each GPU is split into.

  Raises:
    ValueError: GPUs cannot be split, see `gpus.prepare`.
  """
  visible = tf.config.get_visible_devices('GPU')
  if visible and reproducible_gpus:
    tf.config.experimental.enable_op_determinism()
    tf.config.experimental.enable_tensor_float_32_execution(False)
  try:
    gpus.prepare(visible, gpu_parts)
    if devices == 'cpu' or not visible:
      tf.config.threading.set_intra_op_parallelism_threads(1)
  except RuntimeError:
    pass  # TensorFlow has started: results are the same, only slower.
  _limit_lost_memory()


def _limit_lost_memory() -> None:
  """Lets TensorFlow 2.14 lose 16 bytes with each eager tensor, not 48.

  It does not free the places that CPython 3.11 sets aside in a tensor for attributes, as many
  as tensors have had so far. Variables give some; but by then there are no more to be had, if
  tensors without any came first.
  """
  for _ in range(_SHARED_ATTRIBUTES):
    tf.constant(0)


def num_cores() -> int:
  """Returns the cores that the process may use, which a container or a sweep may limit."""
  if hasattr(os, 'sched_getaffinity'):
    return len(os.sched_getaffinity(0))
  return os.cpu_count() or 1


class WorkerPool:
  """Threads, each bound to a device, that clients are spread over.

  Attributes:
    devices: names for `tf.device`.
    size: clients that run at the same time.
  """

  def __init__(self, devices: Sequence[str], clients_per_device: int | None) -> None:
    """Starts no thread before the first client.

    Args:
      devices: names for `tf.device`.
      clients_per_device: clients that run on a device at the same time. By default the number
        of cores that the process may use on the CPU, and as `gpus.clients_at_a_time` has it.
    """
    self.devices = tuple(devices)
    self._free: queue.SimpleQueue[str] = queue.SimpleQueue()
    self._running: set[cancellation.Cancellation] = set()
    self.size = 0
    cpus = sum(device.startswith('cpu') for device in devices)
    for device in devices:
      is_cpu = device.startswith('cpu')
      default = max(num_cores() // cpus, 1) if is_cpu else gpus.clients_at_a_time()
      for _ in range(clients_per_device or default):
        self._free.put(device)
        self.size += 1
    self._threads = ThreadPoolExecutor(self.size, 'tff_lg_client')
    _POOLS.add(self)

  @property
  def is_busy(self) -> bool:
    """Whether items are being worked on, also those that nobody waits for any more."""
    return self._free.qsize() < self.size

  def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Applies a function to each item, several at a time; results in the items' order.

    Raises:
      What the function raises for the first item, in order, for which it does.
    """
    # One each: TensorFlow, too, cancels what shares it with a function that fails.
    endings = [cancellation.Cancellation() for _ in items]

    def on_free_device(item: Any, ending: cancellation.Cancellation) -> Any:
      device = self._free.get()
      try:
        with tf.device(device), ending.scope():
          return function(item)
      finally:
        self._free.put(device)

    futures = []
    self._running.update(endings)
    try:
      # Even a single item: Python hears no Ctrl-C in a thread that is inside TensorFlow.
      for item, ending in zip(items, endings, strict=True):
        futures.append(self._threads.submit(on_free_device, item, ending))
      return [_result(future) for future in futures]
    except BaseException:
      # Nobody waits for the others any more.
      for future in futures:
        future.cancel()
      for ending in endings:
        ending.cancel()
      raise
    finally:
      self._running.difference_update(endings)

  def cancel(self) -> None:
    """Ends all that runs; the callers of `map` get an error."""
    for ending in list(self._running):
      ending.cancel()

  def close(self) -> None:
    """Ends what runs, and the threads."""
    self.cancel()
    self._threads.shutdown(wait=True, cancel_futures=True)


def _result(future: Future[Any]) -> Any:
  """Returns a future's result, also waiting in a way that Ctrl-C always ends.

  A signal that comes just before the wait, or in another thread, does not end the wait itself.
  """
  while not future.done():
    with contextlib.suppress(TimeoutError):
      return future.result(_LONGEST_WAIT)
  return future.result()


def _close_all() -> None:
  # TensorFlow must not be taken down under a running computation.
  for pool in list(_POOLS):
    pool.close()


# Python joins all threads before it calls what atexit knows; this comes before that, as it is
# registered after `concurrent.futures.thread`, imported above, has registered itself.
threading._register_atexit(_close_all)  # type: ignore[attr-defined]  # It has no public name.
os.register_at_fork(after_in_child=_POOLS.clear)  # Their threads are the parent's.
