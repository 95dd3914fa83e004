"""The intrinsics that survive TFF's native compiler, by URI.

An implementation takes the argument (a tuple where there are several), the run, and
the intrinsic's function type.
"""

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from tff_lg.compatibility import tff
from tff_lg.runtime import calls, reduction, remote, scheduling
from tff_lg.runtime import tff_internals as internals
from tff_lg.runtime.values import AllEqual, AtClients, Pending, members


def _map(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  function, value = argument
  if function_type.result.placement is tff.SERVER:
    return function(value)
  return AtClients(
    scheduling.at_each_client('federated_map', function, members(value, run.num_clients), run)
  )


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
  return AtClients(
    scheduling.at_each_client('federated_eval', function, [None] * run.num_clients, run)
  )


def _eval_at_server(function: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del run, function_type
  return function(None)


def _zip_at_clients(value: Any, run: Any, function_type: tff.FunctionType) -> Any:
  if function_type.result.all_equal:
    return AllEqual(_unwrap(value))
  return AtClients([scheduling.select_client(value, index) for index in range(run.num_clients)])


def _unwrap(value: Any) -> Any:
  return tuple(map(_unwrap, value)) if isinstance(value, tuple) else value.value


def _aggregate(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  del function_type
  value, zero, accumulate, merge, report = argument
  if run.num_clients == 0:
    return report(zero)
  in_graph = all(isinstance(step, calls.TensorFlowCall) for step in (accumulate, merge))
  if in_graph and isinstance(value, remote.RemoteAtClients):
    reduced = run.remote_run.reduce(value, zero, accumulate, merge)
    return Pending(lambda: report(reduced.value))
  steps = reduction.Reduction(zero, accumulate, merge, run.num_clients)
  of_clients = dict(enumerate(members(value, run.num_clients)))
  return report(steps.reduce(reduction.root(run.num_clients), of_clients))


def _select(argument: Any, run: Any, function_type: tff.FunctionType) -> Any:
  element_type = function_type.result.member.element
  keys, max_key, server_value, select = argument
  del max_key

  def select_all(client_keys: tf.Tensor) -> tf.Tensor:
    selected = [select((server_value, key)) for key in tf.unstack(client_keys)]
    return internals.variant_of_elements(selected, element_type)

  return AtClients(
    scheduling.at_each_client('federated_select', select_all, members(keys, run.num_clients), run)
  )


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
