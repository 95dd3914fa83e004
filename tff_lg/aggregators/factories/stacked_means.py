"""Means as rules over stacked updates, for pre-aggregation and for attackers that try updates."""

import tensorflow as tf

from tff_lg.aggregators.factories import gathering


def mean_rule(norm_bound: float | None = None) -> gathering.Rule:
  """Returns the weighted mean of updates, each scaled down to a norm if there is a bound."""

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    shares = weights / tf.reduce_sum(weights)
    if norm_bound is not None:
      norms = tf.norm(stack, axis=1)
      shares *= tf.where(norms > norm_bound, tf.math.divide_no_nan(norm_bound, norms), 1.0)
    return tf.linalg.matvec(stack, shares, transpose_a=True), {}

  return rule
