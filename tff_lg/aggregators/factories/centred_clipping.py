"""Centred clipping: steps from the last aggregate towards updates, each of bounded length."""

import tensorflow as tf

from tff_lg.aggregators.factories import gathering
from tff_lg.compatibility import tff


def centred_clipping(
  radius: float, num_iterations: int = 1, *, weighted: bool = False
) -> tff.aggregators.AggregationFactory:
  """Aggregates by the mean of the client updates, each clipped around the last aggregate.

  The vector v starts from the aggregate of the previous round, or from zero in the first round.
  Each iteration moves v by the mean of the differences x - v, each scaled down to the radius. No
  attacker moves an iteration by more than its share times the radius.

  Every update is held until all have arrived, see `gathering`.

  Args:
    radius: tau, a positive number.
    num_iterations: L, a positive int.
    weighted: whether clients come with weights, which count in the mean of differences; a client
      of weight zero is absent.

  Returns:
    A factory, weighted or not; its `create` accepts any structure of float32 tensors with
    static shapes. Measurements: `num_updates`, the clients present, and `num_clipped`, those that
    the last iteration clipped.

  Raises:
    ValueError: a number is not positive.

  Karimireddy et al. 2021, Algorithm 2.
  """
  if not radius > 0.0:
    raise ValueError(f'radius is {radius}, expected a positive number.')
  if num_iterations < 1:
    raise ValueError(f'num_iterations is {num_iterations}, expected 1 or more.')

  return gathering.rule_factory(centred_clipping_rule(radius, num_iterations), weighted=weighted)


def centred_clipping_rule(radius: float, num_iterations: int = 1) -> gathering.StatefulRule:
  """Returns the rule of `centred_clipping`; its state is the last aggregate."""

  def initialize(num_weights: int) -> tf.Tensor:
    return tf.zeros([num_weights])

  def apply(
    state: tf.Tensor, stack: tf.Tensor, weights: tf.Tensor
  ) -> tuple[tf.Tensor, tf.Tensor, dict[str, tf.Tensor]]:
    shares, center = weights / tf.reduce_sum(weights), state
    num_clipped = tf.constant(0)
    for _ in range(num_iterations):
      differences = stack - center
      norms = tf.norm(differences, axis=1)
      is_clipped = norms > radius
      factors = tf.where(is_clipped, tf.math.divide_no_nan(radius, norms), 1.0)
      center += tf.linalg.matvec(differences, shares * factors, transpose_a=True)
      num_clipped = tf.math.count_nonzero(is_clipped, dtype=tf.int32)
    return center, center, {'num_clipped': num_clipped}

  return gathering.StatefulRule(initialize, apply)
