"""Attackers who push the model the other way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tff_lg.attacks.attack import Attack, AttackEntry, Setting, Strength, register

if TYPE_CHECKING:
  from tff_lg.compatibility import tff


def sign_flip(strength: float | None = None) -> Attack:
  """Returns an attacker sends its own update times -strength.

  Args:
    strength: None for 4, as in the paper (its sigma = -4); 1 for an attack that the update's norm
      does not show.

  Returns:
    The attack.

  Li et al. 2019, RSA: Byzantine-Robust Stochastic Aggregation Methods, section 5.
  """
  from tff_lg.compatibility import tff  # It takes seconds to import.

  strength = strength or 4.0

  @tff.tensorflow.computation
  def flip(update: Any) -> tuple:
    return tuple(-strength * delta for delta in update)

  def update_attack(updates: tff.Value, is_attacking: tff.Value, seeds: tff.Value) -> tff.Value:
    del is_attacking, seeds
    return tff.federated_map(flip, updates)

  return Attack(strength, update_attack=update_attack)


def _build(options: Strength, setting: Setting) -> Attack:
  del setting
  return sign_flip(options.attack_strength)


register(
  AttackEntry(
    name='sign_flip',
    label='sign flip',
    does='send their update times -strength',
    strength='4',
    build=_build,
    options=Strength,
  )
)
