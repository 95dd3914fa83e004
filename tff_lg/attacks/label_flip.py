"""Attackers who train on wrong labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tff_lg.attacks.attack import Attack, AttackEntry, Setting, register

if TYPE_CHECKING:
  import numpy as np


def label_flip() -> Attack:
  """Builds the attack that turns each training label y of an attacker into num_classes - 1 - y.

  With an odd number of classes the middle one stays.

  Returns:
    The attack.

  Fang et al. 2020, Local Model Poisoning Attacks to Byzantine-Robust Federated Learning.
  """

  def poison(
    x: np.ndarray, y: np.ndarray, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, np.ndarray]:
    del rng
    return x, (num_classes - 1 - y).astype(y.dtype)

  return Attack(poison=poison)


def _build(options: Any, setting: Setting) -> Attack:
  del options, setting
  return label_flip()


register(
  AttackEntry(
    name='label_flip',
    label='label flip',
    does='train on label 9 - y (of ten classes)',
    build=_build,
    needs_classes=True,
  )
)
