"""The mean around the median, of each coordinate."""

import tensorflow as tf

from tff_lg.aggregators.factories import coordinates, gathering
from tff_lg.aggregators.factories.median import middle
from tff_lg.compatibility import tff


def mean_around_median(
  num_byzantine: int,
  *,
  weighted: bool = False,
  chunk_size: int = coordinates.DEFAULT_CHUNK_SIZE,
) -> tff.aggregators.AggregationFactory:
  """Aggregates each coordinate by the mean of the n - f values that are closest to its median.

  For n clients present at least one value is taken, of equally close ones those of earlier
  clients. The median of an even number of clients is the mean of the two middle values.

  Every update is held until all have arrived, see `gathering`; on top of that comes
  working memory of about `40 n chunk_size` bytes for n clients.

  Args:
    num_byzantine: f, the attackers to survive.
    weighted: whether clients come with weights, which only say who is absent: zero.
    chunk_size: coordinates handled at a time, a positive int.

  Returns:
    A factory, weighted or not; its `create` accepts any structure of float32 tensors with
    static shapes. Measurements: `num_updates`, the clients present.

  Raises:
    ValueError: a number is negative, or `chunk_size` is not positive.

  Xie et al. 2018, Generalized Byzantine-tolerant SGD, Definition 7.
  """
  if num_byzantine < 0:
    raise ValueError(f'num_byzantine is {num_byzantine}, expected 0 or more attackers.')
  coordinates.check_chunk_size(chunk_size)

  rule = mean_around_median_rule(num_byzantine, chunk_size)
  return gathering.rule_factory(rule, weighted=weighted)


def mean_around_median_rule(
  num_byzantine: int, chunk_size: int = coordinates.DEFAULT_CHUNK_SIZE
) -> gathering.Rule:
  """Returns the rule of `mean_around_median`: from stacked updates and weights to the mean."""

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    num_kept = tf.maximum(tf.size(weights) - num_byzantine, 1)
    return around_median(stack, num_kept, chunk_size), {}

  return rule


def around_median(stack: tf.Tensor, num_kept: tf.Tensor, chunk_size: int) -> tf.Tensor:
  """Returns the mean of the values of each coordinate that are closest to its median.

  Args:
    stack: float32 [n, d], d static.
    num_kept: how many values of each coordinate, int32 from 1 to n.
    chunk_size: coordinates handled at a time.

  Returns:
    float32 [d].
  """

  def mean(values: tf.Tensor) -> tf.Tensor:
    distance = tf.abs(values - middle(values)[:, tf.newaxis])
    closest = tf.math.top_k(-distance, num_kept).indices
    return tf.reduce_mean(tf.gather(values, closest, batch_dims=1), axis=1)

  return coordinates.map_coordinates(mean, stack, chunk_size)
