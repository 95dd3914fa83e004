"""Attacks: what malicious clients do, one a file, apart from every method.

Each factory takes `AttackOptions` and returns an `Attack`: how malicious clients change their
training examples before the run, what they send in place of their updates in a round, or
both. `ATTACKS` finds a factory by the name that `--attack` takes; a new attack is one file and
one line here. May import: `tff_lg.learning`, `tff_lg.data`.
"""

from collections.abc import Callable, Mapping

from tff_lg.attacks.attack import Attack, AttackOptions, Poison, choose_malicious
from tff_lg.attacks.backdoor import TARGET_CLASS, add_trigger, backdoor, triggered_test
from tff_lg.attacks.gaussian_noise import gaussian_noise
from tff_lg.attacks.label_flip import label_flip
from tff_lg.attacks.little_is_enough import little_is_enough
from tff_lg.attacks.sign_flip import sign_flip

ATTACKS: Mapping[str, Callable[[AttackOptions], Attack]] = {
  'label_flip': label_flip,
  'sign_flip': sign_flip,
  'gaussian_noise': gaussian_noise,
  'little_is_enough': little_is_enough,
  'backdoor': backdoor,
}

__all__ = [
  'ATTACKS',
  'TARGET_CLASS',
  'Attack',
  'AttackOptions',
  'Poison',
  'add_trigger',
  'backdoor',
  'choose_malicious',
  'gaussian_noise',
  'label_flip',
  'little_is_enough',
  'sign_flip',
  'triggered_test',
]
