"""Nearest-neighbour mixing: each update becomes the mean of those nearest to it."""

import tensorflow as tf

from tff_lg.aggregators.factories import distances, mixing


def nearest_neighbour_mixing(num_byzantine: int) -> mixing.Mixing:
  """Replaces each update by the mean of the n - f updates nearest to it, itself among them.

  Weights stay as they are and do not count in these means. Updates of
  earlier clients come first where distances are equal.

  Args:
    num_byzantine: f, not negative. With f clients or fewer present, nothing is mixed.

  Returns:
    The mixing. It takes 2 n^2 d multiplications for n clients with d weights.

  Raises:
    ValueError: a number is negative.

  Allouah et al. 2023, Fixing by Mixing, Algorithm 2.
  """
  if num_byzantine < 0:
    raise ValueError(f'num_byzantine is {num_byzantine}, expected 0 or more attackers.')

  def mix(
    stack: tf.Tensor, weights: tf.Tensor, round_num: tf.Tensor
  ) -> tuple[tf.Tensor, tf.Tensor]:
    del round_num
    num_present = tf.size(weights)
    num_kept = tf.maximum(num_present - num_byzantine, 1)
    squared = distances.squared_distances(distances.inner_products(stack))
    # To rounding, an equal update could be nearer than the update itself.
    squared = tf.linalg.set_diag(squared, -tf.ones_like(squared[0]))
    nearest = tf.argsort(squared, axis=1, stable=True)[:, :num_kept]
    shares = tf.reduce_sum(tf.one_hot(nearest, num_present), axis=1)
    return tf.matmul(shares / tf.cast(num_kept, tf.float32), stack), weights

  return mix
