"""Attackers who send noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tff_lg.attacks.attack import Attack, AttackEntry, Setting, Strength, register

if TYPE_CHECKING:
  from tff_lg.compatibility import tff

# What tells these draws from others with a client's seed of the round.
_NOISE = 1000


def gaussian_noise(strength: float | None = None) -> Attack:
  """Builds the attack that sends Gaussian noise of mean zero, scaled by each attacker's update.

  The noise's standard deviation is strength times the root mean square of the client's honest
  update over all coordinates. So its norm is about strength times the update's. Blanchard et al.
  take a standard deviation of 200 whatever the update. Relative to the update, one strength means
  the same for every model, learning rate and round.

  Args:
    strength: None for 10.

  Returns:
    The attack. Its draws are those of the client's seed of the round.

  Blanchard et al. 2017, Machine Learning with Adversaries, experiments.
  """
  import tensorflow as tf  # It takes seconds to import.

  from tff_lg.compatibility import tff

  strength = strength or 10.0

  @tff.tensorflow.computation
  def draw(update: Any, seed: Any) -> tuple:
    update = tuple(update)
    num_weights = sum(math.prod(delta.shape) for delta in update)
    scale = strength * tf.linalg.global_norm(update) / math.sqrt(num_weights)
    return tuple(
      scale
      * tf.random.stateless_normal(
        delta.shape, tf.random.experimental.stateless_fold_in(seed, _NOISE + index)
      )
      for index, delta in enumerate(update)
    )

  def update_attack(updates: tff.Value, is_attacking: tff.Value, seeds: tff.Value) -> tff.Value:
    del is_attacking
    return tff.federated_map(draw, (updates, seeds))

  return Attack(strength, update_attack=update_attack)


def _build(options: Strength, setting: Setting) -> Attack:
  del setting
  return gaussian_noise(options.attack_strength)


register(
  AttackEntry(
    name='gaussian_noise',
    label='Gaussian noise',
    does='send noise whose norm is strength times that of their update',
    strength='10',
    build=_build,
    options=Strength,
  )
)
