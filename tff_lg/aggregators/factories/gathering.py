"""Robust rules as aggregation factories: all clients' updates at the server, then a rule.

A mean adds up as updates come in; a robust rule needs them all, as rows of a stack. TFF's
`federated_aggregate` hands the server one update at a time, and to append a row to a
stack copies it. So the last updates wait, uncopied, in slots, and only full slots are
appended together: `n^2 / 16` copied rows for n clients, not `n^2 / 2`.

Peak memory, of n clients with d weights: the updates themselves, `4 n d` bytes where the
runtime holds them all (ours does, TFF's lets go), twice that while slots are appended,
and what the rule says of itself.
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


def rule_factory(rule: Rule, *, weighted: bool) -> tff.aggregators.AggregationFactory:
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

  def __init__(self, rule: Rule) -> None:
    self._rule = rule

  def create(self, value_type: tff.TensorType) -> tff.templates.AggregationProcess:
    """Returns the process for vectors of a type."""
    aggregate = _build_aggregation(self._rule, value_type, tff.TensorType(np.float32))

    @tff.federated_computation(_STATE_TYPE, tff.FederatedType(value_type, tff.CLIENTS))
    def next_fn(state: tff.Value, value: tff.Value) -> tff.templates.MeasuredProcessOutput:
      one = tff.federated_value(np.float32(1.0), tff.CLIENTS)
      return _output(state, aggregate(value, one))

    return tff.templates.AggregationProcess(_initialize, next_fn)


class _WeightedVectors(tff.aggregators.WeightedAggregationFactory):
  """Applies a rule to one vector and one weight a client."""

  def __init__(self, rule: Rule) -> None:
    self._rule = rule

  def create(
    self, value_type: tff.TensorType, weight_type: tff.TensorType
  ) -> tff.templates.AggregationProcess:
    """Returns the process for vectors and scalar weights of these types."""
    aggregate = _build_aggregation(self._rule, value_type, weight_type)

    @tff.federated_computation(
      _STATE_TYPE,
      tff.FederatedType(value_type, tff.CLIENTS),
      tff.FederatedType(weight_type, tff.CLIENTS),
    )
    def next_fn(
      state: tff.Value, value: tff.Value, weight: tff.Value
    ) -> tff.templates.MeasuredProcessOutput:
      return _output(state, aggregate(value, weight))

    return tff.templates.AggregationProcess(_initialize, next_fn)


@tff.federated_computation
def _initialize() -> tff.Value:
  return tff.federated_value((), tff.SERVER)


_STATE_TYPE = _initialize.type_signature.result


def _output(state: tff.Value, aggregated: tff.Value) -> tff.templates.MeasuredProcessOutput:
  return tff.templates.MeasuredProcessOutput(state, aggregated.result, aggregated.measurements)


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


def _build_aggregation(
  rule: Rule, value_type: tff.TensorType, weight_type: tff.TensorType
) -> Callable[[tff.Value, tff.Value], tff.Value]:
  """Returns a function from vectors and weights at the clients to `_Aggregated` at the server."""
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
  def report(updates: Any) -> _Aggregated:
    stack, weights = tf.cond(
      tf.size(updates.weights) > 0,
      lambda: (_stacked(updates.stack, tuple(updates.recent)), updates.weights),
      lambda: (tf.zeros([1, num_weights]), tf.ones([1])),
    )
    result, measurements = rule(tf.ensure_shape(stack, [None, num_weights]), weights)
    return _Aggregated(
      tf.ensure_shape(result, [num_weights]),
      collections.OrderedDict(measurements, num_updates=tf.size(updates.weights)),
    )

  def aggregate(value: tff.Value, weight: tff.Value) -> tff.Value:
    return tff.federated_aggregate(
      tff.federated_zip((value, weight)), zero(), accumulate, merge, report
    )

  return aggregate


def _stacked(stack: tf.Tensor, recent: tuple[tf.Tensor, ...]) -> tf.Tensor:
  return tf.concat([stack, *reversed(recent)], axis=0)
