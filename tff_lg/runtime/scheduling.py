"""Runs local processing: at each client on the workers, and at the server."""

import functools
import logging
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from tff_lg import errors
from tff_lg.runtime import calls, fusion, stacking, workers
from tff_lg.runtime.values import AllEqual, AtClients

# Clients stacked to find out whether that is faster.
_STACKED_ON_CPU, _STACKED_ON_GPU = 5, 16

# Where TensorFlow's graph was made: always where the runtime imports it, so of no help.
_TRACE = re.compile(
  r'^(Graph execution error:|Detected at node .*|<stack traces unavailable>'
  r'|\s+File ".*", line .*|\s*)\n'
  r'|{{function_node \S+}} ',
  re.MULTILINE,
)


class ClientComputationError(errors.RunFailure):
  """A client's computation failed.

  Attributes:
    intrinsic: what was being evaluated.
    client_index: the client's place in the cohort.
  """

  def __init__(self, intrinsic: str, client_index: int, error: BaseException) -> None:
    """Makes the message of what TensorFlow says."""
    message = _TRACE.sub('', getattr(error, 'message', None) or str(error)).strip()
    super().__init__(f'{intrinsic} failed at client {client_index}: {message}')
    self.intrinsic = intrinsic
    self.client_index = client_index


def at_each_client(
  intrinsic: str, function: Callable[[Any], Any], arguments: Sequence[Any], run: Any
) -> list[Any]:
  """Runs a function at each client on the workers; results in the clients' order.

  Raises:
    ClientComputationError: it failed.
  """
  return run.pool.map(
    lambda indexed: _at_client(intrinsic, function, *indexed), list(enumerate(arguments))
  )


def _at_client(intrinsic: str, function: Callable[[Any], Any], index: int, argument: Any) -> Any:
  try:
    return function(argument)
  except (tf.errors.OpError, ValueError, TypeError) as error:
    raise ClientComputationError(intrinsic, index, error) from error


def select_client(value: Any, index: int) -> Any:
  """Returns what one client has of a value, or structure of values, at all clients."""
  if isinstance(value, tuple):
    return tuple(select_client(element, index) for element in value)
  return value.value if isinstance(value, AllEqual) else value.members[index]


class ServerGroup:
  """Evaluates a group at the server."""

  def __init__(self, program: Callable[[], fusion.Program]) -> None:
    """Takes what makes the group's program, once it is needed."""
    self._program = program

  @functools.cached_property
  def _function(self) -> fusion.FusedFunction:
    return fusion.FusedFunction(self._program())

  def __call__(self, arguments: tuple, run: Any) -> tuple:
    """Returns the group's results for the values of its arguments."""
    tensors = calls.flat(arguments)
    if not self._function.calls_tensorflow(tensors):
      return self._function(tensors)
    # On a worker: Python hears no Ctrl-C in a thread that is inside TensorFlow.
    [results] = run.pool.map(self._function, [tensors])
    return results


class ClientGroup:
  """Evaluates a group at the clients, some of them in one call if they are stacked."""

  def __init__(
    self, program: Callable[[], fusion.Program], stackable: Callable[[], fusion.Program]
  ) -> None:
    """Takes what makes the group's program, and the one for stacked clients, once needed."""
    self._program = program
    self._stackable = stackable
    self._stacked: dict[int, stacking.StackedFunction | None] = {}

  @functools.cached_property
  def _function(self) -> fusion.FusedFunction:
    return fusion.FusedFunction(self._program())

  def __call__(self, arguments: tuple, run: Any) -> list[AtClients]:
    """Returns the group's results, each at all clients, for the values of its arguments."""
    rows = [calls.flat(select_client(arguments, index)) for index in range(run.num_clients)]
    if not any([self._function.calls_tensorflow(row) for row in rows]):
      of_clients = list(map(self._function, rows))
    elif run.stacked_clients == 1 or len(rows) < 2:
      of_clients = at_each_client('federated_map', self._function, rows, run)
    else:
      of_clients = self._in_stacks(rows, run)
    if not of_clients:
      return [AtClients([]) for _ in range(self._function.program.num_results)]
    return [AtClients(list(members)) for members in zip(*of_clients, strict=True)]

  def _in_stacks(self, rows: Sequence[list[tf.Tensor]], run: Any) -> list[tuple]:
    # A cohort smaller than a stack is one stack.
    size = min(run.stacked_clients, len(rows)) or _default_size(len(rows), run.pool)
    chunks = stacking.chunks(rows, size, stacking.scalar_indices(self._function.program))
    stacked = None
    if any(len(chunk) > 1 for chunk in chunks):
      if size not in self._stacked:
        full = next(chunk for chunk in chunks if len(chunk) > 1)
        sample = [rows[index] for index in full] if run.stacked_clients == 0 else None
        self._stacked[size] = self._make_stacked(size, sample)
      stacked = self._stacked[size]
    if stacked is None:
      return at_each_client('federated_map', self._function, rows, run)

    def alone(index: int) -> tuple:
      return _at_client('federated_map', self._function, index, rows[index])

    def together(chunk: list[int]) -> list[tuple]:
      if len(chunk) == 1:
        return [alone(chunk[0])]
      try:
        return stacked([rows[index] for index in chunk])
      except tf.errors.CancelledError:
        raise
      except tf.errors.OpError:
        return []

    results: dict[int, tuple] = {}
    for chunk, of_chunk in zip(chunks, run.pool.map(together, chunks), strict=True):
      if not of_chunk:  # One at a time, the failing client is found.
        of_chunk = run.pool.map(alone, chunk)
      results.update(zip(chunk, of_chunk, strict=True))
    return [results[index] for index in range(len(rows))]

  def _make_stacked(
    self, size: int, sample: list[list[tf.Tensor]] | None
  ) -> stacking.StackedFunction | None:
    """Returns the function for stacks; None if there is none or, with a sample, it is slower."""
    try:
      stacked = stacking.StackedFunction(self._stackable(), size)
    except Exception as error:  # `vectorized_map` raises whatever it stumbles upon.
      logging.info('A computation at clients cannot be stacked: %s', error)
      return None
    if sample is None:
      return stacked
    alone = _seconds(lambda: [self._function(row) for row in sample])
    together = _seconds(lambda: stacked(sample))
    logging.info('%d clients: %.4f s stacked, %.4f s one by one', size, together, alone)
    return stacked if together < alone else None


def _default_size(num_clients: int, pool: workers.WorkerPool) -> int:
  """Returns how many clients to stack if that is faster, so that every worker has some."""
  on_gpu = pool.devices[0].startswith('gpu')
  return max(min(_STACKED_ON_GPU if on_gpu else _STACKED_ON_CPU, num_clients // pool.size), 1)


def _seconds(work: Callable[[], Any]) -> float:
  """Returns the second time, when everything is there."""
  work()
  began = time.perf_counter()
  work()
  return time.perf_counter() - began
