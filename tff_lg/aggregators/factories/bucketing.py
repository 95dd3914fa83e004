"""Bucketing: means of a few updates each take the place of the updates."""

import tensorflow as tf

from tff_lg.aggregators.factories import mixing


def bucketing(bucket_size: int, seed: int) -> mixing.Mixing:
  """Deals updates to buckets at random and replaces them by the means of the buckets.

  Each round has a permutation of its own. Every bucket but the last has as many updates; its mean
  is weighted, and its weight is the mean weight of its clients. One attacker spoils one bucket.

  Args:
    bucket_size: s, updates in a bucket, positive.
    seed: of the permutations.

  Returns:
    The mixing, from n to ceil(n / s) updates.

  Raises:
    ValueError: the size is not positive.

  Karimireddy et al. 2022, Byzantine-Robust Learning on Heterogeneous Datasets via Bucketing,
  Algorithm 1.
  """
  if bucket_size < 1:
    raise ValueError(f'bucket_size is {bucket_size}, expected 1 or more.')

  def mix(
    stack: tf.Tensor, weights: tf.Tensor, round_num: tf.Tensor
  ) -> tuple[tf.Tensor, tf.Tensor]:
    num_present = tf.size(weights)
    order = tf.random.experimental.stateless_shuffle(
      tf.range(num_present), seed=[tf.constant(seed % 2**31), round_num]
    )
    bucket = tf.range(num_present) // bucket_size
    dealt = tf.gather(weights, order)
    sums = tf.math.segment_sum(dealt, bucket)
    counts = tf.math.segment_sum(tf.ones_like(dealt), bucket)
    shares = dealt / tf.gather(sums, bucket)
    means = tf.math.segment_sum(shares[:, tf.newaxis] * tf.gather(stack, order), bucket)
    return means, sums / counts

  return mix
