"""Attackers who stay within the spread of honest updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tff_lg.attacks.attack import Attack, AttackEntry, Setting, Strength, register

if TYPE_CHECKING:
  import tensorflow as tf

  from tff_lg.compatibility import tff

# z_max is in [0, 3]: its equation turns negative with few attackers, infinite with a majority.
_LEAST_SHARE, _GREATEST_SHARE = 0.5, 0.99865


def little_is_enough(cohort_size: int, strength: float | None = None) -> Attack:
  """Builds the attack by which all attackers of a round send mean - z * std, by coordinate.

  Mean and standard deviation (divided by their number) are those of the attackers' own honest
  updates: they know no others. A single attacker has a standard deviation of zero and
  sends its honest update.

  By default z is z_max. Let n clients be in the round, m of them attackers. For a majority to
  support the attackers, s = floor(n/2 + 1) - m honest clients have to be farther from the mean.
  So z_max is the normal quantile of (n - m - s) / (n - m). With few attackers in a small cohort,
  such as 2 in 10, that share is 1/2 or less. Then z is 0, and all attackers send their mean,
  which is almost harmless: name a strength, 1.5 for example.

  Args:
    cohort_size: n.
    strength: z; None for z_max for n and the number of attackers in the round.

  Returns:
    The attack. Its `strength` is None for z_max.

  Baruch et al. 2019, A Little Is Enough, Algorithm 3 (z_max) and section 3.
  """
  import tensorflow as tf  # It takes seconds to import.

  from tff_lg.compatibility import tff

  def z(num_attackers: tf.Tensor) -> tf.Tensor:
    if strength is not None:
      return tf.constant(strength, tf.float32)
    n = cohort_size
    not_supporters = float(n - (n // 2 + 1))  # n - m - s
    share = not_supporters / tf.maximum(n - num_attackers, 1.0)
    return tf.math.ndtri(tf.clip_by_value(share, _LEAST_SHARE, _GREATEST_SHARE))

  @tff.tensorflow.computation
  def of_attacker(update: Any, is_attacking: Any) -> tuple:
    counted = tf.cast(is_attacking, tf.float32)
    return counted, tuple(counted * delta for delta in update)

  @tff.tensorflow.computation
  def squares_of_attacker(update: Any, is_attacking: Any, mean: Any) -> tuple:
    counted = tf.cast(is_attacking, tf.float32)
    return tuple(
      counted * tf.square(delta - center) for delta, center in zip(update, mean, strict=True)
    )

  @tff.tensorflow.computation
  def divide(sums: Any, count: Any) -> tuple:
    return tuple(tf.math.divide_no_nan(total, count) for total in sums)

  @tff.tensorflow.computation
  def craft(mean: Any, variance: Any, count: Any) -> tuple:
    return tuple(
      center - z(count) * tf.sqrt(square) for center, square in zip(mean, variance, strict=True)
    )

  def update_attack(updates: tff.Value, is_attacking: tff.Value, seeds: tff.Value) -> tff.Value:
    del seeds
    # In two passes: sums of squares around zero lose the digits of small deviations.
    count, sums = tff.federated_sum(tff.federated_map(of_attacker, (updates, is_attacking)))
    mean = tff.federated_map(divide, (sums, count))
    mean_at_clients = tff.federated_broadcast(mean)
    squares = tff.federated_sum(
      tff.federated_map(squares_of_attacker, (updates, is_attacking, mean_at_clients))
    )
    variance = tff.federated_map(divide, (squares, count))
    return tff.federated_broadcast(tff.federated_map(craft, (mean, variance, count)))

  return Attack(strength, update_attack=update_attack)


def _build(options: Strength, setting: Setting) -> Attack:
  return little_is_enough(setting.cohort_size, options.attack_strength)


register(
  AttackEntry(
    name='little_is_enough',
    label='A Little Is Enough',
    does='all send mean - z std of their own updates (Baruch et al. 2019)',
    strength='z, by default that of the paper, which is 0 for few attackers in a small cohort',
    build=_build,
    options=Strength,
  )
)
