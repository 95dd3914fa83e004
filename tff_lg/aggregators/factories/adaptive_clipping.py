"""Adaptive robust clipping: the longest updates are cut down to the longest of the others."""

import tensorflow as tf

from tff_lg.aggregators.factories import mixing


def adaptive_clipping(num_byzantine: int) -> mixing.Mixing:
  """Scales the floor(2 (f / n) (n - f)) longest updates down to the norm of the next longest.

  Args:
    num_byzantine: f, not negative; at most half of the n clients present count.

  Returns:
    The mixing.

  Raises:
    ValueError: a number is negative.

  Allouah et al. 2025, Adaptive Gradient Clipping for Robust Federated Learning, Algorithm 2 (ARC).
  """
  if num_byzantine < 0:
    raise ValueError(f'num_byzantine is {num_byzantine}, expected 0 or more attackers.')

  def mix(
    stack: tf.Tensor, weights: tf.Tensor, round_num: tf.Tensor
  ) -> tuple[tf.Tensor, tf.Tensor]:
    del round_num
    num_present = tf.size(weights)
    f = tf.minimum(num_byzantine, num_present // 2)
    num_clipped = 2 * f * (num_present - f) // num_present
    norms = tf.norm(stack, axis=1)
    bound = tf.sort(norms, direction='DESCENDING')[num_clipped]
    factors = tf.where(norms > bound, tf.math.divide_no_nan(bound, norms), 1.0)
    return factors[:, tf.newaxis] * stack, weights

  return mix
