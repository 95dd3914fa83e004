"""Attackers who send noise."""

import math
from typing import Any

import tensorflow as tf

from tff_lg.attacks.attack import Attack, AttackOptions
from tff_lg.compatibility import tff

# What tells these draws from others with a client's seed of the round.
_NOISE = 1000


def gaussian_noise(options: AttackOptions) -> Attack:
  """An attacker sends Gaussian noise of mean zero, scaled by its own update.

  The noise's standard deviation is strength times the root mean square of the client's honest
  update over all coordinates, so that its norm is about strength times the update's. Blanchard
  et al. take a standard deviation of 200 whatever the update; relative to the update the same
  strength means the same for every model, learning rate and round.

  Args:
    options: `strength` is 10 by default.

  Returns:
    The attack. Its draws are those of the client's seed of the round.

  Blanchard et al. 2017, Machine Learning with Adversaries, experiments.
  """
  strength = options.strength or 10.0

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

  return Attack('gaussian_noise', strength, update_attack=update_attack)
