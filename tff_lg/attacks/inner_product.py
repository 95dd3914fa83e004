"""Attackers who turn the mean update around: inner-product manipulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tff_lg.attacks.attack import Attack, AttackEntry, Setting, Strength, register

if TYPE_CHECKING:
  import tensorflow as tf


def inner_product(strength: float | None = None) -> Attack:
  """Builds the attack by which all attackers send the mean of honest updates times -strength.

  If a mean counts enough attackers, the inner product of the aggregate and the mean of honest
  updates becomes negative. Their updates need not be longer than an honest one.

  Args:
    strength: epsilon; None for 2, as in ByzFL.

  Returns:
    The attack.

  Xie et al. 2020, Fall of Empires, section 4.
  """
  import tensorflow as tf  # It takes seconds to import.

  from tff_lg.attacks import knowing

  strength = strength or 2.0

  def craft(honest: tf.Tensor, num_attackers: tf.Tensor) -> tf.Tensor:
    del num_attackers
    return -strength * tf.reduce_mean(honest, axis=0)

  return Attack(strength, update_attack=knowing.update_attack(craft))


def _build(options: Strength, setting: Setting) -> Attack:
  del setting
  return inner_product(options.attack_strength)


register(
  AttackEntry(
    name='inner_product',
    label='inner product',
    does='all send the mean of honest updates times -strength (Xie et al. 2020)',
    strength='2',
    build=_build,
    options=Strength,
  )
)
