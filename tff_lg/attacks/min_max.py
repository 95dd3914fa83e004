"""Attackers as far from honest updates as these are from each other: min-max and min-sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tff_lg.attacks.attack import Attack, AttackEntry, Setting, register

if TYPE_CHECKING:
  import tensorflow as tf


def min_max() -> Attack:
  """Builds the attack whose largest distance from an honest update is that between honest ones.

  All attackers send mean - gamma std of honest updates, by coordinate, with the largest gamma that
  the distance allows. With one honest client or equal updates, they send the mean.

  Returns:
    The attack.

  Shejwalkar and Houmansadr 2021, equation 9, with the perturbation by standard deviations.
  """
  import tensorflow as tf  # It takes seconds to import.

  def gamma(honest: tf.Tensor, offsets: tf.Tensor, step: tf.Tensor) -> tf.Tensor:
    # |offset + gamma step|^2 <= D^2 for each honest update: the root of a quadratic equation.
    most = tf.reduce_max(_squared_distances(honest))
    along = tf.linalg.matvec(offsets, step)
    length = tf.reduce_sum(tf.square(step))
    left = tf.maximum(most - tf.reduce_sum(tf.square(offsets), axis=1), 0.0)
    roots = -along + tf.sqrt(tf.square(along) + length * left)
    return tf.math.divide_no_nan(tf.reduce_min(roots), length)

  return _far(gamma)


def min_sum() -> Attack:
  """Builds the attack whose sum of squared distances from honest updates is at most their own.

  As `min_max`, but gamma is the largest with which this sum is that of some honest update.

  Returns:
    The attack.

  Shejwalkar and Houmansadr 2021, equation 10, with the perturbation by standard deviations.
  """
  import tensorflow as tf

  def gamma(honest: tf.Tensor, offsets: tf.Tensor, step: tf.Tensor) -> tf.Tensor:
    # The offsets sum to zero: sum |offset + gamma step|^2 = sum |offset|^2 + h gamma^2 |step|^2.
    most = tf.reduce_max(tf.reduce_sum(_squared_distances(honest), axis=1))
    left = tf.maximum(most - tf.reduce_sum(tf.square(offsets)), 0.0)
    num_honest = tf.cast(tf.shape(honest)[0], tf.float64)
    return tf.sqrt(tf.math.divide_no_nan(left, num_honest * tf.reduce_sum(tf.square(step))))

  return _far(gamma)


def _squared_distances(honest: tf.Tensor) -> tf.Tensor:
  from tff_lg.aggregators.factories import distances

  return distances.squared_distances(distances.inner_products(honest))


def _far(gamma: Callable) -> Attack:
  """Builds the attack from (honest updates, mean - updates, step) -> gamma."""
  import tensorflow as tf

  from tff_lg.attacks import knowing

  def craft(honest: tf.Tensor, num_attackers: tf.Tensor) -> tf.Tensor:
    del num_attackers
    updates = tf.cast(honest, tf.float64)
    mean, step = tf.reduce_mean(updates, axis=0), -tf.math.reduce_std(updates, axis=0)
    return tf.cast(mean + gamma(honest, mean - updates, step) * step, tf.float32)

  return Attack(update_attack=knowing.update_attack(craft))


def _build_min_max(options: Any, setting: Setting) -> Attack:
  del options, setting
  return min_max()


def _build_min_sum(options: Any, setting: Setting) -> Attack:
  del options, setting
  return min_sum()


for _name, _label, _build, _what in (
  ('min_max', 'min-max', _build_min_max, 'no farther from any than these are from each other'),
  ('min_sum', 'min-sum', _build_min_sum, 'with no larger sum of squared distances than theirs'),
):
  register(
    AttackEntry(
      name=_name,
      label=_label,
      does=f'mean - gamma std of honest updates, {_what} (Shejwalkar and Houmansadr 2021)',
      build=_build,
    )
  )
