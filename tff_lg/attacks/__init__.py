"""Attacks: what malicious clients do, one a file, apart from every method.

Each file has a function that builds an `Attack`: how malicious clients change their training
examples before the run, what they send in place of their updates in a round, or both. Its entry in
`ATTACKS` is how `--attack` finds it. A new attack is one file; one from outside comes in by
`--import`. Entries are light; what builds an attack may import `tff_lg.learning`, `tff_lg.data`.
"""

from tff_lg.attacks.attack import (
  ATTACKS,
  Attack,
  AttackEntry,
  Poison,
  Setting,
  Strength,
  choose_malicious,
  register,
)
from tff_lg.attacks.backdoor import TARGET_CLASS, add_trigger, backdoor, triggered_test
from tff_lg.attacks.gaussian_noise import gaussian_noise
from tff_lg.attacks.label_flip import label_flip
from tff_lg.attacks.little_is_enough import little_is_enough
from tff_lg.attacks.sign_flip import sign_flip

__all__ = [
  'ATTACKS',
  'TARGET_CLASS',
  'Attack',
  'AttackEntry',
  'Poison',
  'Setting',
  'Strength',
  'add_trigger',
  'backdoor',
  'choose_malicious',
  'gaussian_noise',
  'label_flip',
  'little_is_enough',
  'register',
  'sign_flip',
  'triggered_test',
]
