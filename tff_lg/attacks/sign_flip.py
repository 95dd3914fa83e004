"""Attackers who push the model the other way."""

from typing import Any

from tff_lg.attacks.attack import Attack, AttackOptions
from tff_lg.compatibility import tff


def sign_flip(options: AttackOptions) -> Attack:
  """An attacker sends its own update times -strength.

  Args:
    options: `strength` is 4 by default, as in the paper (its sigma = -4); 1 for an attack
      that the update's norm does not show.

  Returns:
    The attack.

  Li et al. 2019, RSA: Byzantine-Robust Stochastic Aggregation Methods, section 5.
  """
  strength = options.strength or 4.0

  @tff.tensorflow.computation
  def flip(update: Any) -> tuple:
    return tuple(-strength * delta for delta in update)

  def update_attack(updates: tff.Value, is_attacking: tff.Value, seeds: tff.Value) -> tff.Value:
    del is_attacking, seeds
    return tff.federated_map(flip, updates)

  return Attack('sign_flip', strength, update_attack=update_attack)
