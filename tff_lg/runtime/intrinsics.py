"""What each intrinsic that survives TFF's native compiler does, by its URI.

An implementation takes the argument (a tuple where there are several), the run, and
the intrinsic's function type.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf
import tensorflow_federated as tff

from tff_lg.runtime import calls, fusion
from tff_lg.runtime import tff_internals as internals
from tff_lg.runtime.values import AllEqual, AtClients, members

# Where TensorFlow's graph was made: always where the runtime imports it, so of no help.
_TRACE = re.compile(
  r'^(Graph execution error:|Detected at node .*|\s+File ".*", line .*|\s*)\n'
  r'|{{function_node \S+}} ',
  re.MULTILINE,
)


class ClientComputationError(RuntimeError):
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


def _at_each_client(
  intrinsic: str, function: Callable[[Any], Any], arguments: list[Any], run: Any
) -> AtClients:
  """Runs a function at each client on the workers."""

  def at_client(indexed: tuple[int, Any]) -> Any:
    index, argument = indexed
    try:
      return function(argument)
    except (tf.errors.OpError, ValueError, TypeError) as error:
      raise ClientComputationError(intrinsic, index, error) from error

  return AtClients(run.pool.map(at_client, list(enumerate(arguments))))


def _group_at_clients(
  function: fusion.FusedFunction, arguments: tuple, run: Any
) -> list[AtClients]:
  of_clients = [_select_client(arguments, index) for index in range(run.num_clients)]
  if function.calls_tensorflow:
    of_clients = _at_each_client('federated_map', function, of_clients, run).members
  else:
    of_clients = list(map(function, of_clients))
  if not of_clients:
    return [AtClients([]) for _ in range(function.num_results)]
  return [AtClients(list(members)) for members in zip(*of_clients, strict=True)]


def _group_at_server(function: fusion.FusedFunction, arguments: tuple, run: Any) -> tuple:
  if not function.calls_tensorflow:
    return function(arguments)
  # On a worker: Python hears no Ctrl-C in a thread that is inside TensorFlow.
  [results] = run.pool.map(function, [arguments])
  return results


# How a group of local processing is evaluated: (function, arguments, run) -> its results.
GROUPS: Mapping[tff.framework.PlacementLiteral, Callable[..., Sequence[Any]]] = {
  tff.CLIENTS: _group_at_clients,
  tff.SERVER: _group_at_server,
}


def _map(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  function, value = argument
  if function_type.result.placement is tff.SERVER:
    return function(value)
  return _at_each_client('federated_map', function, members(value, run.num_clients), run)


def _map_all_equal(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del run, function_type
  function, value = argument
  return AllEqual(function(value.value))


def _apply(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del run, function_type
  function, value = argument
  return function(value)


def _broadcast(value: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del run, function_type
  return AllEqual(value)


def _identity(value: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del run, function_type
  return value


def _eval_at_clients(function: Any, run: Any, function_type: tff.FunctionType) -> Any:
  if function_type.result.all_equal:
    return AllEqual(function(None))
  return _at_each_client('federated_eval', function, [None] * run.num_clients, run)


def _eval_at_server(function: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del run, function_type
  return function(None)


def _zip_at_clients(value: Any, run: Any, function_type: tff.FunctionType) -> Any:
  if function_type.result.all_equal:
    return AllEqual(_unwrap(value))
  return AtClients([_select_client(value, index) for index in range(run.num_clients)])


def _unwrap(value: Any) -> Any:
  return tuple(map(_unwrap, value)) if isinstance(value, tuple) else value.value


def _select_client(value: Any, index: int) -> Any:
  if isinstance(value, tuple):
    return tuple(_select_client(element, index) for element in value)
  return value.value if isinstance(value, AllEqual) else value.members[index]


def _aggregate(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  # In the clients' order, whatever the order in which they came: `merge` is not needed.
  del function_type
  value, zero, accumulate, _, report = argument
  of_clients = members(value, run.num_clients)
  if isinstance(accumulate, calls.TensorFlowCall) and of_clients:
    try:
      return report(accumulate.accumulate(zero, of_clients))
    except tf.errors.OpError:
      pass  # One at a time, the failing client is found.
  total = zero
  for index, member in enumerate(of_clients):
    try:
      total = accumulate((total, member))
    except tf.errors.OpError as error:
      raise ClientComputationError('federated_aggregate', index, error) from error
  return report(total)


def _select(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  element_type = function_type.result.member.element
  keys, max_key, server_value, select = argument
  del max_key

  def select_all(client_keys: tf.Tensor) -> tf.Tensor:
    selected = [select((server_value, key)) for key in tf.unstack(client_keys)]
    return internals.variant_of_elements(selected, element_type)

  return _at_each_client('federated_select', select_all, members(keys, run.num_clients), run)


def _sequence_map(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del run
  function, sequence = argument
  elements = internals.elements_of_variant(sequence, function_type.parameter[1].element)
  mapped = [function(element) for element in elements]
  return internals.variant_of_elements(mapped, function_type.result.element)


def _sequence_reduce(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del run
  sequence, total, accumulate = argument
  for element in internals.elements_of_variant(sequence, function_type.parameter[0].element):
    total = accumulate((total, element))
  return total


def _sequence_sum(sequence: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del run
  elements = internals.elements_of_variant(sequence, function_type.parameter.element)
  total = _zero(function_type.result)
  for element in elements:
    total = tf.nest.map_structure(tf.add, total, element)
  return total


def _zero(value_type: tff.Type) -> Any:
  if isinstance(value_type, tff.StructType):
    return tuple(map(_zero, value_type))
  return tf.zeros(value_type.shape, tf.as_dtype(value_type.dtype.type))


INTRINSICS: Mapping[str, Callable[[Any, Any, tff.FunctionType], Any]] = {
  'federated_aggregate': _aggregate,
  'federated_apply': _apply,
  'federated_broadcast': _broadcast,
  'federated_eval_at_clients': _eval_at_clients,
  'federated_eval_at_server': _eval_at_server,
  'federated_map': _map,
  'federated_map_all_equal': _map_all_equal,
  'federated_secure_select': _select,
  'federated_select': _select,
  'federated_value_at_clients': _broadcast,
  'federated_value_at_server': _identity,
  'federated_zip_at_clients': _zip_at_clients,
  'federated_zip_at_server': _identity,
  'sequence_map': _sequence_map,
  'sequence_reduce': _sequence_reduce,
  'sequence_sum': _sequence_sum,
}
