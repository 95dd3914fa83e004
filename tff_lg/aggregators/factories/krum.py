"""Krum and Multi-Krum: the updates that have the closest neighbours."""

import tensorflow as tf

from tff_lg.aggregators.factories import distances, gathering
from tff_lg.compatibility import tff


def krum(
  num_byzantine: int, num_clients: int, *, weighted: bool = False
) -> tff.aggregators.AggregationFactory:
  """Aggregates to the one client update that is closest to its neighbours.

  Args:
    num_byzantine: f, the attackers to survive.
    num_clients: n, the clients of a round, at least 2 f + 3.
    weighted: whether clients come with weights, which only say who is absent: zero.

  Returns:
    The factory of `multi_krum` with one update chosen.

  Raises:
    ValueError: too few clients for so many attackers.

  Blanchard et al. 2017, section 4.
  """
  return multi_krum(num_byzantine, num_clients, 1, weighted=weighted)


def multi_krum(
  num_byzantine: int,
  num_clients: int,
  num_chosen: int | None = None,
  *,
  weighted: bool = False,
) -> tff.aggregators.AggregationFactory:
  """Aggregates by the mean of the client updates that are closest to their neighbours.

  A client's score is the sum of the squared distances to its n - f - 2 nearest neighbours. The
  lowest scores are chosen; among equal scores, the earlier client is chosen. If only p clients are
  present, the neighbours are the p - f - 2 nearest, at least one. At most p - f clients are then
  chosen, at least one.

  The server holds every update until all have arrived, see `gathering`. The rule adds about
  `16 n^2 + 65536 n` bytes, and n^2 d multiplications for d weights.

  Args:
    num_byzantine: f, the attackers to survive.
    num_clients: n, the clients of a round, at least 2 f + 3.
    num_chosen: updates in the mean, from 1 to n - f, which it is by default.
    weighted: whether clients come with weights. They count in the mean, not in the
      choice; a client of weight zero is absent.

  Returns:
    A factory, weighted or not; its `create` accepts any structure of float32 tensors with
    static shapes. Measurements: `num_updates`, the clients present, and `num_chosen`.

  Raises:
    ValueError: too few clients for so many attackers, or too many or no updates to choose.

  Blanchard et al. 2017, sections 4 and 5.
  """
  if num_byzantine < 0:
    raise ValueError(f'num_byzantine is {num_byzantine}, expected 0 or more attackers.')
  if num_clients < 2 * num_byzantine + 3:
    raise ValueError(
      f'num_clients is {num_clients}, expected at least {2 * num_byzantine + 3} for Krum with '
      f'num_byzantine {num_byzantine} (2 num_byzantine + 3).'
    )
  most = num_clients - num_byzantine
  if num_chosen is None:
    num_chosen = most
  if not 1 <= num_chosen <= most:
    raise ValueError(
      f'num_chosen is {num_chosen}, expected from 1 to {most} (num_clients - num_byzantine).'
    )

  return gathering.rule_factory(multi_krum_rule(num_byzantine, num_chosen), weighted=weighted)


def multi_krum_rule(num_byzantine: int, num_chosen: int) -> gathering.Rule:
  """Returns the rule of `multi_krum`: from stacked updates and their weights to the mean."""

  def rule(stack: tf.Tensor, weights: tf.Tensor) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    num_present = tf.size(weights)
    scores = _scores(stack, tf.maximum(num_present - num_byzantine - 2, 1))
    count = tf.minimum(num_chosen, tf.maximum(num_present - num_byzantine, 1))
    chosen = tf.argsort(scores, stable=True)[:count]
    chosen_weights = tf.gather(weights, chosen)
    shares = tf.scatter_nd(
      chosen[:, tf.newaxis], chosen_weights / tf.reduce_sum(chosen_weights), [num_present]
    )
    result = tf.linalg.matvec(stack, shares, transpose_a=True)
    return result, {'num_chosen': count}

  return rule


def _scores(stack: tf.Tensor, num_neighbours: tf.Tensor) -> tf.Tensor:
  """Returns the sum of squared distances of each row to its nearest others, float64 [n]."""
  squared = distances.squared_distances(distances.inner_products(stack))
  # The nearest of all is the row itself, at zero.
  others = tf.sort(tf.linalg.set_diag(squared, tf.zeros_like(squared[0])), axis=1)[:, 1:]
  return tf.reduce_sum(others[:, :num_neighbours], axis=1)
