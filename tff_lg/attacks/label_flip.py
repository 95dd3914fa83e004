"""Attackers who train on wrong labels."""

import numpy as np

from tff_lg.attacks.attack import Attack, AttackOptions


def label_flip(options: AttackOptions) -> Attack:
  """Label y becomes num_classes - 1 - y, for all of the attacker's training examples.

  With an odd number of classes the middle one stays.

  Args:
    options: the attack has no strength.

  Returns:
    The attack.

  Raises:
    ValueError: a strength is given.

  Fang et al. 2020, Local Model Poisoning Attacks to Byzantine-Robust Federated Learning.
  """
  if options.strength is not None:
    raise ValueError(
      f'attack strength is {options.strength}, expected none: label_flip flips every label.'
    )

  def poison(
    x: np.ndarray, y: np.ndarray, num_classes: int, rng: np.random.Generator
  ) -> tuple[np.ndarray, np.ndarray]:
    del rng
    return x, (num_classes - 1 - y).astype(y.dtype)

  return Attack('label_flip', poison=poison)
