"""Attacks, the entries of attacks, and the choice of attackers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from tff_lg import entries, option_check

if TYPE_CHECKING:
  import numpy as np

  from tff_lg import data, learning
  from tff_lg.aggregators.factories.gathering import Rule

# (x, y, number of classes, random generator) -> x, y: a malicious client's training examples,
# as the client trains on them in every round. The arrays that come in are not changed.
Poison = Callable[
  ['np.ndarray', 'np.ndarray', int, 'np.random.Generator'], tuple['np.ndarray', 'np.ndarray']
]


@dataclasses.dataclass(frozen=True)
class Attack:
  """An attack.

  Attributes:
    strength: that it has in this run, in its own unit, positive; None if it has none.
    poison: changes a malicious client's training examples, or None.
    update_attack: for `ProcessSettings.update_attack`, or None.
    triggered_test: makes of test examples those on which accuracy is the attack's success, or
      None for an attack without a trigger.
  """

  strength: float | None = None
  poison: Poison | None = None
  update_attack: learning.UpdateAttack | None = None
  triggered_test: Callable[[data.Examples], data.Examples] | None = None

  def __post_init__(self) -> None:
    """Refuses a strength that is none."""
    if self.strength is not None and not self.strength > 0:
      raise ValueError(f'attack strength is {self.strength}, expected a positive number.')


@attrs.frozen
class Strength:
  """The option of attacks that have a strength."""

  attack_strength: float | None = entries.option(
    None,
    "How strong the attack is, in the attack's own unit",
    option_check.POSITIVE,
    by_default="its paper's",
  )


@attrs.frozen(kw_only=True)
class Setting:
  """The facts of a run that attackers know.

  Attributes:
    cohort_size: clients sampled in a round.
    server_learning_rate: eta, of the server's step along the mean update.
    rule: from stacked updates to their aggregate; None where the server sees no single updates.
  """

  cohort_size: int
  server_learning_rate: float = 1.0
  rule: Rule | None = None


@attrs.frozen(kw_only=True)
class AttackEntry(entries.Entry):
  """An attack that a flag can name; see `register`.

  Attributes:
    does: what malicious clients do, for the table of attacks.
    strength: which strength it has by default, for the table of attacks.
    build: (options, setting) -> the attack.
    needs_images: whether examples have to be images.
    needs_classes: whether it changes labels, which have to be classes.
  """

  does: str
  strength: str = 'none'
  build: Callable[[Any, Setting], Attack]
  needs_images: bool = False
  needs_classes: bool = False


# What `--attack` takes, with everything that is known about it.
ATTACKS: entries.Registry[AttackEntry] = entries.Registry('attack')
register = ATTACKS.register


def choose_malicious(num_clients: int, share: float, seed: int) -> np.ndarray:
  """Draws which clients are malicious, for the whole run.

  With the same seed those of a smaller share are among those of a larger one.

  Args:
    num_clients: of the whole population.
    share: of them that is malicious, in [0, 1].
    seed: not negative.

  Returns:
    Bool [num_clients], True for round(share * num_clients) of them.

  Raises:
    ValueError: the share is not in [0, 1].
  """
  import numpy as np

  if not 0 <= share <= 1:
    raise ValueError(f'malicious share is {share}, expected a number in [0, 1].')
  is_malicious = np.zeros(num_clients, np.bool_)
  order = np.random.default_rng(seed).permutation(num_clients)
  is_malicious[order[: round(share * num_clients)]] = True
  return is_malicious
