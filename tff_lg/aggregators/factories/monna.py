"""MoNNA: the mean of the updates that are nearest to a trusted one."""

import tensorflow as tf

from tff_lg.aggregators.factories import gathering
from tff_lg.compatibility import tff


def monna(num_byzantine: int, *, weighted: bool = False) -> tff.aggregators.AggregationFactory:
  """Aggregates by the mean of the n - f client updates nearest to that of the first client.

  In the paper, each node aggregates and trusts its own update. A server has none: here it
  trusts the first client of the round that is present, and an attacker in that place wins.
  Updates of earlier clients come first where distances are equal.

  Every update is held until all have arrived, see `gathering`.

  Args:
    num_byzantine: f, the attackers to survive.
    weighted: whether clients come with weights. They count in the mean, not in the choice; a
      client of weight zero is absent.

  Returns:
    A factory, weighted or not; its `create` accepts any structure of float32 tensors with
    static shapes. Measurements: `num_updates`, the clients present.

  Raises:
    ValueError: a number is negative.

  Farhadkhani et al. 2023, Robust Collaborative Learning with Linear Gradient Overhead, section 3.
  """
  if num_byzantine < 0:
    raise ValueError(f'num_byzantine is {num_byzantine}, expected 0 or more attackers.')

  return gathering.rule_factory(monna_rule(num_byzantine), weighted=weighted)


def monna_rule(num_byzantine: int) -> gathering.Rule:
  """Returns the rule of `monna`: from stacked updates and their weights to the mean."""

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    num_present = tf.size(weights)
    num_kept = tf.maximum(num_present - num_byzantine, 1)
    distance = tf.norm(stack - stack[0], axis=1)
    nearest = tf.argsort(distance, stable=True)[:num_kept]
    near_weights = tf.gather(weights, nearest)
    shares = tf.scatter_nd(
      nearest[:, tf.newaxis], near_weights / tf.reduce_sum(near_weights), [num_present]
    )
    return tf.linalg.matvec(stack, shares, transpose_a=True), {}

  return rule
