"""Programs about templates of processes, serialized computations and forms of MapReduce."""

import collections

import numpy as np

from benchmarks.tff_programs import program
from tff_lg.compatibility import tff

TEMPLATES = program.Programs('tff.templates')
FRAMEWORK = program.Programs('tff.framework')
MAPREDUCE = program.Programs('tff.backends.mapreduce')

_AT_SERVER = tff.FederatedType(np.int32, tff.SERVER)
_INTS = tff.FederatedType(np.int32, tff.CLIENTS)


@tff.tensorflow.computation(np.int32, np.int32)
def _add(x, y):
  return x + y


@tff.federated_computation
def _zero():
  return tff.federated_value(0, tff.SERVER)


@tff.federated_computation(_AT_SERVER, _INTS)
def _total(state, values):
  """Adds up over rounds; each client adds the state to its value first."""
  shifted = tff.federated_map(_add, (values, tff.federated_broadcast(state)))
  total = tff.federated_sum(shifted)
  return tff.federated_map(_add, (state, total)), total


# 1 + 2 is 3; then 1 + 3 + 2 + 3 is 9.
@TEMPLATES.add((12, 9))
def iterative_process():
  process = tff.templates.IterativeProcess(_zero, _total)

  def call():
    state, _ = process.next(process.initialize(), [1, 2])
    return process.next(state, [1, 2])

  return call


def _measured(scale):
  """Multiplies values at the server."""

  @tff.federated_computation(_AT_SERVER, _AT_SERVER)
  def next_fn(state, value):
    multiply = tff.tensorflow.computation(lambda x: scale * x, np.int32)
    scaled = tff.federated_map(multiply, value)
    measured = tff.federated_zip(collections.OrderedDict(scaled=scaled))
    return tff.templates.MeasuredProcessOutput(state, scaled, measured)

  return tff.templates.MeasuredProcess(_zero, next_fn)


@TEMPLATES.add((30, {'two': {'scaled': 10}, 'three': {'scaled': 30}}))
def chained_measured_processes():
  process = tff.templates.chain_measured_processes(
    collections.OrderedDict(two=_measured(2), three=_measured(3))
  )

  def call():
    output = process.next(process.initialize(), 5)
    return output.result, output.measurements

  return call


@TEMPLATES.add({'two': 10, 'three': 18})
def concatenated_measured_processes():
  process = tff.templates.concatenate_measured_processes(
    collections.OrderedDict(two=_measured(2), three=_measured(3))
  )
  values = collections.OrderedDict(two=5, three=6)
  return lambda: process.next(process.initialize(), values).result


@TEMPLATES.add((9, 18))
def estimation_process():
  @tff.federated_computation(_AT_SERVER, _INTS)
  def next_fn(state, values):
    return tff.federated_map(_add, (state, tff.federated_sum(values)))

  report = tff.federated_computation(lambda state: state, _AT_SERVER)
  process = tff.templates.EstimationProcess(_zero, next_fn, report)
  double = tff.tensorflow.computation(lambda x: 2 * x, np.int32)
  doubled = process.map(
    tff.federated_computation(lambda x: tff.federated_map(double, x), _AT_SERVER)
  )

  def call():
    state = process.next(process.next(process.initialize(), [1, 2]), [6])
    return process.report(state), doubled.report(state)

  return call


@FRAMEWORK.add((3, 3))
def serialized_computation():
  proto = tff.framework.serialize_computation(_total)
  again = tff.framework.deserialize_computation(proto)
  return lambda: again(0, [1, 2])


def _after_one_round(computation):
  return lambda: computation(1, [1, 2])


# The state 1 is added to 1 and 2.
@MAPREDUCE.add((6, 5))
def map_reduce_form():
  form = tff.backends.mapreduce.get_map_reduce_form_for_computation(_total)
  return _after_one_round(tff.backends.mapreduce.get_computation_for_map_reduce_form(form))


@MAPREDUCE.add((6, 5))
def distribute_aggregate_form():
  form = tff.backends.mapreduce.get_distribute_aggregate_form_for_computation(_total)
  return _after_one_round(
    tff.backends.mapreduce.get_computation_for_distribute_aggregate_form(form)
  )


@MAPREDUCE.add([11, 12])
def broadcast_form():
  @tff.federated_computation(_AT_SERVER, _INTS)
  def computation(offset, values):
    return tff.federated_map(_add, (tff.federated_broadcast(offset), values))

  form = tff.backends.mapreduce.get_broadcast_form_for_computation(computation)
  again = tff.backends.mapreduce.get_computation_for_broadcast_form(form)
  return lambda: again(10, [1, 2])


@MAPREDUCE.add(0)
def state_initialization():
  computation = tff.backends.mapreduce.get_state_initialization_computation(_zero)
  return lambda: computation()
