"""Pre-aggregation: what the server makes of the stacked updates before a rule sees them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf

from tff_lg.aggregators.factories import gathering

# (stack float32 [n, d], weights float32 [n], round_num int32, from 0) -> stack, weights, of as
# many rows or fewer, traced as TensorFlow. There is at least one row.
Mixing = Callable[[tf.Tensor, tf.Tensor, tf.Tensor], tuple[tf.Tensor, tf.Tensor]]


def pre_aggregated(
  mixings: Sequence[Mixing], rule: gathering.Rule | gathering.StatefulRule
) -> gathering.StatefulRule:
  """Returns a rule that sees mixed updates.

  Args:
    mixings: applied in their order.
    rule: any.

  Returns:
    The rule. Its state has the number of the round, and that of `rule`.
  """

  def initialize(num_weights: int) -> tuple[tf.Tensor, Any]:
    inner = rule.initialize(num_weights) if isinstance(rule, gathering.StatefulRule) else ()
    return tf.constant(0), inner

  def apply(
    state: Any, stack: tf.Tensor, weights: tf.Tensor
  ) -> tuple[tuple[tf.Tensor, Any], tf.Tensor, Mapping[str, tf.Tensor]]:
    round_num, inner = state
    num_weights = stack.shape[1]
    for mix in mixings:
      stack, weights = mix(stack, weights, round_num)
      stack = tf.ensure_shape(stack, [None, num_weights])
    if isinstance(rule, gathering.StatefulRule):
      inner, result, measurements = rule.apply(inner, stack, weights)
    else:
      result, measurements = rule(stack, weights)
    return (round_num + 1, inner), result, measurements

  return gathering.StatefulRule(initialize, apply)
