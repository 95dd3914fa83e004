"""The geometric median, by the smoothed Weiszfeld algorithm."""

import tensorflow as tf

from tff_lg.aggregators.factories import distances, gathering
from tff_lg.compatibility import tff

_SMOOTHING = 1e-6
_MAX_ITERATIONS = 1000
_TOLERANCE = 1e-6


def geometric_median(
  *, smoothing: float = _SMOOTHING, weighted: bool = False
) -> tff.aggregators.AggregationFactory:
  """Aggregates to the vector with the least sum of distances to the client updates.

  Each iteration takes the mean of the updates, weighted by one over their distance from the last
  mean. Iterations end when the mean moves by less than 1e-6 of the clients' (harmonic mean)
  distance. They work on the n^2 inner products of the updates, so they cost next to nothing, and
  the updates are read twice. The rule breaks down at half of the clients (of the weight).

  The server holds every update until all have arrived, see `gathering`. The rule adds about
  `32 n^2 + 65536 n` bytes, and n^2 d multiplications for d weights.

  Args:
    smoothing: distances below it count as it; a positive number.
    weighted: whether clients come with weights, which multiply the distances in the sum;
      a client of weight zero is absent.

  Returns:
    A factory, weighted or not; its `create` accepts any structure of float32 tensors with
    static shapes. Measurements: `num_updates`, the clients present, and `num_iterations`,
    at most 1000.

  Raises:
    ValueError: `smoothing` is not positive.

  Pillutla et al. 2019, Algorithm 2.
  """
  if not smoothing > 0.0:
    raise ValueError(f'smoothing is {smoothing}, expected a positive number.')

  return gathering.rule_factory(geometric_median_rule(smoothing), weighted=weighted)


def geometric_median_rule(smoothing: float = _SMOOTHING) -> gathering.Rule:
  """Returns the rule of `geometric_median`, from stacked updates and weights to the median."""

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    shares, num_iterations = _weiszfeld(distances.inner_products(stack), weights, smoothing)
    result = tf.linalg.matvec(stack, tf.cast(shares, tf.float32), transpose_a=True)
    return result, {'num_iterations': num_iterations}

  return rule


def _weiszfeld(
  products: tf.Tensor, weights: tf.Tensor, smoothing: float
) -> tuple[tf.Tensor, tf.Tensor]:
  """Returns each update's share in the geometric median, float64 [n], and the iterations taken.

  Args:
    products: of the updates, float64 [n, n].
    weights: float32 [n].
    smoothing: least distance.
  """
  weights = tf.cast(weights, tf.float64)
  apart = tf.sqrt(distances.squared_distances(products))
  # Relative to an update in the middle of the others, an attacker's size does not blur the
  # distances between the rest.
  centre = tf.argmin(tf.linalg.matvec(apart, weights))
  of_centre = products[centre]
  products = products - of_centre - of_centre[:, tf.newaxis] + of_centre[centre]
  squared_norms = tf.linalg.diag_part(products)

  def step(
    iteration: tf.Tensor, shares: tf.Tensor, has_moved: tf.Tensor
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    del has_moved
    along = tf.linalg.matvec(products, shares)
    squared = tf.tensordot(shares, along, 1) - 2.0 * along + squared_norms
    closeness = weights / tf.maximum(tf.sqrt(tf.maximum(squared, 0.0)), smoothing)
    following = closeness / tf.reduce_sum(closeness)
    change = following - shares
    movement = tf.sqrt(tf.maximum(tf.tensordot(change, tf.linalg.matvec(products, change), 1), 0.0))
    distance = tf.reduce_sum(weights) / tf.reduce_sum(closeness)
    return iteration + 1, following, movement > _TOLERANCE * distance

  num_iterations, shares, _ = tf.while_loop(
    lambda iteration, shares, has_moved: has_moved,
    step,
    (0, weights / tf.reduce_sum(weights), True),
    maximum_iterations=_MAX_ITERATIONS,
  )
  return shares, num_iterations
