"""The coordinate-wise trimmed mean."""

import tensorflow as tf

from tff_lg.aggregators.factories import coordinates, gathering
from tff_lg.compatibility import tff


def trimmed_mean(
  trimmed_share: float,
  *,
  weighted: bool = False,
  chunk_size: int = coordinates.DEFAULT_CHUNK_SIZE,
) -> tff.aggregators.AggregationFactory:
  """Aggregates each coordinate by the mean without its largest and smallest values.

  For n clients present, floor(trimmed_share n) are cut from each end, by count and not by
  weight; the mean of the rest is weighted. Where clients at a cut have the same value, all of them
  count, each by the share of them that is kept. So their order does not matter. It breaks down at
  one more than floor(trimmed_share n) clients.

  The server holds every update until all have arrived, see `gathering`. The rule adds about
  `40 n chunk_size` bytes of working memory for n clients.

  Args:
    trimmed_share: cut from each end, at least 0 and less than 0.5.
    weighted: whether clients come with weights; a client of weight zero is absent.
    chunk_size: coordinates handled at a time, a positive int.

  Returns:
    A factory, weighted or not; its `create` accepts any structure of float32 tensors with
    static shapes. Measurements: `num_updates`, the clients present, and `num_trimmed`,
    those cut from each end.

  Raises:
    ValueError: the share is out of its range, or `chunk_size` is not positive.

  Yin et al. 2018, Definition 2.
  """
  if not 0.0 <= trimmed_share < 0.5:
    raise ValueError(f'trimmed_share is {trimmed_share}, expected at least 0 and less than 0.5.')
  coordinates.check_chunk_size(chunk_size)

  return gathering.rule_factory(trimmed_mean_rule(trimmed_share, chunk_size), weighted=weighted)


def trimmed_mean_rule(
  trimmed_share: float, chunk_size: int = coordinates.DEFAULT_CHUNK_SIZE
) -> gathering.Rule:
  """Returns the rule of `trimmed_mean`: from stacked updates and their weights to the mean."""

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    num_updates = tf.cast(tf.size(weights), tf.float64)
    # A share such as 0.29 is a bit less than that as a float: 100 clients lose 29 all the same.
    num_trimmed = tf.cast(tf.floor(trimmed_share * num_updates + 1e-9), tf.int32)
    result = coordinates.map_coordinates(
      lambda values: _trimmed_mean(values, weights, num_trimmed), stack, chunk_size
    )
    return result, {'num_trimmed': num_trimmed}

  return rule


def _trimmed_mean(values: tf.Tensor, weights: tf.Tensor, num_trimmed: tf.Tensor) -> tf.Tensor:
  """Returns the trimmed mean of each row of [m, n]."""
  least = tf.raw_ops.NthElement(input=values, n=num_trimmed)[:, tf.newaxis]
  greatest = tf.raw_ops.NthElement(input=values, n=num_trimmed, reverse=True)[:, tf.newaxis]

  def kept_share(is_beyond: tf.Tensor, is_at: tf.Tensor) -> tf.Tensor:
    num_beyond = tf.math.count_nonzero(is_beyond, axis=1, keepdims=True, dtype=tf.int32)
    num_at = tf.math.count_nonzero(is_at, axis=1, keepdims=True, dtype=tf.int32)
    return tf.cast((num_beyond + num_at - num_trimmed) / num_at, tf.float32)

  is_less, is_greater = values < least, values > greatest
  # TFF traces where == compares tensors as objects.
  is_least, is_greatest = tf.equal(values, least), tf.equal(values, greatest)
  share = tf.where(is_less | is_greater, 0.0, 1.0)
  share = tf.where(is_least, kept_share(is_less, is_least), share)
  share = tf.where(is_greatest, kept_share(is_greater, is_greatest), share)
  kept_weights = share * weights
  total = tf.reduce_sum(kept_weights, axis=1)
  # Values beyond the cuts have no share, but times zero the largest floats' sum might be infinite.
  inside = tf.clip_by_value(values, least, greatest)
  mean = tf.reduce_sum(kept_weights / total[:, tf.newaxis] * inside, axis=1)
  return tf.where(tf.squeeze(tf.equal(least, greatest), 1), tf.squeeze(least, 1), mean)
