"""Minimum-diameter averaging: the mean of the updates that lie closest together."""

import itertools

import numpy as np
import tensorflow as tf

from tff_lg.aggregators.factories import distances, gathering
from tff_lg.aggregators.subsets import check as check_subsets
from tff_lg.compatibility import tff


def minimum_diameter_mean(
  num_byzantine: int, num_clients: int, *, weighted: bool = False
) -> tff.aggregators.AggregationFactory:
  """Aggregates by the mean of the n - f client updates with the least diameter.

  The diameter of a subset is its largest distance. All subsets are compared. Ties go to the subset
  whose left-out clients come first in lexicographic order. If only p clients are present, subsets
  have p - f clients; with f clients or fewer present, all count.

  The server holds every update until all have arrived, see `gathering`. The rule adds about `16 n`
  bytes per subset, and n^2 d multiplications for d weights.

  Args:
    num_byzantine: f, the attackers to survive.
    num_clients: n, the clients of a round, at least 2 f + 1.
    weighted: whether clients come with weights. They count in the mean, not in the choice; a
      client of weight zero is absent.

  Returns:
    A factory, weighted or not; its `create` accepts any structure of float32 tensors with
    static shapes. Measurements: `num_updates`, the clients present, and `diameter`.

  Raises:
    ValueError: too few clients for so many attackers, or more than `subsets.MOST` subsets.

  El Mhamdi et al. 2018, section 2; Rousseeuw 1985.
  """
  check_subsets(num_byzantine, num_clients)
  rule = minimum_diameter_rule(num_byzantine, num_clients)
  return gathering.rule_factory(rule, weighted=weighted)


def minimum_diameter_rule(num_byzantine: int, num_clients: int) -> gathering.Rule:
  """Returns the rule of `minimum_diameter_mean`: from stacked updates and weights to the mean."""
  combinations = list(itertools.combinations(range(num_clients), num_byzantine))
  left_out = np.array(combinations, np.int32).reshape([len(combinations), num_byzantine])

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    num_present = tf.size(weights)
    apart = tf.sqrt(distances.squared_distances(distances.inner_products(stack)))
    kept, diameter = tf.cond(
      num_present > num_byzantine,
      lambda: _closest(apart, left_out),
      lambda: (tf.ones([num_present]), tf.reduce_max(apart)),
    )
    shares = kept * weights
    result = tf.linalg.matvec(stack, shares / tf.reduce_sum(shares), transpose_a=True)
    return result, {'diameter': tf.cast(diameter, tf.float32)}

  return rule


def _closest(apart: tf.Tensor, left_out: np.ndarray) -> tuple[tf.Tensor, tf.Tensor]:
  """Returns which rows the closest subset has, float32 [n], and its diameter."""
  num_present = tf.shape(apart)[0]
  fits = tf.reduce_all(left_out < num_present, axis=1)
  fitting = tf.boolean_mask(left_out, fits)
  kept = 1.0 - tf.reduce_sum(tf.one_hot(fitting, num_present, dtype=tf.float64), axis=1)

  def widen(row: tf.Tensor, diameters: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    farthest = tf.reduce_max(kept * apart[row], axis=1)
    return row + 1, tf.maximum(diameters, kept[:, row] * farthest)

  _, diameters = tf.while_loop(
    lambda row, diameters: row < num_present,
    widen,
    (0, tf.zeros_like(kept[:, 0])),
    parallel_iterations=1,
  )
  best = tf.argmin(diameters)
  return tf.cast(kept[best], tf.float32), diameters[best]
