"""The privacy budget of a run with `dp_mean`: epsilon at a given delta, after each round.

The guarantee is for a client with all its data, against whoever sees every model that
the server sends out. Accounting is dp_accounting's.
"""

import dataclasses
import functools
import math

import dp_accounting
import numpy as np
from absl import logging
from dp_accounting import pld, rdp
from scipy import optimize

from tff_lg.aggregators.accounting import BY_SAMPLING, Accounting
from tff_lg.aggregators.mechanism import MECHANISMS

ACCOUNTANTS = ('rdp', 'pld')
MEANINGLESS_EPSILON = 100.0

_RELATION = rdp.rdp_privacy_accountant.NeighborRel
_MULTIPLIER_RANGE = (1e-3, 1e5)
_TOLERANCE = 1e-5  # Of the noise multiplier, relative.


@dataclasses.dataclass(frozen=True)
class PrivacyBudget:
  """The privacy cost of the rounds of a run.

  Sampling, for mechanisms that gain from it:

  - `poisson`: each client takes part with probability q = m / n, independently. Data sets are
    neighbours if one has one client more. That client moves the clipped sum by at most S, so the
    noise multiplier counts as z.
  - `fixed_size`: exactly m of n clients, without replacement.
    Data sets are neighbours if one client is replaced by another. This moves the
    sum by up to 2 S, so the noise multiplier counts as z / 2. Theorem 27 of Wang et al.
    2019 bounds the gain by sampling, loosely. Only for RDP.
  - `cyclic_poisson`: clients are dealt into g groups that take turns; each client of the group
    takes part with probability g m / n. Neighbours differ in one client's updates being zero. A
    client joins at most ceil(t / g) of t rounds.

  The tree gains nothing from sampling. Neighbours differ in one client's updates being
  zero. Every update of a client is in one node of each of the h levels of the tree over
  t rounds, h = ceil(log2(t + 1)). With k updates, a client moves each level's nodes by at most k S
  together, and all nodes by sqrt(h) k S. This costs as much as h k^2 Gaussian mechanisms of noise
  multiplier z, or one of z / (k sqrt(h)).

  The banded mechanism releases C X + Z up to post-processing. X has a row of clipped updates per
  round, and C has b bands and columns of norm at most 1. With g of at least b, a client's rounds
  move separate rows of C X. One round moves them by at most S, so each costs one Gaussian
  mechanism of noise multiplier z. Phases of a run begin with noise of their own, and C of all
  phases is block-diagonal.

  With adaptive clipping z is the noise multiplier of sum and count together.

  Attributes:
    noise_multiplier: z, the noise's standard deviation on the sum over the clip norm;
      0 gives no privacy.
    clients_per_round: m.
    num_clients: n, taken to be public.
    delta: in (0, 1), see `default_delta`.
    accountant: `rdp`, Renyi differential privacy, or `pld`, privacy loss
      distributions: tighter and slower. Where RDP's epsilon is above 100, it is
      given with `pld` too.
    sampling: poisson, fixed_size or cyclic_poisson.
    is_assumed: whether cohorts are in fact drawn differently; for the text only.
    mechanism: gaussian, tree or banded, as in `dp_mean`.
    max_participations: k, rounds of the run that any client takes part in at most; for
      the tree only.
    cohort_groups: g, for cyclic_poisson only.
    bands: b, of the banded mechanism; 1 for others.

  Mironov 2017; Wang et al. 2019; Kairouz et al. 2021, appendix D; Choquette-Choo et al. 2023.
  """

  noise_multiplier: float
  clients_per_round: int
  num_clients: int
  delta: float
  accountant: str = 'rdp'
  sampling: str = 'poisson'
  is_assumed: bool = False
  mechanism: str = 'gaussian'
  max_participations: int | None = None
  cohort_groups: int | None = None
  bands: int = 1

  def __post_init__(self) -> None:
    """Refuses what cannot be accounted for, in one sentence."""
    if self.noise_multiplier < 0:
      raise ValueError(f'noise_multiplier is {self.noise_multiplier}; it must not be negative.')
    if self.noise_multiplier > _MULTIPLIER_RANGE[1]:
      raise ValueError(
        f'noise_multiplier is {self.noise_multiplier:g}; it must be at most '
        f'{_MULTIPLIER_RANGE[1]:g}, beyond which no accountant computes the privacy loss.'
      )
    if not 1 <= self.clients_per_round <= self.num_clients:
      raise ValueError(
        f'clients_per_round is {self.clients_per_round}; it must be from 1 to the number of '
        f'clients, {self.num_clients}.'
      )
    if not 0 < self.delta < 1:
      raise ValueError(f'delta is {self.delta}; it must lie between 0 and 1.')
    for name, allowed in (
      ('accountant', ACCOUNTANTS),
      ('sampling', tuple(BY_SAMPLING)),
      ('mechanism', tuple(MECHANISMS)),
    ):
      if getattr(self, name) not in allowed:
        raise ValueError(f'{name} is {getattr(self, name)!r}; it must be {" or ".join(allowed)}.')
    if self._accounting.replaces_client and self.accountant == 'pld':
      raise ValueError('accountant pld needs sampling poisson; use rdp for fixed_size.')

  def event(self, num_rounds: int) -> dp_accounting.DpEvent:
    """Returns the event that the first rounds release, for any accountant of dp_accounting."""
    return dp_accounting.SelfComposedDpEvent(self._event, self._accounting.compositions(num_rounds))

  def epsilon(self, num_rounds: int) -> float:
    """Returns the epsilon spent; cheap enough to ask after every round.

    Args:
      num_rounds: rounds done.

    Returns:
      An upper bound, infinite without noise.
    """
    if not num_rounds:
      return 0.0
    if not self.noise_multiplier:
      return math.inf
    count = self._accounting.compositions(num_rounds)
    accountant = self._one_rdp
    bound = rdp.compute_epsilon(accountant.orders, accountant.rdp * count, self.delta)[0]
    if self.accountant == 'pld' and bound <= MEANINGLESS_EPSILON:
      bound = min(bound, self._one_pld.self_compose(count).get_epsilon_for_delta(self.delta))
    return float(bound)

  @property
  def accountant_text(self) -> str:
    """The accountant's name, for people."""
    return {
      'rdp': 'RDP (Renyi differential privacy)',
      'pld': 'PLD (privacy loss distributions)',
    }[self.accountant]

  @property
  def sampling_text(self) -> str:
    """The assumed sampling, and the definition of neighbouring data sets."""
    return self._accounting.text

  @property
  def _event(self) -> dp_accounting.DpEvent:
    """The mechanism that the rounds are compositions of."""
    if self._accounting.replaces_client:
      return dp_accounting.SampledWithoutReplacementDpEvent(
        self.num_clients,
        self.clients_per_round,
        dp_accounting.GaussianDpEvent(self.noise_multiplier / 2),
      )
    return dp_accounting.PoissonSampledDpEvent(
      self._accounting.probability, dp_accounting.GaussianDpEvent(self.noise_multiplier)
    )

  @functools.cached_property
  def _accounting(self) -> Accounting:
    return MECHANISMS[self.mechanism].account(self)

  @functools.cached_property
  def _one_rdp(self) -> rdp.RdpAccountant:
    # Updates of zero are to the accountant what a removed client is.
    replaces = self._accounting.replaces_client
    relation = _RELATION.REPLACE_ONE if replaces else _RELATION.ADD_OR_REMOVE_ONE
    verbosity = logging.get_verbosity()
    logging.set_verbosity(logging.ERROR)  # A warning for each order that it leaves out.
    try:
      return rdp.RdpAccountant(neighboring_relation=relation).compose(self._event)
    finally:
      logging.set_verbosity(verbosity)

  @functools.cached_property
  def _one_pld(self) -> pld.privacy_loss_distribution.PrivacyLossDistribution:
    # Ten times the default step: at epsilon 1 still right to 1 %, and ten times as fast.
    return pld.privacy_loss_distribution.from_gaussian_mechanism(
      self.noise_multiplier,
      value_discretization_interval=1e-3,
      sampling_prob=self._accounting.probability,
    )


def default_delta(num_clients: int) -> float:
  """Returns the usual delta, n^-1.1, of McMahan et al. 2018 and Yu et al. 2020."""
  return float(num_clients) ** -1.1


def noise_multiplier_from_sigma(sigma: float, clip_norm: float, clients_per_round: int) -> float:
  """Returns the noise multiplier z = sigma m / S of noise sigma on the mean update.

  Args:
    sigma: standard deviation of the noise on the mean, as in Yu et al. 2020, equation (3).
    clip_norm: S.
    clients_per_round: m.

  Returns:
    z.
  """
  return sigma * clients_per_round / clip_norm


def solve_noise_multiplier(budget: PrivacyBudget, target_epsilon: float, num_rounds: int) -> float:
  """Finds the least noise multiplier that keeps a run within a target, by root finding.

  Args:
    budget: everything but the noise multiplier, which is ignored.
    target_epsilon: epsilon after all rounds, positive.
    num_rounds: of the run, positive.

  Returns:
    The noise multiplier. Its epsilon is at most the target. It is within 0.01 % of the target where
    epsilon does not jump (from RDP's to PLD's, at 100).

  Raises:
    ValueError: the target or the number of rounds is not positive, or no noise
      multiplier from 0.001 to 100,000 meets the target.
  """
  if target_epsilon <= 0:
    raise ValueError(f'target_epsilon is {target_epsilon}; it must be positive.')
  if num_rounds < 1:
    raise ValueError(f'num_rounds is {num_rounds}; it must be at least 1.')

  def multiplier(log_multiplier: float) -> float:
    return min(math.exp(log_multiplier), _MULTIPLIER_RANGE[1])

  def excess(log_multiplier: float) -> float:
    trial = dataclasses.replace(budget, noise_multiplier=multiplier(log_multiplier))
    # RDP's conversion gives exactly 0 where there is very much noise.
    return math.log(max(trial.epsilon(num_rounds), 1e-300)) - math.log(target_epsilon)

  low, high = np.log(_MULTIPLIER_RANGE)
  if excess(low) < 0 or excess(high) > 0:
    raise ValueError(
      f'target_epsilon is {target_epsilon}; after {num_rounds} rounds no noise multiplier from '
      f'{_MULTIPLIER_RANGE[0]:g} to {_MULTIPLIER_RANGE[1]:g} gives it.'
    )
  root = optimize.brentq(excess, low, high, xtol=_TOLERANCE)
  while excess(root) > 0:
    root += _TOLERANCE
  return multiplier(root)


def privacy_warning(epsilon: float) -> str | None:
  """Returns a plain sentence where an epsilon means nothing, above 100; None elsewhere."""
  if epsilon <= MEANINGLESS_EPSILON:
    return None
  return (
    f'epsilon is {epsilon:,.0f}: this protects nobody (10 is already weak); use more noise, '
    'fewer rounds or more clients.'
  )
