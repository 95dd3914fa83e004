"""Bulyan: updates that Krum selects one by one, then a trimmed mean around their median."""

import tensorflow as tf

from tff_lg.aggregators.factories import coordinates, distances, gathering
from tff_lg.aggregators.factories.mean_around_median import around_median
from tff_lg.compatibility import tff

# A score above those of finite updates; `argmin` takes none of the largest floats for a minimum.
_LARGE = 1e300


def bulyan(
  num_byzantine: int,
  num_clients: int,
  *,
  weighted: bool = False,
  chunk_size: int = coordinates.DEFAULT_CHUNK_SIZE,
) -> tff.aggregators.AggregationFactory:
  """Aggregates the updates that Krum selects by the mean around the median of each coordinate.

  Krum selects n - 2 f updates one after the other, each among those that are left, with
  r - f - 2 neighbours among r. The n - 4 f values of each coordinate that are closest to the
  median of those selected are averaged. If only p clients are present, p stands for n, and
  numbers are at least one.

  The server holds every update until all have arrived, see `gathering`. The rule adds about
  `16 n^2 + 65536 n` bytes, and n^2 d multiplications for d weights.

  Args:
    num_byzantine: f, the attackers to survive.
    num_clients: n, the clients of a round, at least 4 f + 3.
    weighted: whether clients come with weights, which only say who is absent: zero.
    chunk_size: coordinates handled at a time, a positive int.

  Returns:
    A factory, weighted or not; its `create` accepts any structure of float32 tensors with
    static shapes. Measurements: `num_updates`, the clients present, and `num_chosen`.

  Raises:
    ValueError: too few clients for so many attackers, or `chunk_size` is not positive.

  El Mhamdi et al. 2018, The Hidden Vulnerability of Distributed Learning in Byzantium, section 4.
  """
  if num_byzantine < 0 or num_clients < 4 * num_byzantine + 3:
    raise ValueError(
      f'num_byzantine is {num_byzantine}, expected from 0 to (num_clients - 3) / 4 with '
      f'num_clients {num_clients}.'
    )
  coordinates.check_chunk_size(chunk_size)

  return gathering.rule_factory(bulyan_rule(num_byzantine, chunk_size), weighted=weighted)


def bulyan_rule(
  num_byzantine: int, chunk_size: int = coordinates.DEFAULT_CHUNK_SIZE
) -> gathering.Rule:
  """Returns the rule of `bulyan`: from stacked updates and their weights to the aggregate."""

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    num_chosen = tf.maximum(tf.size(weights) - 2 * num_byzantine, 1)
    squared = distances.squared_distances(distances.inner_products(stack))
    chosen = tf.boolean_mask(stack, _select(squared, num_byzantine, num_chosen))
    chosen = tf.ensure_shape(chosen, [None, stack.shape[1]])
    num_kept = tf.maximum(num_chosen - 2 * num_byzantine, 1)
    result = around_median(chosen, num_kept, chunk_size)
    return result, {'num_chosen': num_chosen}

  return rule


def _select(squared: tf.Tensor, num_byzantine: int, num_chosen: tf.Tensor) -> tf.Tensor:
  """Returns which rows Krum selects one after the other, bool [n]."""
  num_rows = tf.shape(squared)[0]
  infinity = tf.constant(float('inf'), tf.float64)
  to_others = tf.linalg.set_diag(squared, tf.fill([num_rows], infinity))

  def select(count: tf.Tensor, is_chosen: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    num_neighbours = tf.maximum(num_rows - count - num_byzantine - 2, 1)
    nearest = tf.sort(tf.where(is_chosen, infinity, to_others), axis=1)[:, :num_neighbours]
    # The last one that is left has no neighbour: its score is infinite, too.
    scores = tf.minimum(tf.reduce_sum(nearest, axis=1), _LARGE)
    best = tf.argmin(tf.where(is_chosen, infinity, scores), output_type=tf.int32)
    # In the graph of a TFF computation, `==` compares Python objects.
    return count + 1, is_chosen | tf.equal(tf.range(num_rows), best)

  _, is_chosen = tf.while_loop(
    lambda count, is_chosen: count < num_chosen, select, (0, tf.zeros([num_rows], tf.bool))
  )
  return is_chosen
