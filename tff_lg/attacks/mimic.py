"""Attackers who over-emphasise one honest client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tff_lg.attacks.attack import Attack, AttackEntry, Setting, register

if TYPE_CHECKING:
  import tensorflow as tf


def mimic() -> Attack:
  """Builds the attack by which all attackers send the update of the first honest client.

  Nothing that they send is an outlier; where clients differ, rules lean to the one copied. With
  the same cohort in each round the same client is copied in all of them.

  Returns:
    The attack.

  Karimireddy et al. 2022, section 3.2, with a fixed client as in ByzFL.
  """
  from tff_lg.attacks import knowing  # It imports TensorFlow, which takes seconds.

  def craft(honest: tf.Tensor, num_attackers: tf.Tensor) -> tf.Tensor:
    import tensorflow as tf

    del num_attackers
    return tf.reduce_sum(honest[:1], axis=0)

  return Attack(update_attack=knowing.update_attack(craft))


def _build(options: Any, setting: Setting) -> Attack:
  del options, setting
  return mimic()


register(
  AttackEntry(
    name='mimic',
    label='mimic',
    does='all send the update of the first honest client of the round (Karimireddy et al. 2022)',
    build=_build,
  )
)
