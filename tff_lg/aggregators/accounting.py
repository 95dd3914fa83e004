"""The privacy cost of a run's rounds: compositions of one Gaussian mechanism, sampled or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from tff_lg import samplings

if TYPE_CHECKING:
  from tff_lg.aggregators.privacy import PrivacyBudget

ZERO_OUT = "Neighbours differ in one client's updates being zero."
_MORE_OR_LESS = 'Neighbours differ in one client more or less.'
_REPLACED = 'Neighbours differ in one client replaced by another.'
_EVERYBODY = 'Every client takes part in every round: no gain from sampling.'


@attrs.frozen(kw_only=True)
class Accounting:
  """The privacy cost of rounds, in compositions of a Gaussian mechanism of noise multiplier z.

  Attributes:
    compositions: maps a number of rounds to the number of compositions that bound their cost.
    text: what is assumed, and the definition of neighbouring data sets.
    probability: of Poisson sampling in each composition.
    replaces_client: whether neighbours replace a client; then cohorts have a fixed size, and the
      noise multiplier counts as z / 2.
  """

  compositions: Callable[[int], int]
  text: str
  probability: float = 1.0
  replaces_client: bool = False


def _poisson(budget: PrivacyBudget) -> Accounting:
  m, n = budget.clients_per_round, budget.num_clients
  drawn = f'Each client takes part in a round with probability {m / n:.4g} (Poisson sampling)'
  drawn += f', which is assumed: the run draws exactly {m} of {n}.' if budget.is_assumed else '.'
  return Accounting(
    compositions=lambda num_rounds: num_rounds,
    text=f'{_EVERYBODY if m == n else drawn} {_MORE_OR_LESS}',
    probability=m / n,
  )


def _fixed_size(budget: PrivacyBudget) -> Accounting:
  m, n = budget.clients_per_round, budget.num_clients
  drawn = f'Cohorts of exactly {m} of {n} clients are drawn without replacement.'
  return Accounting(
    compositions=lambda num_rounds: num_rounds,
    text=f'{_EVERYBODY if m == n else drawn} {_REPLACED}',
    probability=m / n,
    replaces_client=True,
  )


def _cyclic_poisson(budget: PrivacyBudget) -> Accounting:
  """Returns the cost of one round of each cycle; a client's own is the only one that it joins.

  Choquette-Choo et al. 2023, Algorithm 2.
  """
  groups, m, n = budget.cohort_groups or 0, budget.clients_per_round, budget.num_clients
  samplings.check_groups(budget.cohort_groups, m, n)
  probability = groups * m / n
  gain = 'no gain from sampling' if groups * m == n else 'cyclic Poisson sampling'
  return Accounting(
    compositions=lambda num_rounds: -(-num_rounds // groups),
    text=f'{groups} groups of clients take turns; in its turn each client takes part with '
    f'probability {probability:.4g} ({gain}). {ZERO_OUT}',
    probability=probability,
  )


# How each sampling of cohorts is accounted for.
BY_SAMPLING: dict[str, Callable[[PrivacyBudget], Accounting]] = {
  samplings.POISSON: _poisson,
  samplings.FIXED_SIZE: _fixed_size,
  samplings.CYCLIC_POISSON: _cyclic_poisson,
}


def of_sampling(budget: PrivacyBudget) -> Accounting:
  """Returns the cost where every composition gains from the sampling of cohorts."""
  return BY_SAMPLING[budget.sampling](budget)
