"""Robust rules as aggregation factories: all clients' updates at the server, then a rule.

A mean adds up as updates come in; a robust rule needs them all, as rows of a stack. TFF's
`federated_aggregate` hands the server one update at a time, and to append a row to a
stack copies it. So the last updates wait, uncopied, in slots, and only full slots are
appended together: `n^2 / 16` copied rows for n clients, not `n^2 / 2`.

Peak memory, for n clients with d weights: the updates take `4 n d` bytes where the runtime holds
them all. (Ours does, TFF's releases them.) This doubles while slots are appended. The docstring of
each rule says what the rule adds.
"""

import collections
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff

# (stack float32 [n, d], weights float32 [n]) -> (float32 [d], measurements by name), traced
# as TensorFlow. There is at least one row, all values are finite, all weights positive.
Rule = Callable[[tf.Tensor, tf.Tensor], tuple[tf.Tensor, Mapping[str, tf.Tensor]]]

_NUM_SLOTS = 8


class StatefulRule(NamedTuple):
  """A rule that remembers something from round to round.

  Attributes:
    initialize: number of weights, d -> the first state, a structure of tensors.
    apply: (state, stack, weights) -> (next state, aggregate, measurements), otherwise as a `Rule`.
  """

  initialize: Callable[[int], Any]
  apply: Callable[[Any, tf.Tensor, tf.Tensor], tuple[Any, tf.Tensor, Mapping[str, tf.Tensor]]]


def first_round(rule: Rule | StatefulRule) -> Rule:
  """Returns a rule without memory: each round is a first one."""
  if not isinstance(rule, StatefulRule):
    return rule
  stateful = rule

  def of_first_round(
    stack: tf.Tensor, weights: tf.Tensor
  ) -> tuple[tf.Tensor, Mapping[str, tf.Tensor]]:
    return stateful.apply(stateful.initialize(stack.shape[1]), stack, weights)[1:]

  return of_first_round


def rule_factory(
  rule: Rule | StatefulRule, *, weighted: bool
) -> tff.aggregators.AggregationFactory:
  """Builds the factory that applies a rule to the stacked updates of all clients.

  Args:
    rule: from the stack and the weights to the aggregate and its measurements.
    weighted: whether clients come with weights. Otherwise each weighs one.

  Returns:
    A `tff.aggregators.WeightedAggregationFactory` if weighted, otherwise an
    `UnweightedAggregationFactory`. Its `create` accepts any structure of float32 tensors
    with static shapes. A client of weight zero is absent, and so is one whose update is
    not finite; without any client present the result is zero. Measurements are those of
    the rule, and `num_updates`, int32, the clients present.
  """
  vectors = _WeightedVectors(rule) if weighted else _UnweightedVectors(rule)
  return tff.aggregators.concat_factory(vectors)


class _UnweightedVectors(tff.aggregators.UnweightedAggregationFactory):
  """Applies a rule to one vector a client."""

  def __init__(self, rule: Rule | StatefulRule) -> None:
    self._rule = rule

  def create(self, value_type: tff.TensorType) -> tff.templates.AggregationProcess:
    """Returns the process for vectors of a type."""
    initialize, aggregate = _build_aggregation(self._rule, value_type, tff.TensorType(np.float32))

    @tff.federated_computation(
      initialize.type_signature.result, tff.FederatedType(value_type, tff.CLIENTS)
    )
    def next_fn(state: tff.Value, value: tff.Value) -> tff.templates.MeasuredProcessOutput:
      one = tff.federated_value(np.float32(1.0), tff.CLIENTS)
      return aggregate(state, value, one)

    return tff.templates.AggregationProcess(initialize, next_fn)


class _WeightedVectors(tff.aggregators.WeightedAggregationFactory):
  """Applies a rule to one vector and one weight a client."""

  def __init__(self, rule: Rule | StatefulRule) -> None:
    self._rule = rule

  def create(
    self, value_type: tff.TensorType, weight_type: tff.TensorType
  ) -> tff.templates.AggregationProcess:
    """Returns the process for vectors and scalar weights of these types."""
    initialize, aggregate = _build_aggregation(self._rule, value_type, weight_type)

    @tff.federated_computation(
      initialize.type_signature.result,
      tff.FederatedType(value_type, tff.CLIENTS),
      tff.FederatedType(weight_type, tff.CLIENTS),
    )
    def next_fn(
      state: tff.Value, value: tff.Value, weight: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
      return aggregate(state, value, weight)

    return tff.templates.AggregationProcess(initialize, next_fn)


@tff.federated_computation
def _initialize() -> tff.Value:
  return tff.federated_value((), tff.SERVER)


# (state, vectors, weights) -> the output of an aggregation process.
_Aggregate = Callable[[tff.Value, tff.Value, tff.Value], tff.templates.MeasuredProcessOutput]


class _Aggregated(NamedTuple):
  """The output of the server: the aggregate, float32 [d], and measurements by name."""

  result: Any
  measurements: Any


class _Updates(NamedTuple):
  """The updates so far, in the order in which they came.

  Attributes:
    weights: float32 [num_updates].
    stack: float32 [num_stacked, d].
    recent: a float32 [0 or 1, d] for each slot, the latest first.
  """

  weights: Any
  stack: Any
  recent: tuple


class _Gathered(NamedTuple):
  """All updates at the server: the stack, float32 [n, d], its weights, the clients present."""

  stack: Any
  weights: Any
  num_updates: Any


def _build_aggregation(
  rule: Rule | StatefulRule, value_type: tff.TensorType, weight_type: tff.TensorType
) -> tuple[tff.Computation, _Aggregate]:
  """Returns the first state, and what makes an output of a state, vectors and weights."""
  if not isinstance(rule, StatefulRule):
    plain = rule

    def apply(stack: tf.Tensor, weights: tf.Tensor, num_updates: tf.Tensor) -> _Aggregated:
      return _aggregated(stack, *plain(stack, weights), num_updates)

    gather = _build_gathering(apply, value_type, weight_type)

    def aggregate(
      state: tff.Value, value: tff.Value, weight: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
      aggregated = gather(value, weight)
      return tff.templates.MeasuredProcessOutput(state, aggregated.result, aggregated.measurements)

    return _initialize, aggregate
  return _build_stateful_aggregation(rule, value_type, weight_type)


def _build_stateful_aggregation(
  rule: StatefulRule, value_type: tff.TensorType, weight_type: tff.TensorType
) -> tuple[tff.Computation, _Aggregate]:
  """Returns the same of a rule with memory, which a round without clients does not change."""
  gather = _build_gathering(_Gathered, value_type, weight_type)

  @tff.tensorflow.computation
  def first_state() -> Any:
    return rule.initialize(value_type.shape[0])

  @tff.federated_computation
  def initialize() -> tff.Value:
    return tff.federated_eval(first_state, tff.SERVER)

  @tff.tensorflow.computation
  def apply(state: Any, gathered: Any) -> tuple[Any, _Aggregated]:
    following, result, measurements = rule.apply(state, gathered.stack, gathered.weights)
    is_anyone = gathered.num_updates > 0
    following = tf.nest.map_structure(
      lambda new, old: tf.where(is_anyone, new, old), following, state
    )
    result = tf.where(is_anyone, result, tf.zeros_like(result))
    aggregated = _aggregated(gathered.stack, result, measurements, gathered.num_updates)
    return following, aggregated

  def aggregate(
    state: tff.Value, value: tff.Value, weight: tff.Value
  ) -> tff.templates.MeasuredProcessOutput:
    applied = tff.federated_map(apply, (state, gather(value, weight)))
    return tff.templates.MeasuredProcessOutput(
      applied[0], applied[1].result, applied[1].measurements
    )

  return initialize, aggregate


def _aggregated(
  stack: tf.Tensor,
  result: tf.Tensor,
  measurements: Mapping[str, tf.Tensor],
  num_updates: tf.Tensor,
) -> _Aggregated:
  result = tf.ensure_shape(result, [stack.shape[1]])
  return _Aggregated(result, collections.OrderedDict(measurements, num_updates=num_updates))


def _build_gathering(
  finish: Callable[[tf.Tensor, tf.Tensor, tf.Tensor], Any],
  value_type: tff.TensorType,
  weight_type: tff.TensorType,
) -> Callable[[tff.Value, tff.Value], tff.Value]:
  """Returns a function from vectors and weights at the clients to a value at the server.

  Args:
    finish: (stack, weights, clients present) -> the value; a row of zeros stands for nobody.
    value_type: of vectors.
    weight_type: of weights.
  """
  if (
    value_type.dtype.type is not np.float32
    or not tf.TensorShape(value_type.shape).is_fully_defined()
  ):
    raise TypeError(
      f'A robust aggregator takes float32 updates of static shapes, found {value_type} in all.'
    )
  num_weights = value_type.shape[0]
  rows_type = tff.TensorType(np.float32, [None, num_weights])
  updates_type = tff.to_type(
    _Updates(tff.TensorType(np.float32, [None]), rows_type, (rows_type,) * _NUM_SLOTS)
  )

  @tff.tensorflow.computation
  def zero() -> _Updates:
    no_row = tf.zeros([0, num_weights])
    return _Updates(tf.zeros([0]), no_row, (no_row,) * _NUM_SLOTS)

  @tff.tensorflow.computation(updates_type, (value_type, weight_type))
  def accumulate(updates: Any, update: Any) -> _Updates:
    value, weight = update[0], tf.cast(update[1], tf.float32)
    is_present = (weight > 0) & tf.math.is_finite(weight) & tf.reduce_all(tf.math.is_finite(value))
    count = tf.cast(is_present, tf.int32)  # Slices of first rows share memory, masks copy.
    recent = tuple(updates.recent)
    no_row = tf.zeros([0, num_weights])
    stack, *recent = tf.cond(
      tf.shape(recent[-1])[0] > 0,
      lambda: (_stacked(updates.stack, recent), *(no_row,) * _NUM_SLOTS),
      lambda: (updates.stack, *recent),
    )
    return _Updates(
      tf.concat([updates.weights, weight[tf.newaxis][:count]], axis=0),
      stack,
      (value[tf.newaxis][:count], *recent[:-1]),
    )

  @tff.tensorflow.computation(updates_type, updates_type)
  def merge(first: Any, second: Any) -> _Updates:
    return _Updates(
      tf.concat([first.weights, second.weights], axis=0),
      tf.concat([_stacked(first.stack, tuple(first.recent)), second.stack], axis=0),
      tuple(second.recent),
    )

  @tff.tensorflow.computation(updates_type)
  def report(updates: Any) -> Any:
    stack, weights = tf.cond(
      tf.size(updates.weights) > 0,
      lambda: (_stacked(updates.stack, tuple(updates.recent)), updates.weights),
      lambda: (tf.zeros([1, num_weights]), tf.ones([1])),
    )
    stack = tf.ensure_shape(stack, [None, num_weights])
    return finish(stack, weights, tf.size(updates.weights))

  def gather(value: tff.Value, weight: tff.Value) -> tff.Value:
    return tff.federated_aggregate(
      tff.federated_zip((value, weight)), zero(), accumulate, merge, report
    )

  return gather


def _stacked(stack: tf.Tensor, recent: tuple[tf.Tensor, ...]) -> tf.Tensor:
  return tf.concat([stack, *reversed(recent)], axis=0)
