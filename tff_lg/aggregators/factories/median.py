"""The coordinate-wise median."""

import tensorflow as tf

from tff_lg.aggregators.factories import coordinates, gathering
from tff_lg.compatibility import tff

# Weights that differ by rounding alone split in half all the same.
_TOLERANCE = 1e-6


def median(
  *, weighted: bool = False, chunk_size: int = coordinates.DEFAULT_CHUNK_SIZE
) -> tff.aggregators.AggregationFactory:
  """Aggregates client updates by the median of each coordinate.

  The median of an even number of clients is the mean of the two middle values. With weights it is
  the value up to which clients of half the weight lie. If the weights split exactly in half, it is
  again the mean of the two middle values. So equal weights give the plain median. It breaks down at
  half of the clients (of the weight).

  The server holds every update until all have arrived, see `gathering`. The rule adds about
  `40 n chunk_size` bytes of working memory for n clients.

  Args:
    weighted: whether clients come with weights; a client of weight zero is absent.
    chunk_size: coordinates handled at a time, a positive int.

  Returns:
    A factory, weighted or not; its `create` accepts any structure of float32 tensors with
    static shapes. Measurements: `num_updates`, the clients present.

  Raises:
    ValueError: `chunk_size` is not positive.

  Yin et al. 2018, Algorithm 1, option I.
  """
  coordinates.check_chunk_size(chunk_size)

  return gathering.rule_factory(median_rule(chunk_size), weighted=weighted)


def median_rule(chunk_size: int = coordinates.DEFAULT_CHUNK_SIZE) -> gathering.Rule:
  """Returns the rule of `median`: from stacked updates and their weights to the median."""

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    # Selecting the middle takes half the time of sorting, or less.
    result = tf.cond(
      tf.reduce_all(tf.equal(weights, weights[0])),
      lambda: coordinates.map_coordinates(middle, stack, chunk_size),
      lambda: coordinates.map_coordinates(
        lambda values: _weighted_median(values, weights), stack, chunk_size
      ),
    )
    return result, {}

  return rule


def middle(values: tf.Tensor) -> tf.Tensor:
  """Returns the median of each row of [m, n]."""
  num_values = tf.shape(values)[1]
  upper = tf.raw_ops.NthElement(input=values, n=num_values // 2)
  is_below = values < upper[:, tf.newaxis]
  num_below = tf.math.count_nonzero(is_below, axis=1, dtype=tf.int32)
  below = tf.reduce_max(tf.where(is_below, values, values.dtype.min), axis=1)
  # Of an even number, half lie below the upper middle unless the lower one equals it.
  return (upper + tf.where(tf.equal(2 * num_below, num_values), below, upper)) / 2.0


def _weighted_median(values: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
  """Returns the weighted median of each row of [m, n]."""
  descending, order = tf.math.top_k(values, tf.shape(values)[1])
  weight_down_to = tf.cumsum(tf.gather(tf.cast(weights, tf.float64), order), axis=1)
  half = weight_down_to[:, -1:] / 2.0

  def first(reaches: tf.Tensor) -> tf.Tensor:
    return tf.gather(descending, tf.argmax(reaches, axis=1), batch_dims=1)

  upper = first(weight_down_to >= half * (1.0 - _TOLERANCE))
  lower = first(weight_down_to > half * (1.0 + _TOLERANCE))
  return (lower + upper) / 2.0
