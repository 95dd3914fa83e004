"""The mean of updates of bounded norm."""

from typing import Any

import numpy as np
import tensorflow as tf

from tff_lg.compatibility import tff


def norm_bounded_mean(
  bound: float, *, weighted: bool = False
) -> tff.aggregators.AggregationFactory:
  """Aggregates by the mean of the client updates, each scaled down to a Euclidean norm.

  No attacker moves the result by more than its share of the weight times twice the bound;
  any attacker moves it. Memory is that of a mean: no update is held.

  Args:
    bound: of the norm of all of a client's update together; a positive number.
    weighted: whether clients come with weights. Otherwise each weighs one.

  Returns:
    `tff.aggregators.clipping_factory` around the mean, weighted or not. A client of weight zero
    is absent, and so is one whose update is not finite; without any client present the result
    is zero. Measurements are `clipped_count`, `clipping_norm` and those of the mean, `clipping`.

  Raises:
    ValueError: `bound` is not positive.

  Sun et al. 2019, "Can you really backdoor federated learning?", section 4.
  """
  if not bound > 0.0:
    raise ValueError(f'bound is {bound}, expected a positive norm.')
  # TFF takes a float that is no int, and nothing else for a number.
  mean = tff.aggregators.clipping_factory(
    float(bound), tff.aggregators.MeanFactory(no_nan_division=True)
  )
  return _WeightedFinite(mean) if weighted else _UnweightedFinite(mean)


class _WeightedFinite(tff.aggregators.WeightedAggregationFactory):
  """Aggregates the finite updates of clients with weights."""

  def __init__(self, inner: tff.aggregators.WeightedAggregationFactory) -> None:
    self._inner = inner

  def create(
    self, value_type: tff.Type, weight_type: tff.TensorType
  ) -> tff.templates.AggregationProcess:
    """Returns the process for updates and scalar weights of these types."""
    process = self._inner.create(value_type, weight_type)
    leave_out = _build_leave_out(value_type, weight_type)

    @tff.federated_computation(
      process.initialize.type_signature.result,
      tff.FederatedType(value_type, tff.CLIENTS),
      tff.FederatedType(weight_type, tff.CLIENTS),
    )
    def next_fn(state: tff.Value, value: tff.Value, weight: tff.Value) -> tff.Value:
      present = tff.federated_map(leave_out, (value, weight))
      return process.next(state, present[0], present[1])

    return tff.templates.AggregationProcess(process.initialize, next_fn)


class _UnweightedFinite(tff.aggregators.UnweightedAggregationFactory):
  """Aggregates the finite updates of clients that all weigh one."""

  def __init__(self, inner: tff.aggregators.WeightedAggregationFactory) -> None:
    self._inner = _WeightedFinite(inner)

  def create(self, value_type: tff.Type) -> tff.templates.AggregationProcess:
    """Returns the process for updates of a type."""
    process = self._inner.create(value_type, tff.TensorType(np.float32))

    @tff.federated_computation(
      process.initialize.type_signature.result, tff.FederatedType(value_type, tff.CLIENTS)
    )
    def next_fn(state: tff.Value, value: tff.Value) -> tff.Value:
      one = tff.federated_value(np.float32(1.0), tff.CLIENTS)
      return process.next(state, value, one)

    return tff.templates.AggregationProcess(process.initialize, next_fn)


def _build_leave_out(value_type: tff.Type, weight_type: tff.TensorType) -> tff.Computation:
  """Returns an update and its weight, or zeros for a client that is absent."""

  @tff.tensorflow.computation(value_type, weight_type)
  def leave_out(value: Any, weight: Any) -> tuple:
    numbers = [*tf.nest.flatten(value), tf.cast(weight, tf.float32)]
    finite = [tf.reduce_all(tf.math.is_finite(tensor)) for tensor in numbers]
    is_present = tf.reduce_all([weight > 0, *finite])
    return tf.nest.map_structure(
      lambda tensor: tf.where(is_present, tensor, tf.zeros_like(tensor)), (value, weight)
    )

  return leave_out
