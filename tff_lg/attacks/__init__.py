"""Attacks: what malicious clients do, one per file, apart from every method.

Each file has a function that builds an `Attack`. An attack changes malicious clients' training
examples before the run, the updates that they send, or both. `--attack` finds it by its entry in
`ATTACKS`. A new attack is one file; one from outside comes in by `--import`. Entries are light;
what builds an attack imports more. May import: `tff_lg.aggregators`, `tff_lg.data`,
`tff_lg.learning`.
"""

from tff_lg import entries
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
from tff_lg.attacks.inner_product import inner_product
from tff_lg.attacks.label_flip import label_flip
from tff_lg.attacks.little_is_enough import little_is_enough
from tff_lg.attacks.mimic import mimic
from tff_lg.attacks.min_max import min_max, min_sum
from tff_lg.attacks.optimised import optimised_inner_product, optimised_little_is_enough
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
  'inner_product',
  'label_flip',
  'little_is_enough',
  'mimic',
  'min_max',
  'min_sum',
  'optimised_inner_product',
  'optimised_little_is_enough',
  'register',
  'sign_flip',
  'triggered_test',
]

entries.import_modules(__name__, without=('knowing',))
